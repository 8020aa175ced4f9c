/**
 * Takes in what happens in channels, in the order of each channel, and knows how far it has come. Discord sends nothing again: what
 * was said while nobody listened, or could not be stored, is fetched from there, and goes the same way as what comes by itself.
 */

import { Routes, type APIMessage } from "discord-api-types/v10";
import { BobbinError } from "../../core/errors.ts";
import { growingMs, pause, untilAborted } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { markOfWhole, type ReadingMark, type ReadingMarks } from "../../core/ports/reading-marks.ts";
import type { DiscordApi } from "./api.ts";
import type { KnownChannel } from "./channels.ts";
import { DIRECT } from "./identity.ts";
import { KnownMarks, PLATFORM, type KnownMarksOptions } from "./known-marks.ts";
import type { Message } from "./parse.ts";
import type { Receive } from "./receive.ts";
import { isAfter, newerOf, previous, snowflakeAt } from "./snowflake.ts";

export interface ReaderDeps {
  readonly api: DiscordApi;
  readonly marks: ReadingMarks;
  readonly receive: Receive;
  /** Ends what is to be done in a guild that the bot has left. Rejects when that has to be done again. */
  leave(guild: string): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ReaderOptions extends Omit<KnownMarksOptions, "longestAgoMs"> {
  /** Events of one channel that may wait, for a store that is away; the rest is fetched later. Default 200. */
  readonly mostWaiting?: number;
  /** How old what was missed may be to be answered still, ms. Default one day. */
  readonly longestAgoMs?: number;
  /** Messages of one channel that are fetched at most. Default 1,000. */
  readonly mostMissed?: number;
}

const PAGE = 100;
/** So many channels are fetched at the same time. */
const AT_ONCE = 4;

interface Line {
  last: Promise<void>;
  waiting: number;
}

export class Reader {
  readonly #deps: ReaderDeps;
  readonly #options: Required<ReaderOptions>;
  readonly #stopping = new AbortController();
  readonly #lines = new Map<string, Line>();
  readonly #marks: KnownMarks;
  /** Channels that were fetched since the gateway was last entered anew: what comes now comes without a gap. */
  readonly #current = new Set<string>();
  /** Channels that are being fetched, and in which nothing was missed since that began. */
  readonly #fetched = new Set<string>();
  #fetching = 0;
  readonly #queue: (() => void)[] = [];

  constructor(deps: ReaderDeps, options: ReaderOptions) {
    this.#deps = deps;
    this.#options = { mostWaiting: 200, longestAgoMs: 86_400_000, mostMissed: 1_000, ...options };
    const forgotten = (channel: string): void => {
      this.#current.delete(channel);
      this.#fetched.delete(channel);
    };
    this.#marks = new KnownMarks({ ...deps, forgotten }, this.#options);
  }

  /** The gateway was entered anew, and whatever happened before that is not told. @returns the direct conversations, the newest first. */
  enter(): readonly ReadingMark[] {
    this.#current.clear();
    this.#fetched.clear();
    const direct = this.#marks.direct();
    for (const { channel } of direct) this.#catchUp(channel);
    return direct;
  }

  /**
   * The channels of a guild, as the gateway tells them: those with something new are fetched. What was said before the bot came there,
   * at this time, was not for it, whatever is known of an earlier stay; all that was said since is, whether or not somebody listened.
   */
  guild(guild: string, channels: readonly KnownChannel[], joinedMs: number): void {
    const marks = this.#marks;
    const joined = previous(snowflakeAt(joinedMs));
    const from = newerOf(marks.allKnown(guild), joined);
    let newestOfAll = newerOf(guild, from);
    for (const { id, kind, newest } of channels) {
      if (kind === "other") continue;
      newestOfAll = newerOf(newerOf(newest ?? id, id), newestOfAll);
      const seen = newerOf(marks.of(id)?.seen ?? from, joined);
      marks.move({ space: guild, channel: id, seen });
      if (newest !== undefined && isAfter(newest, seen)) this.#catchUp(id);
      else this.#current.add(id);
    }
    // Kept together with the marks of all of them, so that none of them is ever taken for one in which nothing was said.
    marks.move({ space: guild, channel: markOfWhole(guild), seen: newestOfAll });
  }

  /** Those in which somebody has listened, and that were not left since. */
  guilds(): readonly string[] {
    return this.#marks.guilds();
  }

  /** Discord itself cannot reach the guild: when it can again, what was said and not told is fetched. */
  away(guild: string): void {
    for (const { channel } of this.#marks.in(guild)) {
      this.#current.delete(channel);
      this.#fetched.delete(channel);
    }
  }

  /** The bot is not in the guild any more. Where it comes again it is as if nobody had ever listened there. */
  left(guild: string): void {
    this.#marks.forgetSpace(guild);
    const { leave, marks } = this.#deps;
    // The marks go last: as long as they are there, who listens next notices that it is left.
    const steps = [() => leave(guild), () => marks.drop(PLATFORM, this.#options.term, guild)];
    this.#enqueue(guild, async () => {
      // Asked before each try: while the store is away the bot may have come again.
      const unlessBack = (step: () => Promise<void>) => async () => {
        if (!this.#marks.has(guild)) await step();
      };
      for (const step of steps) if (!(await this.#take(unlessBack(step)))) return;
    });
  }

  /** A channel or thread that was made just now: whatever will be said in it is new. */
  made({ id, guild, kind }: KnownChannel): void {
    if (kind === "other" || guild === undefined || this.#marks.of(id) !== undefined) return;
    this.#marks.move({ space: guild, channel: id, seen: previous(id) });
    this.#current.add(id);
  }

  /** A message, as the gateway tells it. */
  message(message: Message, guild: string | undefined): void {
    const channel = message.channel_id;
    const space = guild ?? DIRECT;
    if (this.#marks.of(channel) === undefined) {
      const before = previous(message.id);
      // In a guild that nobody has told of it is not known either since when the bot is there.
      const isKnown = space === DIRECT || this.#marks.has(space);
      const all = isKnown ? this.#marks.allKnown(space) : before;
      const isNext = !isAfter(before, all);
      const mark = { space, channel, seen: isNext ? before : all };
      if (isNext) this.#current.add(channel);
      this.#marks.move(mark);
      // Before anything of it is taken in, so that a crash does not make it a channel that nobody knows.
      this.#enqueue(channel, async () => void (await this.#take(() => this.#marks.keep([mark]))));
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
      if (this.#current.has(channel)) this.#marks.move({ space, channel, seen: message.id });
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
    await this.#marks.stop();
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
    const mark = this.#marks.of(channel);
    if (mark === undefined) return;
    await this.#turn();
    this.#fetched.add(channel);
    try {
      const { log, receive } = this.#deps;
      const { mostMissed } = this.#options;
      const guild = mark.space === DIRECT ? undefined : mark.space;
      let after = newerOf(this.#marks.oldestMissed(), mark.seen);
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
          if (this.#marks.of(channel) === undefined) return;
          this.#marks.move({ ...mark, seen: message.id });
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
}
