/** Lays a reply out as pages. Deterministic: the same document, limits and view give the same pages. */

import type { PageContent } from "../ports/surface.ts";
import { isBlank } from "../text.ts";
import type { Activity, ReplyDocument } from "./document.ts";
import { blankNotice, buttonsOf, costLine, explanationOf, isTrouble } from "./ending.ts";
import { FILE_BELOW, FILE_FOLLOWS, filePage, firstPartOf } from "./first-part.ts";
import { closeFence, heal } from "./heal.ts";
import { split, type PageSize } from "./split.ts";

/** What a channel wants to see. */
export interface ReplyView {
  /** Time, tokens and cost below a settled reply. Why it ended is always said. */
  readonly cost: boolean;
}

export const DEFAULT_VIEW: ReplyView = { cost: true };

/** At least one page, and no blank one: where there is no text there is a status or a notice. */
export function render(
  document: ReplyDocument,
  limits: PageSize,
  view: ReplyView = DEFAULT_VIEW,
): readonly PageContent[] {
  return document.outcome === undefined
    ? renderRunning(document, limits)
    : renderSettled(document, limits, view);
}

/**
 * One line on what goes on, and that what people wrote meanwhile was taken in. Never what the model thinks, and no more than
 * three names of tools.
 */
export function statusOf({ activity, joined }: Pick<ReplyDocument, "activity" | "joined">): string {
  if (joined === 0) return doingOf(activity);
  return `${doingOf(activity)} · ${joined} new ${joined === 1 ? "message" : "messages"} taken in`;
}

function doingOf(activity: Activity): string {
  switch (activity.kind) {
    case "thinking":
      return "Thinking";
    case "writing":
      return "Writing";
    case "tools": {
      const names = [...new Set(activity.running.map((tool) => tool.name))];
      if (names.length === 0) return "Thinking";
      const shown = names.slice(0, 3).join(", ");
      return names.length > 3 ? `Using ${shown} and ${names.length - 3} more` : `Using ${shown}`;
    }
    default:
      return activity satisfies never;
  }
}

function renderRunning(document: ReplyDocument, limits: PageSize): readonly PageContent[] {
  const first = firstPartOf(split(textOf(document), limits), limits);
  if (first.isCut) {
    const status = `${statusOf(document)} · ${FILE_FOLLOWS}`;
    return first.pages.map((markdown, index) =>
      index < first.pages.length - 1
        ? { markdown, buttons: [] }
        : { markdown, status, buttons: buttonsOf(document) },
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
      : { markdown, status: statusOf(document), buttons: buttonsOf(document) },
  );
}

function renderSettled(document: ReplyDocument, limits: PageSize, view: ReplyView): readonly PageContent[] {
  const { outcome } = document;
  if (outcome === undefined) return [];
  const { why, next } = explanationOf(document, outcome);
  const said = textOf(document);
  // An answer that the model ended itself is shown as it wrote it; one that broke off stays half-written for ever.
  const text = outcome.reason === "stop" || outcome.reason === "waiting" ? said : heal(said);
  const explanation = [why, next].filter((part) => part !== undefined).join(" ");
  const isEmpty = isBlank(text);
  const { pages, isCut } = firstPartOf(
    split(isEmpty ? explanation || blankNotice(document) : text, limits),
    limits,
  );
  const footer = [
    isCut ? FILE_BELOW : "",
    document.notice ?? "",
    isEmpty ? "" : explanation,
    outcome.goal ?? "",
    view.cost ? costLine(document, outcome) : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
  const shown = pages.map((markdown, index): PageContent =>
    index < pages.length - 1
      ? { markdown, buttons: [] }
      : {
          markdown,
          ...(footer === "" ? {} : { footer }),
          ...(isTrouble(document) ? { isTrouble: true } : {}),
          buttons: buttonsOf(document),
        },
  );
  return isCut ? [...shown, filePage(document.run, text)] : shown;
}

/** The rounds as paragraphs; a fence that one of them left open does not swallow the next. */
function textOf(document: ReplyDocument): string {
  const texts = document.rounds.map((round) =>
    round.text
      .replaceAll("\r\n", "\n")
      .replace(/^(?:[ \t]*\n)+/, "")
      .trimEnd(),
  );
  const shown = texts.filter((text) => !isBlank(text));
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
