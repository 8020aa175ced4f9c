/**
 * Keeps the cards of goals up to date: at once by whoever changed one, and where that one died or could not, by whoever looks. A post
 * carries a key that is stored before it, so a card whose post got no answer is looked for and not doubled. The newest state wins.
 */

import { cardOf, cardStanding } from "../goal/card.ts";
import type { Hash } from "../ids.ts";
import { growingMs, pause } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { CardState, GoalCards, OwedCard } from "../ports/goal-cards.ts";
import type { Log } from "../ports/log.ts";
import type { Urgency } from "../ports/pacer.ts";
import type { MayBegin, PageContent, Surface, Voice, Written } from "../ports/surface.ts";
import type { SessionId } from "../thread.ts";
import type { Reach } from "./where-installed.ts";

export interface GoalCardsDeps {
  readonly cards: GoalCards;
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  /** Rejects when it cannot be known now. */
  reachOf(session: SessionId): Promise<Reach>;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
}

export interface GoalCardsOptions {
  /** From one look for cards that nobody brings up to date to the next, ms. Default 15,000. */
  readonly everyMs?: number;
  /** How long whoever took one is alone with it, ms. Default 40,000: longer than its writes may take. */
  readonly idleMs?: number;
  /** How long after it took one somebody may still begin a write, ms. Default 15,000. */
  readonly writeMs?: number;
}

export interface GoalCardKeeper {
  /** Something of the session's goal changed: its card says so soon. */
  changed(session: SessionId): void;
  /** The same. Resolves when the card says so, or that is left to others. Never rejects. */
  shown(session: SessionId): Promise<void>;
  /** Brings what others left up to date, now and from time to time. */
  start(): void;
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
}

/** Waited for here; what takes longer is left to the next look. */
const PATIENCE_MS = 5_000;
/** Where nobody can be reached now. */
const AWAY_MS = 60_000;
const UNKNOWN_TRIES = 5;

type Shown =
  | { readonly kind: "shown"; readonly state: CardState }
  | { readonly kind: "later"; readonly afterMs: number; readonly isTurn?: true }
  /** The thread is not there any more. */
  | { readonly kind: "over" }
  /** Another has taken the card. */
  | { readonly kind: "lost" };

