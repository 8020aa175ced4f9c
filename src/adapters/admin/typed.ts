/** What somebody typed into a form: read as a whole or not at all, and given back where it was not kept. */

import type { Context } from "hono";
import { isBlank } from "../../core/text.ts";
import { problemPage } from "./pages/layout.ts";
import { lostMarkup, type Lost } from "./pages/lost.ts";
import { ownPath } from "./pages/paths.ts";
import { shown, type Status } from "./shown.ts";

/** Letters of one text, as its field allows. */
const LONGEST = 4_000;
/** Fields that somebody writes sentences into. */
const FIELDS = ["text", "reason"] as const;

/** Undefined for none, and for one that is longer than 4,000 letters: nothing of it is left out silently. */
export async function textIn(c: Context, name: string): Promise<string | undefined> {
  const text = await typed(c, name);
  return text === undefined || text.length > LONGEST ? undefined : text;
}

/** Undefined where nothing was written. */
export async function lostIn(c: Context): Promise<Lost | undefined> {
  for (const name of FIELDS) {
    const text = await typed(c, name).catch(() => undefined);
    if (text !== undefined) return { text, back: formPageOf(c) };
  }
  return undefined;
}

/** One sentence, where a page cannot be shown or a form does nothing, with what was written into that. */
export async function problem(
  c: Context,
  title: string,
  sentence: string,
  status: Status,
): Promise<Response> {
  const lost = await lostIn(c);
  return shown(c, problemPage(title, sentence, lost === undefined ? "" : lostMarkup(lost)), status);
}

/** The page itself, or for a form the one that it stands on. */
export function pageOf(c: Context): string {
  if (c.req.method !== "GET") return formPageOf(c);
  const { pathname, search } = new URL(c.req.url);
  return `${pathname}${search}`;
}

function formPageOf(c: Context): string {
  const { pathname, search } = URL.parse(c.req.header("referer") ?? "") ?? { pathname: "", search: "" };
  return ownPath(`${pathname}${search}`);
}

async function typed(c: Context, name: string): Promise<string | undefined> {
  if (c.req.method !== "POST") return undefined;
  const given = (await c.req.parseBody())[name];
  // A browser sends each end of a line as two letters, and counts it as one.
  return typeof given !== "string" || isBlank(given) ? undefined : given.replaceAll("\r\n", "\n").trim();
}
