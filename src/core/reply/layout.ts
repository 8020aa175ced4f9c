/** The pages that a reply wants now. A long reply is laid out once for all its pages, and not for each of its writes. */

import type { PageContent } from "../ports/surface.ts";
import type { ReplyDocument } from "./document.ts";
import type { PageFallback } from "./page-fallback.ts";
import { render } from "./render.ts";
import type { PageSize } from "./split.ts";
import type { ReplyView } from "./view.ts";

export interface Layout {
  /** @param forMs how long it does what it does, where that is worth saying. */
  pagesOf(document: ReplyDocument, forMs: number | undefined): readonly PageContent[];
}

/** What was laid out last, and what of. */
interface LaidOut {
  readonly document: ReplyDocument;
  readonly limits: PageSize;
  readonly forMs: number | undefined;
  readonly pages: readonly PageContent[];
}

/** @param fallback says what is shown where the platform does not take a page. */
export function createLayout(fallback: PageFallback, view: ReplyView): Layout {
  let laidOut: LaidOut | undefined;
  return {
    pagesOf(document, forMs) {
      const { limits } = fallback;
      if (laidOut?.document !== document || laidOut.limits !== limits || laidOut.forMs !== forMs)
        laidOut = { document, limits, forMs, pages: render(document, limits, view, forMs) };
      return fallback.apply(laidOut.pages);
    },
  };
}
