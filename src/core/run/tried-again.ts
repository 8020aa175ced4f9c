/** The reply that a retry is for: once it is tried again it says so, and has no button that would do it once more. */

import { documentOf } from "../reply/document.ts";
import { isCutAs } from "../reply/laid-out-as.ts";
import { render } from "../reply/render.ts";
import type { PageSize } from "../reply/split.ts";
import type { ReplyView } from "../reply/view.ts";
import { growingMs, pause } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { PageRow, Pages } from "../ports/pages.ts";
import type { EndedRun, Fence, RunStore } from "../ports/run-store.ts";
import type { PageContent, Surface } from "../ports/surface.ts";

export interface TriedAgainDeps {
  readonly store: Pick<RunStore, "triedAgain">;
  readonly pages: Pick<Pages, "list">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A button that is left standing does nothing but say that there is a newer answer. */
const TRIES = 5;

/**
 * Edits the last page with words of the reply before, and nothing else: what people deleted stays deleted. Where that page is not known
 * to be the one that stands there, it is left, button and all: no word may be lost or stand twice for a button. Done once more it changes
 * nothing. Never rejects.
 * @param view as of today. How much of the steps is shown holds where it is not known how much stands there.
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
    const marked = markedPage(before, posted, surface.limits, view);
    if (marked === undefined) return;
    const { message, page } = marked;
    for (let tries = 0; tries < TRIES && isLive();) {
      const written = await surface.edit(message, page, isLive);
      if (written.kind !== "later" && written.kind !== "unknown") return;
      if (written.kind === "unknown" || written.isTurn !== true) tries++;
      const waitMs = written.kind === "later" ? written.afterMs : growingMs(tries - 1);
      if (!(await pause(deps.clock, waitMs, signal))) return;
    }
  } catch (error) {
    deps.log.warn("the reply that is tried again keeps its button", { run: fence.run, error });
  }
}

interface MarkedPage {
  readonly message: string;
  readonly page: PageContent;
}

/** The last page with words, with which it says that it is tried again; undefined where another one may stand there. */
function markedPage(
  { run, entries, outcome, laidOut }: EndedRun,
  posted: readonly PageRow[],
  limits: PageSize,
  today: ReplyView,
): MarkedPage | undefined {
  const view = laidOut === undefined ? today : { ...today, verbosity: laidOut.verbosity };
  const document = documentOf(run, entries, outcome);
  const pages = render({ ...document, isTriedAgain: true }, limits, view);
  // Files below it have no buttons.
  const at = pages.findLastIndex(({ file }) => file === undefined);
  const page = pages[at];
  const message = posted[at]?.message;
  if (page === undefined || message === undefined || posted.length !== pages.length) return undefined;
  // A single page has all the words, however it was laid out.
  if (pages.length === 1) return { message, page };
  if (laidOut === undefined) return undefined;
  const stood = render(document, limits, view);
  const isKnown =
    isCutAs(stood, laidOut) && pages.slice(0, at).every(({ markdown }, n) => markdown === stood[n]?.markdown);
  return isKnown ? { message, page } : undefined;
}
