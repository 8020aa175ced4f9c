// A thread on a platform that shows what a person would see, and that refuses, loses and delays writes as told. It is
// strict: what a platform or a reader would punish is written down in `faults`.
import type { MayBegin, PageContent, Surface, SurfaceLimits, Written } from "../../src/core/ports/surface.ts";
import type { Urgency } from "../../src/core/ports/pacer.ts";
import { isBlank } from "../../src/core/text.ts";
import type { ManualClock } from "./manual-clock.ts";

/** What happens to one write. `afterMs`: the platform takes that long, and the write lands at the end of it. */
export type Reaction = (
  | { readonly kind: "ok" }
  /** `isTurn`: others come first; the platform hears of nothing. */
  | { readonly kind: "later"; readonly waitMs: number; readonly isTurn?: true }
  | { readonly kind: "too_long" }
  | { readonly kind: "refused" }
  /** Nobody may edit the newest message any more, and it is taken away. */
  | { readonly kind: "frozen" }
  /** The response is lost; `landed` says whether the write was done. */
  | { readonly kind: "unknown"; readonly landed: boolean }
) & { readonly afterMs?: number };

export interface FakeMessage {
  readonly id: string;
  readonly key: string;
  page: PageContent;
  isDeleted: boolean;
}

export interface FakeWrite {
  readonly kind: "post" | "edit" | "remove";
  readonly page?: PageContent;
  /** Ticks at which it began. */
  readonly at: number;
  readonly urgency: Urgency | undefined;
}

export interface FakeThreadOptions {
  readonly clock: ManualClock;
  /** UTF-16 units of markdown; 2,000 unless said. */
  readonly pageSize?: number;
  /** What the platform really takes; `pageSize` unless said. */
  readonly editSize?: number;
  /** 1,000 unless said. */
  readonly editEveryMs?: number;
  /** Whether a post with a known key answers with the first message, as Discord and the web chat do. */
  readonly mergesKeys?: boolean;
}

export class FakeThread implements Surface {
  readonly limits: SurfaceLimits;
  readonly messages: FakeMessage[] = [];
  readonly writes: FakeWrite[] = [];
  /** What a platform or a reader would punish. */
  readonly faults: string[] = [];
  /** Taken one per write, in order; then everything works. */
  readonly reactions: Reaction[] = [];
  /** Decides where `reactions` has nothing left. */
  react: (write: FakeWrite) => Reaction = () => ({ kind: "ok" });
  /** So many calls of `find` fail. */
  failingFinds = 0;
  isGone = false;
  /** How often a place in a line was given up. */
  left = 0;
  /** From now on every write is a fault. */
  isSettled = false;
  readonly #options: FakeThreadOptions;
  #inFlight = 0;
  #ids = 0;

  constructor(options: FakeThreadOptions) {
    this.#options = options;
    const { pageSize = 2000, editEveryMs = 1000 } = options;
    this.limits = { pageSize, editEveryMs, measure: (markdown) => markdown.length };
  }

  /** The pages that a person sees, in order. */
  visible(): PageContent[] {
    return this.messages.filter((message) => !message.isDeleted).map((message) => message.page);
  }

  /** Their text. */
  texts(): string[] {
    return this.visible().map((page) => page.markdown);
  }

  /** A person deletes the message that is shown at this place. */
  deleteShown(index: number): void {
    const message = this.messages.filter((candidate) => !candidate.isDeleted)[index];
    if (message !== undefined) message.isDeleted = true;
  }

  post(key: string, page: PageContent, mayBegin?: MayBegin, urgency?: Urgency): Promise<Written> {
    return this.#write(
      { kind: "post", page, at: this.#options.clock.ticks(), urgency },
      page,
      mayBegin,
      () => {
        const first = this.messages.find((message) => message.key === key);
        if (first !== undefined && this.#options.mergesKeys === true) {
          return first.isDeleted ? { kind: "gone", what: "message" } : { kind: "ok", message: first.id };
        }
        if (first !== undefined) this.faults.push(`posted twice: ${key}`);
        const id = `m${++this.#ids}`;
        this.messages.push({ id, key, page, isDeleted: false });
        return { kind: "ok", message: id };
      },
    );
  }

  edit(id: string, page: PageContent, mayBegin?: MayBegin, urgency?: Urgency): Promise<Written> {
    return this.#write(
      { kind: "edit", page, at: this.#options.clock.ticks(), urgency },
      page,
      mayBegin,
      () => {
        const message = this.messages.find((candidate) => candidate.id === id && !candidate.isDeleted);
        if (message === undefined) return { kind: "gone", what: "message" };
        if (page.markdown.length > (this.#options.editSize ?? Infinity)) return { kind: "too_long" };
        message.page = page;
        return { kind: "ok", message: id };
      },
    );
  }

  remove(id: string, mayBegin?: MayBegin, urgency?: Urgency): Promise<Written> {
    return this.#write(
      { kind: "remove", at: this.#options.clock.ticks(), urgency },
      undefined,
      mayBegin,
      () => {
        const message = this.messages.find((candidate) => candidate.id === id && !candidate.isDeleted);
        if (message === undefined) return { kind: "gone", what: "message" };
        message.isDeleted = true;
        return { kind: "ok", message: id };
      },
    );
  }

  leave(): void {
    this.left++;
  }

  async find(key: string): Promise<string | undefined> {
    if (this.failingFinds > 0) {
      this.failingFinds--;
      throw new Error("the platform is away");
    }
    return this.messages.find((message) => message.key === key && !message.isDeleted)?.id;
  }

  async #write(
    write: FakeWrite,
    page: PageContent | undefined,
    mayBegin: MayBegin | undefined,
    land: () => Written,
  ): Promise<Written> {
    // A platform may let a write wait past the end of the lease, and only who sends it knows when that is over.
    if (mayBegin === undefined) this.faults.push(`${write.kind} that may begin at any time`);
    if (this.#inFlight > 0) this.faults.push(`${write.kind} while another write is in flight`);
    if (this.isSettled) this.faults.push(`${write.kind} after the reply was settled`);
    if (
      page?.file === undefined &&
      isBlank(page?.markdown ?? "") &&
      page !== undefined &&
      page.status === undefined
    )
      this.faults.push("a blank page");
    this.writes.push(write);
    const reaction = this.reactions.shift() ?? this.react(write);
    this.#inFlight++;
    try {
      await this.#delay(reaction.afterMs ?? 0);
      return this.#answer(reaction, page, land);
    } finally {
      this.#inFlight--;
    }
  }

  #answer(reaction: Reaction, page: PageContent | undefined, land: () => Written): Written {
    if (this.isGone) return { kind: "gone", what: "thread" };
    if (page !== undefined && page.markdown.length > this.limits.pageSize) return { kind: "too_long" };
    switch (reaction.kind) {
      case "ok":
        return land();
      case "later":
        return {
          kind: "later",
          afterMs: reaction.waitMs,
          ...(reaction.isTurn === undefined ? {} : { isTurn: reaction.isTurn }),
        };
      case "too_long":
        return { kind: "too_long" };
      case "frozen": {
        const newest = this.messages.findLast(({ isDeleted }) => !isDeleted);
        if (newest !== undefined) newest.isDeleted = true;
        return { kind: "gone", what: "frozen" };
      }
      case "refused":
        return { kind: "refused", why: "invalid_blocks" };
      case "unknown":
        if (reaction.landed) land();
        return { kind: "unknown", why: "socket closed" };
      default:
        return reaction satisfies never;
    }
  }

  #delay(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#options.clock.after(ms, resolve));
  }
}
