/** What somebody wrote and was not kept: shown again, to be copied. */

import { html } from "hono/html";
import type { Markup } from "./layout.ts";

export interface Lost {
  readonly text: string;
  /** The page that its form stands on. */
  readonly back: string;
}

export function lostMarkup({ text, back }: Lost): Markup {
  return html`<p>
      What you wrote was not kept. Copy it, and go back
      <a href="${back}">to the page that you wrote it on</a>.
    </p>
    <textarea readonly rows="8" aria-label="What you wrote">${text}</textarea>`;
}
