/** Answers to commands that only the one who asked sees, until they are told. */

import type { InboundId } from "../ids.ts";
import type { Platform } from "../thread.ts";

export interface OwedAnswer {
  /** The command's identity: the same for every delivery of it. */
  readonly command: InboundId;
  readonly platform: Platform;
  readonly space: string;
  /** Where the platform wants it, in its adapter's words. It may open a door there: it belongs in no log. */
  readonly place: string;
  /** Markdown; empty where the adapter has kept with the place what is to be done for it first. */
  readonly text: string;
}

export interface Answers {
  /**
   * Durable when it resolves, which has to be before the command is acknowledged. True for the first delivery of a command:
   * whoever hears it tells the answer. For every later one nothing changes.
   * @param againAfterMs so long after it was owed, the same is owed once more.
   */
  owe(answer: OwedAnswer, againAfterMs?: number): Promise<boolean>;
  /** It is told, or never can be: that it was owed stays known, where and what is forgotten. */
  told(command: InboundId): Promise<void>;
  /**
   * Those of one space, or of all spaces of the platform, that nobody set out to tell for `idleMs`, since whoever wanted to died or
   * could not; the oldest first. Whoever hears of them tells them, and no one else hears of them for as long. What is older than
   * `keptMs` is of no use any more: where it was wanted is forgotten then, as if it were told.
   */
  untold(
    platform: Platform,
    space: string | undefined,
    options: { readonly idleMs: number; readonly keptMs: number; readonly limit: number },
  ): Promise<readonly OwedAnswer[]>;
}
