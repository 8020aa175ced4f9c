/** Rows of the pages of replies: written before the post, so that a lost response never doubles a page. */

import type { Fence } from "./run-store.ts";
import type { RunId } from "../ids.ts";

export interface PageRow {
  readonly run: RunId;
  /** From 0, in reading order. */
  readonly index: number;
  /** What the post carries, so that it can be found again; the same for every try. */
  readonly key: string;
  /** The platform's id of the message; absent while a post was begun and its outcome is not known. */
  readonly message?: string;
}

export interface Pages {
  list(run: RunId): Promise<readonly PageRow[]>;
  /** Inserts or replaces the row `(run, index)`. Rejects with `stale_fence`. */
  put(fence: Fence, page: PageRow): Promise<void>;
  /** Removes the row, after its message was deleted. Rejects with `stale_fence`. */
  remove(fence: Fence, index: number): Promise<void>;
}
