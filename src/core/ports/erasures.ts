/**
 * Erasing what people said, with proof. What is erased stands in no table any more; what is left says that something was there, who
 * erased it when and why, how many rows that were, and a hash of their ids.
 */

import type { SessionId } from "../thread.ts";
import type { Hold } from "./holds.ts";
import type { Person } from "./sign-ins.ts";

export type ErasedThing =
  | { readonly kind: "thread"; readonly subject: SessionId }
  /** The platform's id of somebody. */
  | { readonly kind: "person"; readonly subject: string };

/**
 * `all`: nothing of the thread is left. `person`: what one person said, and all that the bot and its model wrote, which may quote it.
 * `copied`: what a branch was begun with, and the same. `reactions`: the emoji that one person gave, where that is all that they did in the
 * thread; what others and the bot wrote stays, and what runs there goes on.
 */
export type Extent = "all" | "person" | "copied" | "reactions";

export interface ErasedThread {
  readonly session: SessionId;
  readonly extent: Extent;
  readonly doneAt?: number;
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>;
  /** SHA-256, hex, of the lines `table id` of all rows, sorted, each ended by a line break. */
  readonly digest?: string;
  /** What it waits for: a hold that was set since the erasure began. */
  readonly heldBack?: Hold;
}

export interface Erasure {
  readonly id: string;
  readonly thing: ErasedThing;
  readonly reason: string;
  /** Who asked for it. */
  readonly who: Person;
  readonly at: number;
  /** Absent while threads are left. */
  readonly doneAt?: number;
  readonly threads: readonly ErasedThread[];
}

export type Begun =
  | { readonly kind: "begun" }
  /** Nothing was changed. */
  | { readonly kind: "held"; readonly hold: Hold }
  /** Nothing of it is stored in the space. */
  | { readonly kind: "nothing" };

export interface Erasures {
  /** Durable when it resolves, with every thread that has something of it: whoever dies behind that leaves work that is taken up. */
  begin(id: string, thing: ErasedThing, reason: string, who: Person): Promise<Begun>;
  /**
   * Threads of it that are still to be erased and not held, also those that were branched off meanwhile. Nobody else takes it up for a
   * minute.
   */
  left(id: string): Promise<readonly SessionId[]>;
  /**
   * A stop as of now: what runs in the thread ends, and nothing that waits begins.
   * @returns false, and nothing is stopped, where the erasure takes only reactions out of it.
   */
  halt(id: string, session: SessionId): Promise<boolean>;
  /** Whether a run of the thread is under way. */
  isRunning(session: SessionId): Promise<boolean>;
  /**
   * One transaction that raises the fence, so that no attempt that is still alive writes anything back. Done twice it changes nothing more.
   * Nothing either where the thread is held by now.
   */
  erase(id: string, session: SessionId): Promise<void>;
  /** What stands beside the threads; then it is done. Nothing where threads are left. */
  finish(id: string): Promise<void>;
  /** Those that nobody has worked on for `idleMs`. */
  abandoned(idleMs: number, limit: number): Promise<readonly string[]>;
  /** Of a space, the newest first, without their threads. */
  list(
    space: Pick<Person, "platform" | "space">,
    limit: number,
  ): Promise<readonly Omit<Erasure, "threads">[]>;
  /** Undefined for one of another space. */
  get(space: Pick<Person, "platform" | "space">, id: string): Promise<Erasure | undefined>;
  /** Erasures that have taken something out of this thread, the newest first. */
  ofThread(session: SessionId): Promise<readonly Pick<Erasure, "id" | "at">[]>;
}
