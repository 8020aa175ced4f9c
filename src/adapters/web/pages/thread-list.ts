/** The threads at the left of every page. */

import { html } from "hono/html";
import type { WebThread } from "../../../core/ports/web-messages.ts";
import type { SessionId } from "../../../core/thread.ts";
import type { Markup } from "./markup.ts";

export function threadPath(session: SessionId): string {
  return `/threads/${encodeURIComponent(session)}`;
}

export function threadListMarkup(threads: readonly WebThread[], open: SessionId | undefined): Markup {
  if (threads.length === 0) return html`<li class="none">No threads yet.</li>`;
  const item = (thread: WebThread): Markup => {
    const current = thread.session === open ? html` aria-current="page"` : "";
    return html`<li>
      <a href="${threadPath(thread.session)}" ${current}
        ><bdi class="label">${thread.label}</bdi
        ><time datetime="${new Date(thread.at).toISOString()}" data-short></time
      ></a>
    </li>`;
  };
  return html`${threads.map(item)}`;
}
