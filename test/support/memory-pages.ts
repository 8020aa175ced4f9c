// Page rows in memory, fenced like the real ones.
import { BobbinError } from "../../src/core/errors.ts";
import type { PageRow, Pages } from "../../src/core/ports/pages.ts";
import type { Fence } from "../../src/core/ports/run-store.ts";

export class MemoryPages implements Pages {
  /** The newest fence; an older one may not write. */
  newestFence = 0;
  /** So many writes fail as if the store were away. */
  failingWrites = 0;
  readonly #rows = new Map<string, PageRow>();

  async list(run: PageRow["run"]): Promise<readonly PageRow[]> {
    return [...this.#rows.values()].filter((row) => row.run === run).sort((a, b) => a.index - b.index);
  }

  async put(fence: Fence, page: PageRow): Promise<void> {
    this.#check(fence);
    this.#rows.set(`${page.run} ${page.index}`, page);
  }

  async remove(fence: Fence, index: number): Promise<void> {
    this.#check(fence);
    this.#rows.delete(`${fence.run} ${index}`);
  }

  #check(fence: Fence): void {
    if (this.failingWrites > 0) {
      this.failingWrites--;
      throw new BobbinError("store_unavailable", "the store is away", { retryable: true });
    }
    if (fence.number < this.newestFence)
      throw new BobbinError("stale_fence", "another attempt has taken over");
    this.newestFence = fence.number;
  }
}
