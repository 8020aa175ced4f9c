// Goals whose workers die by kill -9 at the worst moments, on a real Redis and Postgres with two workers: no turn is lost or doubled.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGoals } from "../../src/adapters/postgres/goals.ts";
import { toSessionId } from "../../src/core/thread.ts";
import { callsTools, says } from "../support/fake-llm/answers.ts";
import type { FakeAnswer } from "../support/fake-llm/server.ts";
import { goalTimePasses } from "../support/goal-time.ts";
import { owner, setGoal } from "../support/goals.ts";
import { withRedis } from "../support/services/redis-server.ts";
import { runsOver } from "../support/settled-runs.ts";
import { until } from "../support/until.ts";
import { deploy, type Deployment } from "./deployment.ts";
import { TIMES } from "./world.ts";

const program = join(import.meta.dirname, "dying-goal-worker.ts");
const HOUR_MS = 3_600_000;

/** Where and when the next one is to die; and what was sent, by session. */
interface Fatal {
  readonly moment: string;
  readonly session: string;
  readonly times: number;
}
let fatal: Fatal | undefined;
let deaths = 0;
const seen = new Map<string, number>();

const oracle = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.once("end", () => {
    const { moment, session } = JSON.parse(Buffer.concat(pieces).toString()) as Record<string, string>;
    const name = `${moment} ${session}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const isFatal =
      fatal !== undefined && fatal.moment === moment && fatal.session === session && times >= fatal.times;
    if (isFatal) {
      fatal = undefined;
      deaths += 1;
    }
    response.end(isFatal ? "die" : "live");
  });
});

let bobbin: Deployment;
beforeAll(async () => {
  await new Promise<void>((resolve) => void oracle.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(oracle.address() as AddressInfo).port}/`;
  bobbin = await deploy({
    workers: 0,
    times: { ...TIMES, sweep: { everyMs: 1_000, idleMs: 500 } },
    env: { ORACLE: address },
  });
  await Promise.all([bobbin.addWorker(program), bobbin.addWorker(program)]);
});
afterAll(async () => {
  await bobbin[Symbol.asyncDispose]();
  oracle.closeAllConnections();
  await new Promise((resolve) => oracle.close(resolve));
});

const runs = (thread: string) => bobbin.transcripts.runs(toSessionId(thread)!);
const isSettled = (thread: string, count: number) =>
  runsOver(bobbin.transcripts, toSessionId(thread)!, count);

/** The n-th request about this thread is answered with the n-th of these, where it was not answered so before. */
function script(words: string, ...answers: readonly FakeAnswer[]): { readonly requests: string[] } {
  const requests: string[] = [];
  bobbin.llm.respondWith(async (exchange) => {
    const asked = JSON.stringify(exchange.request.body.messages);
    if (!asked.includes(words)) return says("aside")(exchange);
    requests.push(asked);
    return answers[Math.min(requests.length, answers.length) - 1]?.(exchange);
  });
  return { requests };
}

const done: FakeAnswer = callsTools({
  id: "c-done",
  name: "update_goal",
  arguments: JSON.stringify({ status: "complete", evidence: "all pages are there" }),
});
const parcel: FakeAnswer = callsTools({ id: "c-parcel", name: "send_parcel", arguments: "{}" });

/** A goal in a thread that is there already, so that its session is known before its first turn. */
async function given(
  words: string,
  when: { readonly moment: string; readonly times?: number },
): Promise<string> {
  const ana = bobbin.newPerson();
  const thread = await ana.say("hello");
  await ana.replies(thread, 1);
  await isSettled(thread, 1);
  seen.clear();
  deaths = 0;
  fatal = { moment: when.moment, session: thread, times: when.times ?? 1 };
  await ana.say(`/goal ${words}`, thread);
  return thread;
}

async function hasDied(): Promise<void> {
  await until(() => deaths === 1, { what: "a worker has come to its moment" });
}

const turnsOf = async (thread: string) =>
  (await runs(thread)).filter(({ cause }) => cause === "continuation");

