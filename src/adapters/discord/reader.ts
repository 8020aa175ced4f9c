/**
 * Takes in what happens in channels, in the order of each channel, and knows how far it has come. Discord sends nothing again: what
 * was said while nobody listened, or could not be stored, is fetched from there, and goes the same way as what comes by itself.
 */

import { Routes, type APIMessage } from "discord-api-types/v10";
import { BobbinError } from "../../core/errors.ts";
import { growingMs, pause, untilAborted } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { ReadingMark, ReadingMarks } from "../../core/ports/reading-marks.ts";
import type { DiscordApi } from "./api.ts";
import type { KnownChannel } from "./channels.ts";
import { DIRECT } from "./identity.ts";
import type { Message } from "./parse.ts";
import type { Receive } from "./receive.ts";
import { isAfter, newerOf, snowflakeAt, timeOf } from "./snowflake.ts";

export interface ReaderDeps {
  readonly api: DiscordApi;
  readonly marks: ReadingMarks;
  readonly receive: Receive;
  /** Ends what is to be done in a guild that the bot has left. Rejects when that has to be done again. */
  leave(guild: string): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ReaderOptions {
  /** Of this reader; marks of an earlier one are refused. */
  readonly term: number;
  readonly known: readonly ReadingMark[];
  /** Whether the lease of the one who listens still holds. */
  isLive(): boolean;
  /** Events of one channel that may wait, for a store that is away; the rest is fetched later. Default 200. */
  readonly mostWaiting?: number;
  /** How old what was missed may be to be answered still, ms. Default one day. */
  readonly longestAgoMs?: number;
  /** Messages of one channel that are fetched at most. Default 1,000. */
  readonly mostMissed?: number;
}

const PLATFORM = "discord";
const PAGE = 100;
/** How long marks may lag behind: what is read again is known by the ledger. */
const FLUSH_MS = 1_000;
/** So many channels are fetched at the same time. */
const AT_ONCE = 4;
/** Direct conversations are asked one by one, so only those of the last month, and the newest of them. */
const DIRECT_AGO_MS = 30 * 86_400_000;
const MOST_DIRECT = 300;
/** Marks that are held in memory: far more than channels in which something happens in a day. */
const MOST_KNOWN = 50_000;

/** Marks that are older are of no use: what was missed is fetched only from the last day, and direct conversations of the last month. */
export function sinceOf(now: number): string {
  return snowflakeAt(now - DIRECT_AGO_MS);
}

interface Line {
  last: Promise<void>;
  waiting: number;
}

export class Reader {
  readonly #deps: ReaderDeps;
  readonly #options: Required<ReaderOptions>;
  readonly #stopping = new AbortController();
  readonly #lines = new Map<string, Line>();
  readonly #seen = new Map<string, ReadingMark>();
  /** Channels that were fetched since the gateway was last entered anew: what comes now comes without a gap. */
  readonly #current = new Set<string>();
  /** Channels that are being fetched, and in which nothing was missed since that began. */
  readonly #fetched = new Set<string>();
  readonly #dirty = new Set<string>();
  /** Guilds, and all direct conversations together, of which something is known. */
  readonly #spaces = new Set<string>();
  #fetching = 0;
  readonly #queue: (() => void)[] = [];
  #cancelFlush: (() => void) | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(deps: ReaderDeps, options: ReaderOptions) {
    this.#deps = deps;
    this.#options = { mostWaiting: 200, longestAgoMs: 86_400_000, mostMissed: 1_000, ...options };
    for (const mark of options.known) {
      this.#seen.set(mark.channel, mark);
      this.#spaces.add(mark.space);
    }
  }

