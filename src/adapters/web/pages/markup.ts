/** Pieces of a page: templates of `hono/html`, which escape every value that is not a piece itself. */

import type { html } from "hono/html";

export type Markup = ReturnType<typeof html>;

/** The finished text of a piece. */
export async function textOf(markup: Markup): Promise<string> {
  return String(await markup);
}
