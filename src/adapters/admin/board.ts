/**
 * The queues in detail. They hold threads of all spaces, so only whoever runs the bot sees them, and not each admin of a space. For others
 * there is no such page.
 */

import type { Hono } from "hono";
import { keepNewest } from "../../core/keep-newest.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import { problemPage } from "./pages/layout.ts";
import { BOARD_PATH } from "./pages/paths.ts";
import { shown } from "./shown.ts";
import { onlyAdmins, type AdminEnv } from "./viewer.ts";

export interface BoardDeps {
  readonly isOperator: (who: Person) => boolean;
  /** Absent where there are no queues that processes share. */
  readonly board?: (path: string) => Promise<{ fetch(request: Request): Response | Promise<Response> }>;
  readonly audit: Audit;
  readonly clock: Clock;
}

/** A page that stands open asks every few seconds: that somebody looks is one line for so long, ms. */
const LINE_EVERY_MS = 10 * 60_000;
const MOST_BROWSERS = 1_000;

/** What the page needs beside our own policy: an address that others are counted from, and pictures within its styles. */
export function boardPolicy(path: string): Readonly<Record<string, string>> {
  if (path !== BOARD_PATH && !path.startsWith(`${BOARD_PATH}/`)) return {};
  return { "base-uri": "'self'", "img-src": "'self' data:", "style-src": "'self' 'unsafe-inline'" };
}

export function routeBoard(app: Hono<AdminEnv>, deps: BoardDeps): void {
  const { isOperator, board, audit, clock } = deps;
  const noted = new Map<string, number>();
  let opened: ReturnType<NonNullable<typeof board>> | undefined;

  app.get("/queues/*", onlyAdmins(deps), async (c) => {
    const { who, entered } = c.get("viewer");
    if (board === undefined || !isOperator(who)) {
      if (board !== undefined)
        await audit.write({ who, kind: "refused", about: `only who runs the bot: ${c.req.path}` });
      return shown(c, problemPage("Not found", "There is no such page."), 404);
    }
    if ((noted.get(entered.id) ?? -Infinity) <= clock.ticks() - LINE_EVERY_MS) {
      await audit.write({ who, kind: "operations", about: "queues" });
      keepNewest(noted, entered.id, clock.ticks(), MOST_BROWSERS);
    }
    opened ??= board(BOARD_PATH);
    const answer = await (await opened).fetch(c.req.raw);
    const sent = new Response(answer.body, answer);
    if (!sent.headers.has("Cache-Control")) sent.headers.set("Cache-Control", "no-store, private");
    return sent;
  });
}
