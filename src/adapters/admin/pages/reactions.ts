/** The emoji that people gave to a message: each with who and when, and what was taken back struck through and said in words. */

import { html } from "hono/html";
import type { ReviewedReaction } from "../../../core/ports/review.ts";
import { apart } from "./apart.ts";
import { moment, type Markup } from "./layout.ts";

/** @param pages the messages of an answer: of several it is said to which one it was. */
export function reactionsMarkup(
  reactions: readonly ReviewedReaction[],
  pages: readonly string[] = [],
): Markup | "" {
  if (reactions.length === 0) return "";
  return html`<ul class="reactions" aria-label="Reactions">
    ${reactions.map((reaction) => one(reaction, pages))}
  </ul>`;
}

function one(
  { message, person, name, emoji, at, takenAt }: ReviewedReaction,
  pages: readonly string[],
): Markup {
  const page = pages.length > 1 ? pages.indexOf(message) + 1 : 0;
  const given = html`${apart(emoji)} ${apart(name)}`;
  return html`<li
    class="reaction ${takenAt === undefined ? "" : "taken"}"
    title="${name} (${person}): ${emoji}"
  >
    ${takenAt === undefined ? given : html`<s>${given}</s>`}
    ${page === 0 ? "" : html`to page ${page} `}${moment(at)}${
      takenAt === undefined ? "" : html`, taken back ${moment(takenAt)}`
    }
  </li>`;
}
