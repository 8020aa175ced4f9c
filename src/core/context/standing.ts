/** Which entries stand for the conversation: the newest summary in place of what it sums up, and nothing that is void. */

import type { AssistantEntry, ContextEntry, SummaryEntry } from "../entry.ts";
import { isBlank } from "../text.ts";

export interface Standing {
  readonly summary?: ContextEntry & { readonly body: SummaryEntry };
  /** Without summaries, entries that the summary stands for, and blank replies. */
  readonly entries: readonly ContextEntry[];
}

export function standingOf(all: readonly ContextEntry[]): Standing {
  const summary = all.findLast(isSummary);
  const entries = all.filter(({ seq, body }) => {
    if (body.kind === "summary") return false;
    if (body.kind === "assistant" && isBlankReply(body)) return false;
    return summary === undefined || seq === undefined || seq > summary.body.upTo;
  });
  return summary === undefined ? { entries } : { summary, entries };
}

/** No text, image or call: neither stored nor sent, since providers refuse a message without content. */
export function isBlankReply(reply: Pick<AssistantEntry, "text" | "calls" | "images" | "pictures">): boolean {
  const { text, calls, images = [], pictures = [] } = reply;
  return isBlank(text) && calls.length === 0 && images.length === 0 && pictures.length === 0;
}

/** Whether two user entries that follow each other were admitted together: then they are one user turn. */
export function isSameTurn(a: ContextEntry, b: ContextEntry): boolean {
  return a.run !== undefined && a.round !== undefined && a.run === b.run && a.round === b.round;
}

function isSummary(entry: ContextEntry): entry is ContextEntry & { readonly body: SummaryEntry } {
  return entry.body.kind === "summary";
}
