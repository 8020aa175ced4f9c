/** What somebody is called, and other words of theirs on a line of ours. */

import { html } from "hono/html";
import { withinItself } from "../../../core/reply/steering-signs.ts";

/** Set apart: it finds its own direction and turns nothing around that stands beside it, which the element alone does not keep it from. */
export function apart(text: string): ReturnType<typeof html> {
  return html`<bdi>${withinItself(text)}</bdi>`;
}
