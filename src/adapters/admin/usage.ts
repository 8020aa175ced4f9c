/** What the space used: a page with charts and tables, and each table as a file. For admins. */

import type { Hono } from "hono";
import type { Audit } from "../../core/ports/audit.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { UsageFigures, UsageTables } from "../../core/ports/usage-figures.ts";
import { aroundOf } from "./around.ts";
import { problemPage } from "./pages/layout.ts";
import { usagePage } from "./pages/usage.ts";
import { shown } from "./shown.ts";
import { csvOf, TABLES, type Days, type Table } from "./usage-tables.ts";
import { onlyAdmins, type AdminEnv } from "./viewer.ts";

export interface UsageDeps {
  readonly usage: UsageFigures;
  readonly audit: Audit;
  readonly clock: Clock;
}

const DAY_MS = 24 * 60 * 60_000;
const SHOWN_DAYS = 30;
const MOST_DAYS = 366;

export function routeUsage(app: Hono<AdminEnv>, { usage, audit, clock }: UsageDeps): void {
  app.get("/usage", onlyAdmins({ audit }), async (c) => {
    const { who } = c.get("viewer");
    const days = daysOf(c.req.query("from"), c.req.query("to"), clock.now());
    await audit.write({ who, kind: "usage", about: `${days.from} to ${days.to}` });
    return shown(c, usagePage(aroundOf(c), days, await usage.of(who, rangeOf(days))));
  });

  app.get("/usage/:file{[a-z]+\\.csv}", onlyAdmins({ audit }), async (c) => {
    const { who } = c.get("viewer");
    const table = c.req.param("file").replace(/\.csv$/, "");
    if (!isTable(table)) return shown(c, problemPage("Not found", "There is no such table."), 404);
    const days = daysOf(c.req.query("from"), c.req.query("to"), clock.now());
    await audit.write({ who, kind: "export", about: `usage by ${table}, ${days.from} to ${days.to}` });
    const tables: UsageTables = await usage.of(who, rangeOf(days));
    c.header("Cache-Control", "no-store, private");
    c.header("Content-Type", "text/csv; charset=utf-8");
    c.header("Content-Disposition", `attachment; filename="usage-${table}-${days.from}-${days.to}.csv"`);
    return c.body(csvOf(table, tables[table]));
  });
}

const isTable = (name: string): name is Table => Object.hasOwn(TABLES, name);

/** What is no day, or is out of order, is as if nothing was said. */
function daysOf(from: string | undefined, to: string | undefined, now: number): Days {
  const last = startOf(to) ?? startOf(dayOf(now)) ?? 0;
  const first = startOf(from) ?? last - (SHOWN_DAYS - 1) * DAY_MS;
  const begins =
    first > last ? last - (SHOWN_DAYS - 1) * DAY_MS : Math.max(first, last - (MOST_DAYS - 1) * DAY_MS);
  return { from: dayOf(begins), to: dayOf(last) };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

function startOf(day: string | undefined): number | undefined {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) || dayOf(at) !== day ? undefined : at;
}

const rangeOf = ({ from, to }: Days): { readonly from: number; readonly to: number } => ({
  from: startOf(from) ?? 0,
  to: (startOf(to) ?? 0) + DAY_MS,
});
