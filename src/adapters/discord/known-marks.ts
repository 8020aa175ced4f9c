/**
 * How far each channel was read, as who listens knows it: held in memory, and kept in the store soon after. Where nothing is known of a
 * channel it says from when on what was said there is ours to answer.
 */

import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { markOfWhole, type ReadingMark, type ReadingMarks } from "../../core/ports/reading-marks.ts";
import { DIRECT } from "./identity.ts";
import { isAfter, previous, snowflakeAt } from "./snowflake.ts";

export interface KnownMarksDeps {
  readonly marks: Pick<ReadingMarks, "move">;
  /** Nothing is known of the channel any more. */
  forgotten(channel: string): void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface KnownMarksOptions {
  /** Of this reader; marks of an earlier one are refused. */
  readonly term: number;
  readonly known: readonly ReadingMark[];
  /** When somebody listened for the first time, ms: what was said before was said to nobody. */
  readonly sinceMs: number;
  /** Whether the lease of the one who listens still holds. */
  isLive(): boolean;
  /** How old what was missed may be to be answered still, ms. */
  readonly longestAgoMs: number;
}

export const PLATFORM = "discord";
/** How long marks may lag behind: what is read again is known by the ledger. */
const FLUSH_MS = 1_000;
/** Direct conversations are asked one by one, so only those of the last month, and the newest of them. */
const DIRECT_AGO_MS = 30 * 86_400_000;
const MOST_DIRECT = 300;
/** Marks that are held in memory: far more than channels in which something happens in a day. */
const MOST_KNOWN = 50_000;

/** Marks that are older are of no use: what was missed is fetched only from the last day, and direct conversations of the last month. */
export function sinceOf(now: number): string {
  return snowflakeAt(now - DIRECT_AGO_MS);
}

export class KnownMarks {
  readonly #deps: KnownMarksDeps;
  readonly #options: KnownMarksOptions;
  readonly #seen = new Map<string, ReadingMark>();
  readonly #dirty = new Set<string>();
  /** Guilds, and all direct conversations together, of which something is known. */
  readonly #spaces = new Set<string>();
  #cancelFlush: (() => void) | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(deps: KnownMarksDeps, options: KnownMarksOptions) {
    this.#deps = deps;
    this.#options = options;
    for (const mark of options.known) {
      this.#seen.set(mark.channel, mark);
      this.#spaces.add(mark.space);
    }
  }

  of(channel: string): ReadingMark | undefined {
    return this.#seen.get(channel);
  }

  /** Those of a guild, and the guild's own. */
  in(space: string): readonly ReadingMark[] {
    return [...this.#seen.values()].filter((mark) => mark.space === space);
  }

  /** The direct conversations that are worth asking, the newest first. */
  direct(): readonly ReadingMark[] {
    const since = sinceOf(this.#deps.clock.now());
    return this.in(DIRECT)
      .filter(({ seen }) => isAfter(seen, since))
      .sort((a, b) => (isAfter(a.seen, b.seen) ? -1 : 1))
      .slice(0, MOST_DIRECT);
  }

  /** Those in which somebody has listened, and that were not left since. */
  guilds(): readonly string[] {
    return [...this.#spaces].filter((space) => space !== DIRECT);
  }

  has(space: string): boolean {
    return this.#spaces.has(space);
  }

  /** What was said before that is not answered any more, or was said to nobody. */
  oldestMissed(): string {
    const { sinceMs, longestAgoMs } = this.#options;
    const now = this.#deps.clock.now();
    return previous(snowflakeAt(Math.max(sinceMs, now - longestAgoMs)));
  }

  /**
   * Up to here every channel of the space has a mark of its own: in one without, all that was said later may be missing. That is said
   * by the list of channels that the gateway tells, and by nothing that was heard: who is thrown out of the gateway before it has told
   * the list may have heard of one channel and not of the others. Of direct conversations there is no list.
   */
  allKnown(space: string): string {
    return this.#seen.get(markOfWhole(space))?.seen ?? this.oldestMissed();
  }

  /** Never backwards. */
  move(mark: ReadingMark): void {
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

  forgetSpace(space: string): void {
    for (const { channel } of this.in(space)) this.#forget(channel);
    this.#spaces.delete(space);
  }

  /** @returns false where another process listens by now. Rejects when the store is away. */
  async keep(marks: readonly ReadingMark[]): Promise<void> {
    if (await this.#deps.marks.move(PLATFORM, this.#options.term, marks)) return;
    this.#deps.log.info("another process listens to Discord; what this one has read no longer counts");
  }

  /** Keeps how far it has come; nothing moves after it. May be called twice. */
  async stop(): Promise<void> {
    this.#cancelFlush?.();
    await this.#flush();
  }

  /** What is forgotten here is still kept in the store, and was heard. */
  #forgetOldest(): void {
    const [oldest] = this.#seen.keys();
    if (this.#seen.size <= MOST_KNOWN || oldest === undefined || this.#dirty.has(oldest)) return;
    this.#forget(oldest);
  }

  #forget(channel: string): void {
    this.#seen.delete(channel);
    this.#dirty.delete(channel);
    this.#deps.forgotten(channel);
  }

  async #flush(): Promise<void> {
    await this.#flushing.catch(() => undefined);
    const moved = [...this.#dirty].flatMap((channel) => this.#seen.get(channel) ?? []);
    if (moved.length === 0 || !this.#options.isLive()) return;
    this.#dirty.clear();
    try {
      await this.keep(moved);
    } catch (error) {
      this.#deps.log.warn("it could not be kept how far Discord was read", { error });
      for (const { channel } of moved) this.#dirty.add(channel);
    }
  }
}