test.each([
  ["the end is stored, and its last page is not", "after end"],
  ["the turn is settled, and nobody was rung for", "after settled"],
  ["the next turn was claimed, and nothing was made of it", "after open-goal"],
])(
  "crash between settle and dispatch, by kill -9 when %s: the other worker begins the next turn, once, also with an emptied Redis",
  async (_, moment) => {
    const words = `count the ${moment.replaceAll(" ", "-")}`;
    const model = script(
      words,
      parcel,
      says("Step one."),
      parcel,
      says("Step two."),
      done,
      says("All of it."),
    );
    const thread = await given(words, { moment, times: moment === "after open-goal" ? 2 : 1 });
    await hasDied();
    await withRedis(bobbin.env["REDIS_URL"]!, async (on) => void (await on.flushdb()));
    await isSettled(thread, 4);
    const turns = await turnsOf(thread);
    expect(turns.map(({ outcome }) => outcome?.reason)).toEqual(["stop", "stop", "stop"]);
    expect(model.requests).toHaveLength(6);
    expect(seen.get(`parcel ${thread}`)).toBe(2);
    await bobbin.addWorker(program);
  },
);

test("G2: after a restart only goals go on that were active or waiting; one that waits eight simulated hours makes no model call over it, nor over an emptied Redis, and wakes once", async () => {
  const ana = bobbin.newPerson();
  const [night, active, paused] = await Promise.all(
    ["night", "active", "paused"].map((name) => ana.say(`hello ${name}`)),
  );
  const session = (thread: string | undefined) => toSessionId(thread ?? "")!;
  for (const thread of [night, active, paused]) await isSettled(thread!, 1);
  const waits = callsTools({
    id: "c-wait",
    name: "wait_for",
    arguments: JSON.stringify({ kind: "time", minutes: 480, reason: "the night" }),
  });
  const model = script("until the night", waits, says("Until tomorrow."), done, says("Good morning."));
  await ana.say("/goal wait until the night is over", night);
  await isSettled(night!, 2);
  for (const worker of bobbin.workers) worker.kill("SIGKILL");
  await Promise.all(bobbin.workers.map(({ exited }) => exited));

  const goals = createGoals(bobbin.sql);
  await goals.apply(session(active), setGoal("an active one"));
  await goals.apply(session(paused), setGoal("a paused one"));
  await goals.apply(session(paused), { kind: "pause", by: owner });
  await goalTimePasses(bobbin.sql, session(night), 7 * HOUR_MS);
  await withRedis(bobbin.env["REDIS_URL"]!, async (on) => void (await on.flushdb()));
  await Promise.all([bobbin.addWorker(program), bobbin.addWorker(program)]);
  // Somebody has looked for what is due, and has served it.
  await isSettled(active!, 2);
  expect(model.requests).toHaveLength(2);

  await goalTimePasses(bobbin.sql, session(night), HOUR_MS);
  await isSettled(night!, 3);
  expect(model.requests).toHaveLength(4);
  expect((await turnsOf(night!)).length).toBe(2);
  expect(await turnsOf(paused!)).toEqual([]);
});

test("crash after the tool and before the append, by kill -9: the turn goes on where it was, the tool is not run again, and the next turn follows", async () => {
  const words = "send the parcel";
  const model = script(words, parcel, says("It may have gone."), done, says("It has."));
  // What the model asked for was stored before the tool began; what came back was not.
  const thread = await given(words, { moment: "before commit", times: 2 });
  await hasDied();
  await isSettled(thread, 3);
  expect(seen.get(`parcel ${thread}`)).toBe(1);
  const turns = await turnsOf(thread);
  expect(turns.map(({ attempts }) => attempts.map(({ ended }) => ended))).toEqual([
    ["crashed", "ended"],
    ["ended"],
  ]);
  expect(model.requests[1]).toContain("unknown");
  expect(model.requests).toHaveLength(4);
  await bobbin.addWorker(program);
});
