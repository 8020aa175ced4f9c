/** A page as an answer: never kept by a browser or by anything in between. */

import type { Context } from "hono";
import type { Markup } from "./pages/layout.ts";

export type Status = 200 | 400 | 401 | 403 | 404 | 409 | 429 | 500 | 503;

export function shown(c: Context, markup: Markup, status: Status = 200): Response | Promise<Response> {
  c.header("Cache-Control", "no-store, private");
  return c.html(markup, status);
}
