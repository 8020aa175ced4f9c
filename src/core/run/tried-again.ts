/** The reply that a retry is for: once it is tried again it says so, and has no button that would do it once more. */

import { documentOf } from "../reply/document.ts";
import { render } from "../reply/render.ts";
import type { ReplyView } from "../reply/view.ts";
import { growingMs, pause } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Pages } from "../ports/pages.ts";
import type { Fence, RunStore } from "../ports/run-store.ts";
import type { Surface } from "../ports/surface.ts";

export interface TriedAgainDeps {
  readonly store: Pick<RunStore, "triedAgain">;
  readonly pages: Pick<Pages, "list">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A button that is left standing does nothing but say that there is a newer answer. */
const TRIES = 5;

/**
 * Edits the last page with words of the reply before, and nothing else: what people deleted stays deleted. Done once more it changes
 * nothing. Never rejects.
 */
export async function markTriedAgain(
  deps: TriedAgainDeps,
  fence: Fence,
  { surface, view }: { readonly surface: Surface; readonly view: ReplyView },
  isLive: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  try {
    const before = await deps.store.triedAgain(fence);
    if (before === undefined) return;
    const posted = await deps.pages.list(before.run.id);
    const document = { ...documentOf(before.run, before.entries, before.outcome), isTriedAgain: true };
    const pages = render(document, surface.limits, view);
    // Files below it have no buttons.
    const at = pages.findLastIndex(({ file }) => file === undefined);
    const last = pages[at];
    const message = posted[at]?.message;
    // Where the platform had to be given other pages than these, theirs is left as it stands.
    if (last === undefined || message === undefined || posted.length !== pages.length) return;
    for (let tries = 0; tries < TRIES && isLive();) {
      const written = await surface.edit(message, last, isLive);
      if (written.kind !== "later" && written.kind !== "unknown") return;
      if (written.kind === "unknown" || written.isTurn !== true) tries++;
      const waitMs = written.kind === "later" ? written.afterMs : growingMs(tries - 1);
      if (!(await pause(deps.clock, waitMs, signal))) return;
    }
  } catch (error) {
    deps.log.warn("the reply that is tried again keeps its button", { run: fence.run, error });
  }
}
