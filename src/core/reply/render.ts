/** Lays a reply out as pages. Deterministic: the same document, limits and view give the same pages. */

import type { PageContent } from "../ports/surface.ts";
import { formatDuration } from "../measure.ts";
import type { ReplyDocument } from "./document.ts";
import { blankNotice, buttonsOf, explanationOf, footerOf, isTrouble, offerOf } from "./ending.ts";
import { FILE_BELOW, FILE_FOLLOWS, filePage, firstPartOf } from "./first-part.ts";
import { closeFence, heal } from "./heal.ts";
import { saysNothing } from "./markdown-tree.ts";
import { missingNotice, picturePages, picturesOnly } from "./picture-pages.ts";
import { split, type PageSize } from "./split.ts";
import { withoutSteering } from "./steering-signs.ts";
import { lineBelow } from "./line-below.ts";
import { doingOf, stepLines, STEPS_ROOM } from "./step-lines.ts";
import { DEFAULT_VIEW, type ReplyView } from "./view.ts";

/**
 * At least one page, and no blank one: where there is no text there is a status or a notice. None of a run that ended quietly.
 * @param forMs how long it does what it does, where that is worth saying.
 */
export function render(
  document: ReplyDocument,
  limits: PageSize,
  view: ReplyView = DEFAULT_VIEW,
  forMs?: number,
): readonly PageContent[] {
  const within = withStepsRoom(limits, view);
  return document.outcome === undefined
    ? renderRunning(document, within, view, forMs)
    : renderSettled(document, within, view);
}

/** The same for the whole run, so that no cut moves when a step comes. */
function withStepsRoom(limits: PageSize, { verbosity }: ReplyView): PageSize {
  if (verbosity === "quiet") return limits;
  const { pageSize, measure, mostPages, footerSize, refused } = limits;
  return {
    ...(refused === undefined ? {} : { refused }),
    ...(mostPages === undefined ? {} : { mostPages }),
    ...(footerSize === undefined ? {} : { footerSize }),
    pageSize: Math.max(Math.ceil(pageSize / 2), pageSize - STEPS_ROOM),
    measure: (markdown) => measure(markdown),
  };
}

/**
 * One line on what goes on, and that what people wrote meanwhile was taken in. Never what the model thinks, nor what a tool is
 * called or was given.
 */
export function statusOf(document: ReplyDocument, doing?: ReplyView["doing"], forMs?: number): string {
  const { activity, joined } = document;
  const doingNow = doingOf(document, doing) ?? (activity.kind === "writing" ? "Writing" : "Thinking");
  return [
    doingNow,
    ...(forMs === undefined ? [] : [formatDuration(forMs)]),
    ...(joined === 0 ? [] : [`${joined} new ${joined === 1 ? "message" : "messages"} taken in`]),
  ].join(" · ");
}

function renderRunning(
  document: ReplyDocument,
  limits: PageSize,
  view: ReplyView,
  forMs: number | undefined,
): readonly PageContent[] {
  const first = firstPartOf(split(textOf(document), limits), limits);
  if (first.isCut) {
    const status = `${statusOf(document, view.doing, forMs)} · ${FILE_FOLLOWS}`;
    return first.pages.map((markdown, index) =>
      index < first.pages.length - 1
        ? { markdown, buttons: [] }
        : { markdown, ...stepsOf(document, view), status, buttons: buttonsOf(document, view) },
    );
  }
  const pages = [...first.pages];
  const last = pages.pop();
  // Healing looks at the last page alone, so that the marks it adds never move a cut before it.
  const healed = last === undefined ? "" : healWithin(last, limits);
  if (healed !== "" || pages.length === 0) pages.push(healed);
  return pages.map((markdown, index) =>
    index < pages.length - 1
      ? { markdown, buttons: [] }
      : {
          markdown,
          ...(view.saysUnhealed === true ? { unhealed: last ?? "" } : {}),
          ...stepsOf(document, view),
          status: statusOf(document, view.doing, forMs),
          buttons: buttonsOf(document, view),
        },
  );
}

function renderSettled(document: ReplyDocument, limits: PageSize, view: ReplyView): readonly PageContent[] {
  const { outcome } = document;
  if (outcome === undefined || outcome.isQuiet) return [];
  const { why = "", next = "" } = explanationOf(document, outcome);
  const said = textOf(document);
  const offer = offerOf(document)?.markdown;
  // An answer that the model ended itself is shown as it wrote it; one that broke off stays half-written for ever.
  const whole = outcome.reason === "stop" || outcome.reason === "waiting" ? said : heal(said);
  const text = [whole, offer ?? ""].filter((part) => !saysNothing(part)).join("\n\n");
  const explanation = [why, next].filter((part) => part !== "").join(" ");
  const isEmpty = saysNothing(text);
  const { pages: images, missing } = picturePages(document, limits.refused);
  const instead = images.length === 0 ? blankNotice(document) : picturesOnly(images.length);
  const first = firstPartOf(split(isEmpty ? explanation || instead : text, limits), limits);
  const { isCut } = first;
  // What a button takes up is shown, however long the answer is.
  const pages =
    isCut && offer !== undefined
      ? [...firstPartOf(split(whole, limits), limits).pages, ...split(offer, limits)]
      : first.pages;
  const below = {
    file: isCut ? FILE_BELOW : "",
    missing: isEmpty && images.length === 0 && explanation === "" ? "" : missingNotice(missing),
    notice: document.notice ?? "",
    // Where nothing else is said it stands in the answer's place.
    ...(isEmpty ? { why: "", next: "" } : { why, next }),
    goal: outcome.goal ?? "",
    took: footerOf(document, outcome, view.footer),
  };
  const footer = lineBelow(below, limits.footerSize);
  const shown = pages.map((markdown, index): PageContent =>
    index < pages.length - 1
      ? { markdown, buttons: [] }
      : {
          markdown,
          ...stepsOf(document, view),
          ...(footer === "" ? {} : { footer }),
          ...(isTrouble(document) ? { isTrouble: true } : {}),
          buttons: buttonsOf(document, view),
        },
  );
  return [...shown, ...(isCut ? [filePage(document.run, text)] : []), ...images];
}

function stepsOf(document: ReplyDocument, view: ReplyView): Pick<PageContent, "steps"> {
  const steps = stepLines(document, view);
  return steps.length === 0 ? {} : { steps };
}

/** The rounds as paragraphs; a fence that one of them left open does not swallow the next. */
function textOf(document: ReplyDocument): string {
  const texts = document.rounds.map((round) =>
    withoutSteering(round.text)
      .replace(/^(?:[ \t]*\n)+/, "")
      .trimEnd(),
  );
  const shown = texts.filter((text) => !saysNothing(text));
  const isWriting = document.outcome === undefined && document.current !== 0;
  return shown
    .map((text, index) => (isWriting && index === shown.length - 1 ? text : closeFence(text)))
    .join("\n\n");
}

/** Healed, and shortened by words where the marks that were added find no room. */
function healWithin(page: string, limits: PageSize): string {
  let text = page;
  for (;;) {
    const healed = heal(text);
    if (limits.measure(healed) <= limits.pageSize) return healed;
    const shorter = text.trimEnd().replace(/\s*\S+$/, "");
    if (shorter === "" || shorter === text) return page;
    text = shorter;
  }
}
