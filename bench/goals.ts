/** How long people wait for their first model request while a hundred goals work in the same space, beside the same without goals. */

import { setTimeout as pause } from "node:timers/promises";
import { createGoals } from "../src/adapters/postgres/goals.ts";
import { openPostgres } from "../src/adapters/postgres/pool.ts";
import { sessionIdOf, type SessionId } from "../src/core/thread.ts";
import { owner, setGoal } from "../test/support/goals.ts";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { createWebPerson } from "../test/support/web-person.ts";
import { inTurn, quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";

const GOALS = 100;
/** Two seconds for each answer, of people's and of goals'. */
const MODEL_WAY = "slow/40/20";
const PEOPLE = 4;
const MESSAGES = { short: 40, full: 120 } as const;
/** Between two messages of one person. */
const REST_MS = 250;
/** So many turns of goals are at the model before people are measured. */
const UNDER_WAY = 5;
const LIMIT_MS = 120_000;

/** Goals that people were not shown yet: a hundred that are set in one moment are a burst of their own, and not what is measured. */
const UNSHOWN = {
  name: "bench-unshown",
  text: "select 1 as one from goals where closed is null and card_version = 0 limit 1",
};

const UNSETTLED = {
  name: "bench-unsettled",
  text: "select 1 as one from runs where reply <> 'settled' limit 1",
};

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  const waiting = new Map<string, (at: number) => void>();
  let goalRequests = 0;
  const model = await startModelServer({
    onRequest(body) {
      const asked = /person-\d+-asks/.exec(body)?.[0];
      if (asked === undefined) goalRequests += 1;
      else waiting.get(asked)?.(performance.now());
    },
  });
  stack.defer(() => model.close());
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: model.url(MODEL_WAY),
    MODEL: "fake",
    WEB_CHAT: "on",
  };
  const processes = ["gateway", "worker", "worker"].map((role) => stack.use(spawnProduct(role, env)));
  const [address] = await Promise.all(processes.map((process) => process.ready()));
  // The three share the one core that nothing else here uses.
  for (const { pid } of processes) world.pin(pid);
  const sql = openPostgres({ url: database.url, connections: 4 });
  stack.defer(() => sql.close());
  const goals = createGoals(sql);
  const person = createWebPerson(address ?? "");
  const isQuiet = () =>
    until(async () => (await sql.query(UNSETTLED)).length === 0, {
      timeoutMs: LIMIT_MS,
      what: "all runs are settled",
    });

  let asked = 0;
  /** From the browser's request to the model's, ms. */
  async function message(): Promise<number> {
    const words = `person-${(asked += 1)}-asks`;
    const arrived = new Promise<number>((resolve) => waiting.set(words, resolve));
    const sentAt = performance.now();
    await person.say(`${words} how far it is`);
    const at = await arrived;
    waiting.delete(words);
    return at - sentAt;
  }

  async function people(): Promise<number[]> {
    const times: number[] = [];
    const most = MESSAGES[world.length];
    let begun = 0;
    const one = async (): Promise<void> => {
      for (let count = begun++; count < most; count = begun++) {
        times.push(await message());
        await pause(REST_MS);
      }
    };
    await Promise.all(Array.from({ length: PEOPLE }, one));
    return times;
  }

  let threads = 0;
  const newSession = (): SessionId =>
    sessionIdOf({ platform: "web", space: "local", channel: "general", root: `goal${(threads += 1)}` });

  async function amongGoals(): Promise<number[]> {
    const sessions = Array.from({ length: GOALS }, newSession);
    const before = goalRequests;
    for (const session of sessions) await goals.apply(session, setGoal("watch the herons"));
    await until(() => goalRequests >= before + UNDER_WAY, { timeoutMs: LIMIT_MS, what: "goals are at work" });
    await until(async () => (await sql.query(UNSHOWN)).length === 0, {
      timeoutMs: LIMIT_MS,
      what: "each goal has its card",
    });
    const times = await people();
    world.note(`${goalRequests - before} turns of goals meanwhile`);
    for (const session of sessions) await goals.apply(session, { kind: "clear", by: owner });
    await isQuiet();
    return times;
  }

  async function alone(): Promise<number[]> {
    const times = await people();
    await isQuiet();
    return times;
  }

  // Code that nobody has run yet is slow, and would all count for the side that goes first.
  await alone();
  world.note(`${MESSAGES[world.length]} messages of ${PEOPLE} people, beside ${GOALS} goals and without`);
  const [beside, without] = await inTurn(world.pairs, [amongGoals, alone]);
  const row = (what: string, share: number, bounds?: Comparison["bounds"]): Comparison => ({
    id: "Goals",
    what,
    product: beside.map((times) => quantileOf(times, share)),
    reference: { name: "the same without goals", samples: without.map((times) => quantileOf(times, share)) },
    ...(bounds === undefined ? {} : { bounds }),
  });
  return [
    row("message to first request beside 100 goals, p50 ms", 0.5, {
      of: "ratio",
      better: "less",
      target: 1.5,
      limit: 3,
    }),
    row("message to first request beside 100 goals, p95 ms", 0.95),
  ];
}

export const goals: Benchmark = { name: "goals", run };
