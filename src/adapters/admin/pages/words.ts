/** Text of others: shown as it was written, in its own direction, and only so much of it at once. */

import { html } from "hono/html";
import { headOf } from "../../../core/text.ts";
import type { Markup } from "./layout.ts";

/** Letters of one piece on a page; the rest has a page of its own. */
const SHOWN = 6_000;

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${headOf(text, most)}…`;
}

/** @param whole where all of it is to be read. */
export function words(text: string, whole?: string): Markup {
  if (text.length <= SHOWN) return html`<div class="words" dir="auto">${text}</div>`;
  const length = text.length.toLocaleString("en");
  const rest = html`${length} letters; these are the first ${SHOWN.toLocaleString("en")}.`;
  return html`<div class="words" dir="auto">${cut(text, SHOWN)}</div>
    <p class="dim">${rest} ${whole === undefined ? "" : html`<a href="${whole}">All of it</a>`}</p>`;
}
