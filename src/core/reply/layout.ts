/** The pages that a reply wants now. A long reply is laid out once for all its pages, and not for each of its writes. */

import type { ShownMask } from "../mask-shown.ts";
import type { PageContent } from "../ports/surface.ts";
import type { ReplyDocument } from "./document.ts";
import { masked } from "./masked.ts";
import type { PageFallback } from "./page-fallback.ts";
import { render } from "./render.ts";
import type { PageSize } from "./split.ts";
import type { ReplyView } from "./view.ts";

export interface LayoutOptions {
  readonly view: ReplyView;
  /** Absent where replies are shown as they come. */
  readonly mask?: ShownMask | undefined;
}

export interface Layout {
  /** The document as people may see it. */
  shownOf(document: ReplyDocument): ReplyDocument;
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
export function createLayout(fallback: PageFallback, { view, mask }: LayoutOptions): Layout {
  let seen: { readonly of: ReplyDocument; readonly shown: ReplyDocument } | undefined;
  let laidOut: LaidOut | undefined;

  function shownOf(document: ReplyDocument): ReplyDocument {
    if (mask === undefined) return document;
    if (seen?.of !== document) seen = { of: document, shown: masked(document, mask) };
    return seen.shown;
  }

  return {
    shownOf,
    pagesOf(document, forMs) {
      const { limits } = fallback;
      if (laidOut?.document !== document || laidOut.limits !== limits || laidOut.forMs !== forMs)
        laidOut = { document, limits, forMs, pages: render(shownOf(document), limits, view, forMs) };
      return fallback.apply(laidOut.pages);
    },
  };
}
