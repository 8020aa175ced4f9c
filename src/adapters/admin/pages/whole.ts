/** One text, all of it. */

import { html } from "hono/html";
import type { SessionId } from "../../../core/thread.ts";
import type { Markup } from "./layout.ts";
import { threadPathOf } from "./paths.ts";

export function wholeBody(session: SessionId, title: string, text: string): Markup {
  return html`<p class="back"><a href="${threadPathOf(session)}">To the thread</a></p>
    <h1>${title}</h1>
    <p class="dim">${text.length.toLocaleString("en")} letters</p>
    <pre class="words" dir="auto" tabindex="0">${text}</pre>`;
}
