/** The list of threads: newest first, filtered, searched. */

import type { Hono } from "hono";
import type { ReadAddress } from "../../core/admin/linked.ts";
import type { Channels } from "../../core/admin/channels.ts";
import { wantedIn } from "../../core/admin/words.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { HitMark, Mark, Overviews } from "../../core/ports/overviews.ts";
import type { Remarks } from "../../core/ports/remarks.ts";
import { toSessionId } from "../../core/thread.ts";
import { aroundOf } from "./around.ts";
import { aboutOf, filterIn } from "./filter.ts";
import { page } from "./pages/layout.ts";
import { threadPathOf } from "./pages/paths.ts";
import { threadsBody } from "./pages/threads.ts";
import { shown } from "./shown.ts";
import type { AdminContext, AdminEnv } from "./viewer.ts";

export interface ThreadsDeps {
  readonly overviews: Overviews;
  readonly audit: Audit;
  readonly remarks: Remarks;
  /** Of all platforms. */
  readonly linkedIn: ReadAddress;
  readonly channels: Channels;
}

const SHOWN = 50;
const LONGEST_SEARCH = 500;

export function routeThreads(
  app: Hono<AdminEnv>,
  { overviews, audit, remarks, linkedIn, channels }: ThreadsDeps,
): void {
  app.get("/", async (c) => {
    const { who, entered } = c.get("viewer");
    const text = (c.req.query("q") ?? "").trim().slice(0, LONGEST_SEARCH);
    const filter = filterIn(c);
    const around = aroundOf(c);
    await channels.learn(who);
    if (text === "") {
      await audit.write({ who, kind: "list", ...aboutOf(filter) });
      const after = markIn(c.req.query("after"));
      const paged = { limit: SHOWN + 1, ...(after === undefined ? {} : { after }) };
      const threads = await overviews.list(who, filter, paged);
      const shownThreads = threads.slice(0, SHOWN);
      const last = threads.length > SHOWN ? shownThreads.at(-1) : undefined;
      const view = {
        filter,
        text,
        threads: shownThreads,
        query: queryWithout(c),
        ...(last ? { more: last } : {}),
      };
      return shown(c, page(around, "threads", "Threads", threadsBody(view)));
    }
    await audit.write({ who, kind: "search", about: text });
    const byId = await find(who, text);
    const [only] = byId;
    // What names one thread and nothing else leads to it.
    if (only !== undefined && byId.length === 1 && (only.session === text || /^https?:/.test(text)))
      return c.redirect(threadPathOf(only.session), 303);
    const wanted = wantedIn(text);
    const opened = await remarks.reasonsOf(entered.id);
    const before = hitMarkIn(c.req.query("before"));
    const asked = { limit: SHOWN, filter, opened, ...(before === undefined ? {} : { before }) };
    const found = wanted === undefined ? undefined : await overviews.search(who, wanted, asked);
    const isOlder = before !== undefined;
    const view = {
      filter,
      text,
      // Those stand on the first page.
      threads: isOlder ? [] : byId,
      found: { hits: [], isOutOfTime: false, ...found, isOlder },
      query: queryWithout(c),
    };
    return shown(c, page(around, "threads", `Search: ${text}`, threadsBody(view)));
  });

  async function find(who: Parameters<Overviews["find"]>[0], text: string) {
    if (/\s/.test(text)) return [];
    const sets = linkedIn(text);
    if (sets.length > 0) {
      const found = await Promise.all(sets.map((parts) => overviews.find(who, parts, SHOWN)));
      const all = found.flat();
      return all.filter(({ session }, n) => all.findIndex((each) => each.session === session) === n);
    }
    const isWhole = toSessionId(text) !== undefined;
    // Short words would be found in every id.
    return isWhole || (text.length >= 4 && /\d/.test(text)) ? overviews.find(who, [text], SHOWN) : [];
  }
}

/** The question of this page without its place, for the next one. */
function queryWithout(c: AdminContext): string {
  const query = new URLSearchParams(new URL(c.req.url).search);
  query.delete("after");
  query.delete("before");
  const text = query.toString();
  return text === "" ? "" : `${text}&`;
}

function hitMarkIn(text: string | undefined): HitMark | undefined {
  const [, at, seq, session] = /^(\d{1,15})\.(\d{1,15})\.(.{1,300})$/.exec(text ?? "") ?? [];
  return at === undefined || session === undefined
    ? undefined
    : { at: Number(at), seq: Number(seq), session };
}

function markIn(text: string | undefined): Mark | undefined {
  const [, touchedAt, session] = /^(\d{1,16})\.(.{1,300})$/.exec(text ?? "") ?? [];
  return touchedAt === undefined || session === undefined
    ? undefined
    : { touchedAt: Number(touchedAt), session };
}
