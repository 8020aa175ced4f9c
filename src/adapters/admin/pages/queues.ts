/** What there is to look through, above each of its lists. */

import { html } from "hono/html";
import type { Queue } from "../../../core/ports/overviews.ts";
import type { Markup } from "./layout.ts";

export type QueueName = Queue | "all" | "refusals" | "mine";

const QUEUES: readonly (readonly [QueueName, string, string])[] = [
  ["all", "All threads", "/admin/"],
  ["failures", "Failures", "/admin/?queue=failures&unreviewed=1"],
  ["refusals", "Refusals", "/admin/refusals"],
  ["sample", "1 % of the rest", "/admin/?queue=sample&unreviewed=1"],
  ["mine", "Mine", "/admin/?mine=1"],
];

export function queues(current: QueueName | undefined): Markup {
  return html`<nav class="sides" aria-label="To look through">
    ${QUEUES.map(
      ([name, title, path]) =>
        html`<a href="${path}" ${name === current ? html`aria-current="true"` : ""}>${title}</a>`,
    )}
  </nav>`;
}