export function createGoalCardKeeper(deps: GoalCardsDeps, options: GoalCardsOptions = {}): GoalCardKeeper {
  const { cards, clock, log } = deps;
  const { everyMs = 15_000, idleMs = 40_000, writeMs = 15_000 } = options;
  if (!(writeMs < idleMs)) throw new RangeError("writeMs has to be less than idleMs");
  const stopping = new AbortController();
  const underWay = new Map<SessionId, { readonly work: Promise<void>; isAgain: boolean }>();
  let looking: Promise<void> | undefined;
  let cancel: () => void = () => {};

  async function post(
    card: OwedCard,
    page: PageContent,
    { surface, mayBegin }: Place,
    before: CardState,
  ): Promise<Shown> {
    const { goal } = card;
    const said = cardStanding(goal);
    const isNew = before.key === undefined;
    const posts = before.posts + (isNew ? 1 : 0);
    const key = before.key ?? `card-${goal.id}-${posts}`;
    const begun: CardState = { posts, key, said };
    if (isNew) {
      if (!(await cards.keep(card, begun))) return { kind: "lost" };
    } else {
      const found = await surface.find(key, { page, since: goal.createdAt }).catch((error: unknown) => {
        log.info("whether a goal's card was posted is not known yet", { session: card.session, error });
        return null;
      });
      if (found === null) return { kind: "later", afterMs: 1_000 };
      if (found !== undefined) {
        // Kept at once: its edit may have to wait, and nobody has to look for it again.
        const there = { ...begun, message: found };
        if (!(await cards.keep(card, there))) return { kind: "lost" };
        return edit(card, page, { surface, mayBegin }, there);
      }
    }
    const written = await attempt(() => surface.post(key, page, mayBegin, "reply"));
    switch (written.kind) {
      case "ok":
        return { kind: "shown", state: { ...begun, message: written.message, hash: hashOf(page) } };
      case "gone":
        // The key of a message that somebody deleted is used up.
        return written.what === "thread" ? { kind: "over" } : { kind: "shown", state: { posts, said } };
      case "later":
        // It has not landed, so nobody has to look for it.
        return isNew && !(await cards.keep(card, before)) ? { kind: "lost" } : written;
      case "unknown":
        log.info("a goal's card may not have landed", { session: card.session, why: written.why });
        return { kind: "later", afterMs: 1_000 };
      case "too_long":
      case "refused":
        log.warn("a goal's card was refused", { session: card.session, ...written });
        return { kind: "shown", state: { posts, said: before.said ?? "" } };
      default:
        return written satisfies never;
    }
  }

  async function edit(
    card: OwedCard,
    page: PageContent,
    place: Place,
    state: CardState & { readonly message: string },
  ): Promise<Shown> {
    const hash = hashOf(page);
    const said = cardStanding(card.goal);
    if (state.hash === hash) return { kind: "shown", state };
    const written = await attempt(() =>
      place.surface.edit(state.message, page, place.mayBegin, urgencyOf(card, said !== state.said)),
    );
    switch (written.kind) {
      case "ok":
        return { kind: "shown", state: { ...state, said, hash } };
      case "gone": {
        if (written.what === "thread") return { kind: "over" };
        const { posts } = state;
        const gone: CardState = state.said === undefined ? { posts } : { posts, said: state.said };
        // Nobody has deleted that one.
        if (written.what === "frozen") return post(card, page, place, gone);
        // Whoever deletes it does not want it; it comes back when there is something new to say.
        return state.said === said || card.goal.closed !== undefined
          ? { kind: "shown", state: { posts, said } }
          : post(card, page, place, gone);
      }
      case "later":
        return written;
      case "unknown":
        return { kind: "later", afterMs: 1_000 };
      case "too_long":
      case "refused":
        log.warn("a goal's card could not be changed", { session: card.session, ...written });
        return { kind: "shown", state: { ...state, said } };
      default:
        return written satisfies never;
    }
  }

  function hashOf(page: PageContent): string {
    return deps.hash(JSON.stringify(page));
  }

  async function show(card: OwedCard, place: Place): Promise<Shown> {
    const { goal, state } = card;
    const { message, key, said, posts } = state;
    const page = cardOf(goal);
    if (message !== undefined) return edit(card, page, place, { ...state, message });
    const isNever = key === undefined && (said === cardStanding(goal) || goal.closed !== undefined);
    // It ended before anybody saw it, or was deleted and says nothing new.
    if (isNever) return { kind: "shown", state: { posts, said: cardStanding(goal) } };
    return post(card, page, place, state);
  }

  /** Brings a card that was taken up to date, also with what comes meanwhile. @returns `all` where none of its session is owed then. */
  async function bring(taken: OwedCard, turn: Turn): Promise<"all" | undefined> {
    const { session } = taken;
    let card = taken;
    let until = clock.ticks() + writeMs;
    const mayBegin: MayBegin = () => !stopping.signal.aborted && clock.ticks() < until;
    for (let failures = 0; ;) {
      // Asked of each state: it may be archived, or not be there any more, since the one before was shown.
      const reach = await deps.reachOf(session);
      if (reach === "gone" || card.goal.closed === "gone") return leftBy(cards.over(card));
      if (reach === "broken") return leftBy(cards.leave(card, AWAY_MS));
      if (card.goal.status === "paused" && card.goal.reason === "archived") {
        // An edit would open the thread again.
        const newer = await cards.shown(card, card.state, { idleMs, quietMs: 0 });
        if (newer === undefined || newer === "all") return newer;
        card = newer;
        continue;
      }
      if (!mayBegin()) return leftBy(cards.leave(card, 0));
      const surface = (turn.at ??= deps.surfaceOf(session, "card"));
      const step = await show(card, { surface, mayBegin });
      switch (step.kind) {
        case "lost":
          return undefined;
        case "over":
          return leftBy(cards.over(card));
        case "later": {
          // Who waits for its turn has failed at nothing, and would lose its place in the line.
          const growing = failures === 0 || step.isTurn === true ? 0 : growingMs(failures - 1);
          const waitMs = Math.max(step.afterMs, growing);
          if (step.isTurn !== true) failures += 1;
          // A turn in the line is asked for again soon: what comes meanwhile may be more urgent than what waits now.
          if (step.isTurn === true && waitMs > PATIENCE_MS) {
            turn.isKept = true;
            return leftBy(cards.leave(card, PATIENCE_MS));
          }
          if (waitMs > PATIENCE_MS || failures > UNKNOWN_TRIES) return leftBy(cards.leave(card, waitMs));
          await pause(clock, waitMs, stopping.signal);
          // What was stored of it meanwhile, by ourselves.
          const again = await retaken(card);
          if (again === undefined) return undefined;
          card = again;
          until = clock.ticks() + writeMs;
          break;
        }
        case "shown": {
          const quietMs = surface.limits.editEveryMs;
          const newer = await cards.shown(card, step.state, { idleMs, quietMs });
          if (newer === undefined || newer === "all") return newer;
          failures = 0;
          card = newer;
          if (quietMs > PATIENCE_MS) return leftBy(cards.leave(card, quietMs));
          await pause(clock, quietMs, stopping.signal);
          until = clock.ticks() + writeMs;
          break;
        }
        default:
          step satisfies never;
      }
    }
  }

  /** The same card as it stands now. */
  async function retaken(card: OwedCard): Promise<OwedCard | undefined> {
    await cards.leave(card, 0);
    const taken = await cards.take(idleMs, card.session);
    return taken !== undefined && "goal" in taken ? taken : undefined;
  }

  async function tried(card: OwedCard): Promise<"all" | undefined> {
    const turn: Turn = {};
    try {
      return await bring(card, turn);
    } catch (error) {
      log.warn("a goal's card is not up to date; it is tried again", { session: card.session, error });
      return await leftBy(cards.leave(card, AWAY_MS).catch(() => undefined));
    } finally {
      if (turn.isKept !== true) turn.at?.leave?.();
    }
  }

  async function bringAll(session: SessionId): Promise<void> {
    try {
      while (!stopping.signal.aborted) {
        const taken = await cards.take(idleMs, session);
        if (taken === undefined) return;
        if ("goal" in taken) {
          // Whoever changes one from now on brings it.
          if ((await tried(taken)) === "all") return;
        } else if (taken.dueInMs > PATIENCE_MS) return;
        else await pause(clock, taken.dueInMs, stopping.signal);
      }
    } catch (error) {
      log.debug("could not look for a goal's card; looking again", { session, error });
    }
  }

  async function look(): Promise<void> {
    try {
      while (!stopping.signal.aborted) {
        const taken = await cards.take(idleMs);
        if (taken === undefined || !("goal" in taken)) break;
        await tried(taken);
      }
    } catch (error) {
      log.debug("could not look for cards of goals; looking again", { error });
    }
    if (stopping.signal.aborted) return;
    cancel = clock.after(everyMs, () => {
      looking = look();
    });
  }

  async function whileChanging(session: SessionId): Promise<void> {
    do {
      const mine = underWay.get(session);
      if (mine !== undefined) mine.isAgain = false;
      await bringAll(session);
    } while (underWay.get(session)?.isAgain === true);
    underWay.delete(session);
  }

  function shown(session: SessionId): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    const known = underWay.get(session);
    if (known !== undefined) {
      known.isAgain = true;
      return known.work;
    }
    const begun = Promise.withResolvers<void>();
    underWay.set(session, { work: begun.promise, isAgain: false });
    whileChanging(session).then(begun.resolve, begun.resolve);
    return begun.promise;
  }

  return {
    shown,
    changed(session) {
      shown(session).catch(() => undefined);
    },
    start() {
      if (!stopping.signal.aborted) looking = look();
    },
    async stop() {
      stopping.abort();
      cancel();
      await Promise.all([looking, ...[...underWay.values()].map(({ work }) => work)]);
    },
  };
}

/** What a goal came to is a last word; that it stands otherwise is news as a reply is; its counters wait for all of those. */
function urgencyOf({ goal }: OwedCard, isNews: boolean): Urgency {
  if (goal.closed !== undefined) return "final";
  return isNews ? "reply" : "progress";
}

async function leftBy(written: Promise<void>): Promise<undefined> {
  await written;
}

/** Where a card waits for its turn. `isKept`: somebody asks again soon, and wants to find its place in the line. */
interface Turn {
  at?: Surface;
  isKept?: true;
}

interface Place {
  readonly surface: Surface;
  readonly mayBegin: MayBegin;
}

/** A surface does not throw; one that does all the same has left us not knowing. */
async function attempt(write: () => Promise<Written>): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    return { kind: "unknown", why: error instanceof Error ? error.message : String(error) };
  }
}