  /** The gateway was entered anew, and whatever happened before that is not told. @returns the direct conversations, the newest first. */
  enter(): readonly ReadingMark[] {
    this.#current.clear();
    this.#fetched.clear();
    const since = sinceOf(this.#deps.clock.now());
    const direct = [...this.#seen.values()]
      .filter(({ space, seen }) => space === DIRECT && isAfter(seen, since))
      .sort((a, b) => (isAfter(a.seen, b.seen) ? -1 : 1))
      .slice(0, MOST_DIRECT);
    for (const { channel } of direct) this.#catchUp(channel);
    return direct;
  }

  /** The channels of a guild, as the gateway tells them: those with something new are fetched. */
  guild(guild: string, channels: readonly KnownChannel[]): void {
    const all = this.#allKnown(guild);
    let newestOfAll = guild;
    for (const { id, kind, newest } of channels) {
      if (kind === "other") continue;
      newestOfAll = newerOf(newerOf(newest ?? id, id), newestOfAll);
      if (!this.#seen.has(id))
        this.#move({ space: guild, channel: id, seen: all ?? newerOf(newest ?? id, id) });
      const seen = this.#seen.get(id)?.seen;
      if (newest !== undefined && seen !== undefined && isAfter(newest, seen)) this.#catchUp(id);
      else this.#current.add(id);
    }
    // Kept together with the marks of all of them, so that none of them is ever taken for one in which nothing was said.
    this.#move({ space: guild, channel: guild, seen: newestOfAll });
  }

  /**
   * Up to here every channel of the space has a mark of its own: in one without, all that was said later may be missing. That is said
   * by the list of channels that the gateway tells, and by nothing that was heard: who is thrown out of the gateway before it has told
   * the list may have heard of one channel and not of the others. Of direct conversations there is no list. Undefined where nobody
   * has listened before.
   */
  #allKnown(space: string): string | undefined {
    if (!this.#spaces.has(space)) return undefined;
    return this.#seen.get(space)?.seen ?? this.#oldestMissed();
  }

  #oldestMissed(): string {
    return snowflakeAt(this.#deps.clock.now() - this.#options.longestAgoMs);
  }

  /** Those in which somebody has listened, and that were not left since. */
  guilds(): readonly string[] {
    return [...this.#spaces].filter((space) => space !== DIRECT);
  }

  /** Discord itself cannot reach the guild: when it can again, what was said and not told is fetched. */
  away(guild: string): void {
    for (const { channel, space } of this.#seen.values()) if (space === guild) this.#current.delete(channel);
  }

  /** The bot is not in the guild any more. Where it comes again it is as if nobody had ever listened there. */
  left(guild: string): void {
    for (const { channel, space } of this.#seen.values()) if (space === guild) this.#forget(channel);
    this.#spaces.delete(guild);
    const { leave, marks } = this.#deps;
    // The marks go last: as long as they are there, who listens next notices that it is left.
    const steps = [() => leave(guild), () => marks.drop(PLATFORM, this.#options.term, guild)];
    this.#enqueue(guild, async () => {
      // Asked before each try: while the store is away the bot may have come again.
      const unlessBack = (step: () => Promise<void>) => async () => {
        if (!this.#spaces.has(guild)) await step();
      };
      for (const step of steps) if (!(await this.#take(unlessBack(step)))) return;
    });
  }

  /** A channel or thread that was made just now: whatever will be said in it is new. */
  made({ id, guild, kind }: KnownChannel): void {
    if (kind === "other" || guild === undefined || this.#seen.has(id)) return;
    this.#move({ space: guild, channel: id, seen: previous(id) });
    this.#current.add(id);
  }

  /** A message, as the gateway tells it. */
  message(message: Message, guild: string | undefined): void {
    const channel = message.channel_id;
    const space = guild ?? DIRECT;
    if (!this.#seen.has(channel)) {
      const before = previous(message.id);
      const all = this.#allKnown(space);
      const isNext = all === undefined || !isAfter(before, all);
      const mark = { space, channel, seen: isNext ? before : all };
      if (isNext) this.#current.add(channel);
      this.#move(mark);
      // Before anything of it is taken in, so that a crash does not make it a channel that nobody knows.
      this.#enqueue(channel, async () => void (await this.#take(() => this.#keep([mark]))));
    }
    this.#enqueue(channel, async () => {
      if (!this.#current.has(channel)) await this.#fetchMissed(channel);
      try {
        if (!(await this.#take(() => this.#deps.receive.message(message, guild)))) return;
      } catch (error) {
        // The mark stays before it: whoever is next in the line reads from there, and it once more.
        this.#current.delete(channel);
        throw error;
      }
      if (this.#current.has(channel)) this.#move({ space, channel, seen: message.id });
    });
  }

  /** Anything else that happens in a channel; it waits for what came before it there. */
  change(channel: string, work: () => Promise<void>): void {
    this.#enqueue(channel, async () => void (await this.#take(work)));
  }

  /** The same for what nobody has told of. Resolves when it is done, or given up; never rejects. */
  async inTurn(channel: string, work: () => Promise<void>): Promise<void> {
    const done = Promise.withResolvers<void>();
    const isTaken = this.#enqueue(channel, async () => {
      await this.#take(work).finally(done.resolve);
    });
    if (isTaken) await untilAborted(done.promise, this.#stopping.signal);
  }

  /** Takes nothing more, and keeps how far it has come. May be called twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const next of this.#queue.splice(0)) next();
    await Promise.all([...this.#lines.values()].map(({ last }) => last));
    this.#cancelFlush?.();
    await this.#flush();
  }

  /** @returns false when there is no room for it, or we stop. */
  #enqueue(channel: string, work: () => Promise<void>): boolean {
    if (this.#stopping.signal.aborted) return false;
    const line = this.#lines.get(channel) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= this.#options.mostWaiting) {
      // What comes now is fetched by whoever is next in the line.
      this.#current.delete(channel);
      this.#fetched.delete(channel);
      return false;
    }
    line.waiting++;
    this.#lines.set(channel, line);
    line.last = line.last.then(async () => {
      try {
        if (!this.#stopping.signal.aborted) await work();
      } catch (error) {
        this.#deps.log.error("an event of Discord's could not be taken in", { channel, error });
      }
      if (--line.waiting === 0) this.#lines.delete(channel);
    });
    return true;
  }

  /** Until it is stored. @returns false when it was given up, because we stop. */
  async #take(work: () => Promise<void>): Promise<boolean> {
    const { clock, log } = this.#deps;
    for (let failures = 0; ; failures++) {
      try {
        await work();
        return true;
      } catch (error) {
        // A store or a Discord that is away comes back; what is wrong in itself stays wrong.
        const isAway = error instanceof BobbinError && error.retryable;
        if (!isAway && failures >= 3) throw error;
        if (failures === 0)
          log.warn("an event of Discord's could not be stored; it is tried again", { error });
        if (!(await pause(clock, growingMs(failures), this.#stopping.signal))) return false;
      }
    }
  }

  #catchUp(channel: string): void {
    this.#enqueue(channel, async () => {
      if (!this.#current.has(channel)) await this.#fetchMissed(channel);
    });
  }

  /** What was said behind the mark, oldest first. */
  async #fetchMissed(channel: string): Promise<void> {
    const mark = this.#seen.get(channel);
    if (mark === undefined) return;
    await this.#turn();
    this.#fetched.add(channel);
    try {
      const { log, receive } = this.#deps;
      const { mostMissed } = this.#options;
      const guild = mark.space === DIRECT ? undefined : mark.space;
      let after = newerOf(this.#oldestMissed(), mark.seen);
      let count = 0;
      for (; count < mostMissed;) {
        const page = await this.#page(channel, after);
        if (page === "stopped") return;
        if (page === "unreadable") break;
        const wrong: Message[] = [];
        for (const [at, message] of page.entries()) {
          try {
            if (!(await this.#take(() => receive.message(message, guild)))) return;
          } catch (error) {
            // With nothing behind it to tell whether it is the message that is wrong or the store.
            if (at === page.length - 1) throw error;
            wrong.push(message);
            continue;
          }
          if (!(await this.#onceMore(wrong.splice(0), guild))) return;
          // Left meanwhile.
          if (!this.#seen.has(channel)) return;
          this.#move({ ...mark, seen: message.id });
          after = message.id;
          count++;
        }
        if (page.length < PAGE) break;
      }
      if (count > 0) log.info("what was said on Discord meanwhile was fetched", { channel, messages: count });
      if (this.#fetched.has(channel)) this.#current.add(channel);
    } finally {
      this.#fetched.delete(channel);
      this.#fetching--;
      this.#queue.shift()?.();
    }
  }

  /** Behind these something was taken in: what is wrong even now is wrong in itself, and holds up nobody. @returns false when we stop. */
  async #onceMore(messages: readonly Message[], guild: string | undefined): Promise<boolean> {
    for (const message of messages) {
      try {
        if (!(await this.#take(() => this.#deps.receive.message(message, guild)))) return false;
      } catch (error) {
        const { id, channel_id: channel } = message;
        this.#deps.log.error("a message on Discord is passed over", { channel, id, error });
      }
    }
    return true;
  }

  /** Ascending. */
  async #page(channel: string, after: string): Promise<readonly APIMessage[] | "unreadable" | "stopped"> {
    const { api, clock, log } = this.#deps;
    for (let failures = 0; ; failures++) {
      const answer = await api.call("GET", Routes.channelMessages(channel), {
        query: { after, limit: String(PAGE) },
      });
      if (answer.kind === "ok") return (answer.data as readonly APIMessage[]).toReversed();
      if (answer.kind === "refused") {
        log.info("a channel of Discord's cannot be read", { channel, code: answer.code });
        return "unreadable";
      }
      const waitMs = answer.kind === "rate_limited" ? answer.afterMs : growingMs(failures);
      if (!(await pause(clock, waitMs, this.#stopping.signal))) return "stopped";
    }
  }

  async #turn(): Promise<void> {
    if (this.#fetching >= AT_ONCE && !this.#stopping.signal.aborted) {
      await untilAborted(new Promise<void>((resolve) => this.#queue.push(resolve)), this.#stopping.signal);
    }
    this.#fetching++;
  }

  #move(mark: ReadingMark): void {
    const before = this.#seen.get(mark.channel);
    if (before !== undefined && !isAfter(mark.seen, before.seen)) return;
    this.#spaces.add(mark.space);
    // In the order in which they moved, so that the first one lies still for longest.
    this.#seen.delete(mark.channel);
    this.#seen.set(mark.channel, mark);
    this.#forgetOldest();
    this.#dirty.add(mark.channel);
    this.#cancelFlush ??= this.#deps.clock.after(FLUSH_MS, () => {
      this.#cancelFlush = undefined;
      this.#flushing = this.#flush();
    });
  }

  /** What is forgotten here is still kept in the store, and was heard. */
  #forgetOldest(): void {
    const [oldest] = this.#seen.keys();
    if (this.#seen.size <= MOST_KNOWN || oldest === undefined || this.#dirty.has(oldest)) return;
    this.#forget(oldest);
  }

  #forget(channel: string): void {
    for (const known of [this.#seen, this.#current, this.#fetched, this.#dirty]) known.delete(channel);
  }

  async #flush(): Promise<void> {
    await this.#flushing.catch(() => undefined);
    const moved = [...this.#dirty].flatMap((channel) => this.#seen.get(channel) ?? []);
    if (moved.length === 0 || !this.#options.isLive()) return;
    this.#dirty.clear();
    try {
      await this.#keep(moved);
    } catch (error) {
      this.#deps.log.warn("it could not be kept how far Discord was read", { error });
      for (const { channel } of moved) this.#dirty.add(channel);
    }
  }

  async #keep(marks: readonly ReadingMark[]): Promise<void> {
    if (await this.#deps.marks.move(PLATFORM, this.#options.term, marks)) return;
    this.#deps.log.info("another process listens to Discord; what this one has read no longer counts");
  }
}

/** What stands just before it. */
function previous(id: string): string {
  return timeOf(id) === 0 ? id : String(BigInt(id) - 1n);
}
