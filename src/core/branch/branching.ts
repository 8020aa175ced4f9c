/**
 * Branches are asked for, and finished by whoever took the command or, where that one died, by whoever looks. Each step is
 * stored before the next one begins: a row with the border; the new thread, whose key finds it again; the copy of the history;
 * a line in the old thread. So at whatever point somebody dies, there is one new thread in the end.
 */

import type { CommandInbound } from "../inbound.ts";
import type { Hash, InboundId } from "../ids.ts";
import { pause } from "../pause.ts";
import type { Branch, Branches, Trunk } from "../ports/branches.ts";
import type { Clock } from "../ports/clock.ts";
import type { OpenConversation } from "../ports/conversation.ts";
import type { Log } from "../ports/log.ts";
import type { Openings } from "../ports/openings.ts";
import type { MayBegin, Surface, Voice } from "../ports/surface.ts";
import type { Intake } from "../run/intake.ts";
import { threadOf, type SessionId } from "../thread.ts";
import { settledBorder, type Border } from "./border.ts";
import { asked, firstPage, lastLine, NOT_IN_HISTORY, NOTHING_YET, STILL_WORKING } from "./say.ts";

export interface BranchingDeps {
  readonly branches: Branches;
  readonly openings: Openings;
  readonly intake: Intake;
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  /** Undefined for a session on a platform on which every message is for the bot. */
  conversationOf(session: SessionId): OpenConversation | undefined;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
}

export interface BranchingOptions {
  /** From one look for branches that nobody finishes to the next, ms. Default 15,000. */
  readonly everyMs?: number;
  /** How long whoever finishes one may take, ms. Default 40,000: longer than its writes may. */
  readonly idleMs?: number;
  /** How long after it took one somebody may still begin a write, ms. Default 15,000. */
  readonly writeMs?: number;
}

export interface Branching {
  /**
   * Durable when it resolves. Rejects when it could not be stored; a delivery that comes again changes nothing.
   * @returns what the person is told who asked.
   */
  ask(command: CommandInbound, message: string | undefined): Promise<string>;
  /** Finishes what others left, now and from time to time. */
  start(): void;
  /** Resolves when nothing is written any more. What is not finished is left to others. */
  stop(): Promise<void>;
}

/** Read at most of what was written in a new thread before it was known. */
const MISSED = 100;
const FAILED_MS = 1_000;

interface Later {
  readonly kind: "later";
  readonly afterMs: number;
  /** Nothing was sent. */
  readonly isTurn?: true;
}

