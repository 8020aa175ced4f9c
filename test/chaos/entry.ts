// A gateway or worker of a chaos run: the product as it is, with short times, the run's tools, and moments at which it may be
// told to stop or die. Started by `fleet.ts`; the role is its argument.
import { flushCompileCache } from "node:module";
import { hostname } from "node:os";
import { createLog } from "../../src/adapters/log.ts";
import type { Sql, Statement } from "../../src/adapters/postgres/sql.ts";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import { startApp, type Role } from "../../src/app.ts";
import type { Tool } from "../../src/core/agent/tool.ts";
import { IDENTIFIES, ORDERS, type MomentOrder, type StartOrders } from "./orders.ts";
import { toolsAt } from "./tools.ts";
import { withoutSweeps, withUndone } from "./undo.ts";

const role = process.argv[2] as Exclude<Role, "start">;
const orders = JSON.parse(process.env[ORDERS] ?? "") as StartOrders;
let awaited: MomentOrder | undefined;
process.on("message", (order: MomentOrder) => (awaited = order));
process.on("disconnect", () => process.exit(1));

function come(moment: string): void {
  if (awaited?.at !== moment) return;
  const { signal } = awaited;
  awaited = undefined;
  process.kill(process.pid, signal);
}

/** Statements that are made for their case begin with the name of the step. */
const STEPS: readonly (readonly [begin: string, step: string])[] = [
  ["open-run", "open-run"],
  ["open-usual", "open-run"],
  ["open-goal", "open-goal"],
  ["goal-change", "goal-change"],
  ["goal-set", "goal-change"],
  ["goal-replace", "goal-change"],
  ["commit-", "commit-round"],
  ["end-", "end-run"],
];

function stepOf({ name = "nameless" }: Statement): string {
  return STEPS.find(([begin]) => name.startsWith(begin))?.[1] ?? name;
}

/** Whatever is asked of the database between these two moments has the name of its step. */
function withMoments(sql: Sql): Sql {
  return {
    ...sql,
    async query(statement, values) {
      come(`before ${stepOf(statement)}`);
      const rows = await sql.query(statement, values);
      come(`after ${stepOf(statement)}`);
      return rows as never;
    },
  };
}

const withMoment = (tool: Tool): Tool => ({
  ...tool,
  async run(value, context) {
    const doing = tool.run(value, context);
    come("in tool");
    const done = await doing;
    come("after tool");
    return done;
  },
});

function databaseOf(sql: Sql): Sql {
  const swept = orders.sweeps === "off" ? withoutSweeps(sql) : sql;
  return withMoments(withUndone(swept, orders.undo));
}

/** The database knows who wrote by the name that the attempts have too. */
function named(url: string): string {
  const address = new URL(url);
  address.searchParams.set("application_name", `${hostname()}/${process.pid}`);
  return address.href;
}

const env = { ...process.env, DATABASE_URL: named(process.env["DATABASE_URL"] ?? "") };
const read = await readSettings(env, { command: role });
if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
const log = createLog({ write: (line) => void process.stdout.write(line) }, { level: "info", secrets: [] });
const ending = new AbortController();
const asked = Promise.withResolvers<void>();
process.on("SIGTERM", () => {
  ending.abort();
  asked.resolve();
});
const { jobLockMs, connectionLifeMs } = orders;
const times = {
  jobLockMs,
  stalledCheckMs: jobLockMs / 4,
  sweep: { everyMs: 1_500, idleMs: 4_500 },
  identify: IDENTIFIES,
  ...(connectionLifeMs === undefined ? {} : { connectionLifeMs }),
};
const app = await startApp(
  role,
  read.settings,
  {
    log,
    times,
    tools: toolsAt(orders.workshop).map(withMoment),
    sql: databaseOf,
  },
  ending.signal,
);
process.send?.("ready");
// Who is killed writes nothing at its end.
flushCompileCache();
await asked.promise;
await app.stop();
process.exit(0);
