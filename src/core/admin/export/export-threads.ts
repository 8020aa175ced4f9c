/** Everything that an export holds, thread by thread, as somebody reads it: nothing is asked before it is wanted. */

import { pause } from "../../pause.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Exports } from "../../ports/exports.ts";
import type { Overview, OverviewFilter, Space } from "../../ports/overviews.ts";
import type { SessionId } from "../../thread.ts";
import { TooBusy } from "../too-busy.ts";
import type { ExportItem, Mask } from "./items.ts";
import { itemsOf, type Ask } from "./thread-items.ts";

/** What is to be exported: one thread that its viewer has opened, or what a filter finds. */
export type ExportScope =
  | { readonly kind: "thread"; readonly overview: Overview }
  | {
      readonly kind: "filter";
      readonly filter: OverviewFilter;
      /** Whether a thread that needs a reason is in it. One that is left out is only counted. */
      readonly includes: (overview: Overview) => boolean;
    };

/** How far it is. */
export interface ExportCounts {
  threads: number;
  leftOut: number;
  items: number;
}

export interface ExportDeps {
  readonly exports: Exports;
  readonly clock: Clock;
  readonly mask: Mask;
}

const AT_ONCE = 50;
/** Searches come first: an export asks again for so long. */
const TRIES = 60;
const AGAIN_MS = 1_000;

/**
 * @param before each thread, before anything of it. @throws TooBusy where the store is too busy for a minute, or one question takes too
 * long; and whatever `before` and the signal throw.
 */
export async function* exportThreads(
  { exports, clock, mask }: ExportDeps,
  space: Space,
  scope: ExportScope,
  options: {
    readonly counts: ExportCounts;
    readonly signal: AbortSignal;
    readonly before: (overview: Overview) => Promise<void>;
  },
): AsyncGenerator<ExportItem, void, undefined> {
  const { counts, signal, before } = options;

  const ask: Ask = async (question) => {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        return await question();
      } catch (error) {
        if (!(error instanceof TooBusy) || tries >= TRIES) throw error;
      }
      await pause(clock, AGAIN_MS, signal);
    }
  };

  async function* one(overview: Overview): AsyncGenerator<ExportItem, void, undefined> {
    await before(overview);
    for await (const item of itemsOf(exports, overview, ask, mask)) {
      signal.throwIfAborted();
      counts.items += 1;
      yield item;
    }
    counts.threads += 1;
  }

  if (scope.kind === "thread") return yield* one(scope.overview);
  let after: SessionId | undefined;
  while (true) {
    const mark = after === undefined ? {} : { after };
    const page = await ask(() => exports.threads(space, scope.filter, { ...mark, limit: AT_ONCE }));
    for (const overview of page) {
      if (scope.includes(overview)) yield* one(overview);
      else counts.leftOut += 1;
    }
    after = page.at(-1)?.session;
    if (page.length < AT_ONCE || after === undefined) return;
  }
}