export function createBranching(deps: BranchingDeps, options: BranchingOptions = {}): Branching {
  const { branches, openings, clock } = deps;
  const { everyMs = 15_000, idleMs = 40_000, writeMs = 15_000 } = options;
  if (!(writeMs < idleMs)) throw new RangeError("writeMs has to be less than idleMs");
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let cancel: () => void = () => {};

  function keyOf({ id }: Branch): string {
    return `branch-${deps.hash(id).slice(0, 16)}`;
  }

  /** Asks again while a write of ours may still begin. Undefined: it is left to whoever takes the branch next. */
  async function untilThere<T extends { readonly kind: string }>(
    mayBegin: MayBegin,
    attempt: (isAgain: boolean) => Promise<T | Later>,
    isAgain: boolean,
  ): Promise<Exclude<T, { readonly kind: "later" }> | undefined> {
    for (let again = isAgain; mayBegin();) {
      const answer = await attempt(again);
      if (!isLater(answer)) return answer as Exclude<T, { readonly kind: "later" }>;
      // What was never sent need not be looked for.
      again ||= answer.isTurn !== true;
      await pause(clock, answer.afterMs, stopping.signal);
    }
    return undefined;
  }

  /** @returns the branch with its thread, or with why there is none; undefined when neither is known yet. */
  async function opened(branch: Branch, mayBegin: MayBegin): Promise<Branch | undefined> {
    if (branch.to !== undefined || branch.refusal !== undefined) return branch;
    const key = keyOf(branch);
    const page = firstPage(branch, await openings.addressOf(branch.from));
    const { id, from, label: name, where, askedAt: sinceMs } = branch;
    const open = (isAgain: boolean) =>
      openings.open(
        from,
        { key, name, page, sinceMs, isAgain, ...(where === undefined ? {} : { where }) },
        mayBegin,
      );
    const answer = await untilThere(mayBegin, open, branch.isAgain);
    if (answer === undefined) {
      openings.leave?.(from, key);
      return undefined;
    }
    if (answer.kind === "never") {
      await branches.refused(id, answer.why);
      return { ...branch, refusal: answer.why };
    }
    return (await branches.opened(id, answer.session)) ? { ...branch, to: answer.session } : undefined;
  }

  /** Whoever saw the new thread before it had its history may have written there, and nobody listened. */
  async function takeMissed({ id }: Branch, to: SessionId): Promise<void> {
    const { root, channel } = threadOf(to);
    const conversation = deps.conversationOf(to);
    try {
      const message = root ?? channel;
      const missed = (await conversation?.after(to, { id, message }, MISSED, stopping.signal)) ?? [];
      for (const inbound of missed) await deps.intake.receive(inbound);
    } catch (error) {
      deps.log.warn("what was written in a new thread could not be read", { session: to, error });
    }
  }

  async function tell(branch: Branch, mayBegin: MayBegin): Promise<boolean> {
    const { from, to } = branch;
    const address = to === undefined ? undefined : await openings.addressOf(to);
    const surface = deps.surfaceOf(from, "notice");
    const key = `${keyOf(branch)}-line`;
    const page = lastLine(branch, address);
    const write = async (isAgain: boolean) => {
      if (isAgain && (await surface.find(key, { page, since: branch.askedAt })) !== undefined)
        return { kind: "told" } as const;
      const written = await surface.post(key, page, mayBegin);
      if (written.kind === "unknown") return { kind: "later", afterMs: FAILED_MS } as const;
      // Where nothing can be said in the old thread any more, nobody is there to be told.
      return written.kind === "later" ? written : ({ kind: "told" } as const);
    };
    const isTold = (await untilThere(mayBegin, write, branch.isAgain)) !== undefined;
    if (!isTold) surface.leave?.();
    return isTold;
  }

  async function finish(branch: Branch, mayBegin: MayBegin): Promise<void> {
    const known = await opened(branch, mayBegin);
    if (known === undefined) return;
    const { id, to } = known;
    if (to !== undefined && !known.isCopied) {
      await branches.copy(id);
      if (branch.isAgain) await takeMissed(known, to);
    }
    if (await tell(known, mayBegin)) await branches.done(id);
  }

  /** @returns whether there was one to finish. Never rejects. */
  async function takeOne(id?: InboundId): Promise<boolean> {
    const until = clock.ticks() + writeMs;
    try {
      const branch = await branches.take(idleMs, id);
      if (branch === undefined) return false;
      await tried(branch, () => !stopping.signal.aborted && clock.ticks() < until);
      return true;
    } catch (error) {
      deps.log.debug("could not look for branches that are owed; looking again", { error });
      return false;
    }
  }

  async function tried(branch: Branch, mayBegin: MayBegin): Promise<void> {
    try {
      await finish(branch, mayBegin);
    } catch (error) {
      deps.log.warn("a branch is not finished yet; it is tried again", { session: branch.from, error });
    }
  }

  async function look(): Promise<void> {
    while (!stopping.signal.aborted && (await takeOne()));
    if (stopping.signal.aborted) return;
    cancel = clock.after(everyMs, () => own(look()));
  }

  function own(work: Promise<unknown>): void {
    const owned: Promise<void> = work.then(() => void underWay.delete(owned));
    underWay.add(owned);
  }

  return {
    async ask(command, message) {
      const { session, id } = command;
      const refusal = openings.refusal(session);
      if (refusal !== undefined) return refusal;
      const trunk = await branches.look(session, message);
      if (trunk === undefined) return NOTHING_YET;
      const border = borderOf(trunk, message);
      if (typeof border === "string") return border;
      const { epoch, label } = trunk;
      const receipt = await deps.intake.receive(command, (admission) =>
        branches.put(command, admission, { ...border, epoch, label }),
      );
      if (receipt.kind === "refused") return receipt.answer ?? "You may not do that here.";
      if (receipt.kind === "ignored") return NOTHING_YET;
      if (receipt.kind === "stored" && !stopping.signal.aborted) own(takeOne(id));
      return asked(border.entries);
    },
    start() {
      if (!stopping.signal.aborted) own(look());
    },
    async stop() {
      stopping.abort();
      cancel();
      await Promise.all(underWay);
    },
  };
}

function borderOf(trunk: Trunk, message: string | undefined): Border | string {
  const { lines, unfinished, asked: at } = trunk;
  const known = unfinished === undefined ? {} : { unfinished };
  if (message === undefined) return settledBorder(lines, known) ?? NOTHING_YET;
  if (at === undefined) return NOT_IN_HISTORY;
  if ("run" in at && at.run === unfinished) return STILL_WORKING;
  return settledBorder(lines, { ...known, at }) ?? NOT_IN_HISTORY;
}

function isLater(answer: { readonly kind: string }): answer is Later {
  return answer.kind === "later";
}
