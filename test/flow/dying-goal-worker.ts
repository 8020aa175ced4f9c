// A worker that asks at certain moments whether it is to die there, as by kill -9, and whose one tool does its work outside. Started by
// goal-deaths.test.ts.
import { z } from "zod";
import { createLog } from "../../src/adapters/log.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import { readSettings } from "../../src/adapters/settings/settings.ts";
import { toolOf } from "../../src/adapters/tools/define.ts";
import { startApp, type AppWorld } from "../../src/app.ts";

const oracle = process.env["ORACLE"] ?? "";

async function come(moment: string, session: unknown): Promise<void> {
  const answer = await fetch(oracle, { method: "POST", body: JSON.stringify({ moment, session }) });
  if ((await answer.text()) === "die") process.kill(process.pid, "SIGKILL");
}

/** Statements that are made for their case begin with the name of the step. */
const STEPS = ["open-goal", "commit", "end", "settled"] as const;

function withMoments(sql: Sql): Sql {
  return {
    ...sql,
    async query(statement, values) {
      const { name = "" } = statement;
      const step = STEPS.find((one) => name === one || name.startsWith(`${one}-`));
      if (step !== undefined) await come(`before ${step}`, values?.[0]);
      const rows = await sql.query(statement, values);
      if (step !== undefined) await come(`after ${step}`, values?.[0]);
      return rows as never;
    },
  };
}

const parcel = toolOf({
  name: "send_parcel",
  description: "Sends a parcel.",
  effect: "external",
  arguments: z.object({}),
  async run(_, { session }) {
    await come("parcel", session);
    return "sent";
  },
});

const read = await readSettings(process.env, { command: "worker" });
if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
const log = createLog({ write: (line) => void process.stdout.write(line) }, { level: "info", secrets: [] });
const times = JSON.parse(process.env["QUICK_TIMES"] ?? "{}") as NonNullable<AppWorld["times"]>;
const world: AppWorld = { log, times, sql: withMoments, tools: [parcel] };
const app = await startApp("worker", read.settings, world, new AbortController().signal);
log.info("Bobbin is ready", { url: app.url });
