// A gateway and two workers on Redis and Postgres: what one process does, several do together, once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { toSessionId, type SessionId } from "../../src/core/thread.ts";
import { settledRuns } from "../support/settled-runs.ts";
import { until } from "../support/until.ts";
import { deploy, type Deployment } from "./deployment.ts";

let bobbin: Deployment;

beforeAll(async () => {
  bobbin = await deploy({ llm: { talker: { firstMs: 60 } } });
});
afterAll(() => bobbin[Symbol.asyncDispose]());

const sessionOf = (thread: string): SessionId => {
  const session = toSessionId(thread);
  if (session === undefined) throw new Error(`not a session: ${thread}`);
  return session;
};

test("a message is answered by a worker in another process, and the thread goes on with what was said", async () => {
  const ana = bobbin.newPerson();
  const thread = await ana.say("first words");
  const [first] = await ana.replies(thread, 1);
  expect(first?.text).toContain("first words");
  await ana.say("second words", thread);
  const [, second] = await ana.replies(thread, 2);
  expect(second?.text).toContain("second words");
  const last = bobbin.llm.requests.at(-1)?.body.messages ?? [];
  expect(last.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
});

test("a second thread knows nothing of the first", async () => {
  const ben = bobbin.newPerson();
  const one = await ben.say("the word is heron");
  await ben.replies(one, 1);
  const other = await ben.say("which word?");
  await ben.replies(other, 1);
  expect(other).not.toBe(one);
  const last = bobbin.llm.requests.at(-1)?.body.messages ?? [];
  expect(JSON.stringify(last)).not.toContain("heron");
});

test("a tool is called and its result is in the answer", async () => {
  const cy = bobbin.newPerson();
  const thread = await cy.say('call time_in_zone {"zone":"Asia/Tokyo"}');
  const [reply] = await cy.replies(thread, 1);
  expect(reply?.text).toContain("Asia/Tokyo");
});

test("twenty messages into one thread at once are each taken in once, in order, by one run at a time", async () => {
  const dan = bobbin.newPerson();
  const thread = await dan.say("message 0");
  const texts = Array.from({ length: 20 }, (_, n) => `message ${n + 1}`);
  await Promise.all(texts.map((text) => dan.say(text, thread)));
  await allFated(thread, 21);
  await expectEachOnce(thread, ["message 0", ...texts]);
});

test("two hundred messages into fifty threads are each taken in once, in order, by one run at a time", async () => {
  const eve = bobbin.newPerson();
  const threads = await Promise.all(Array.from({ length: 50 }, (_, t) => eve.say(`t${t} m0`)));
  await Promise.all(threads.flatMap((thread, t) => [1, 2, 3].map((m) => eve.say(`t${t} m${m}`, thread))));
  await Promise.all(threads.map((thread) => allFated(thread, 4)));
  for (const [t, thread] of threads.entries()) {
    await expectEachOnce(
      thread,
      [0, 1, 2, 3].map((m) => `t${t} m${m}`),
    );
  }
});

/** Until every inbound of the thread has its fate and no reply is still being written. */
async function allFated(thread: string, count: number): Promise<void> {
  const session = sessionOf(thread);
  await until(
    async () => {
      const inbounds = await bobbin.transcripts.inbounds(session);
      const runs = await bobbin.transcripts.runs(session);
      return (
        inbounds.length === count &&
        inbounds.every(({ state }) => state === "done") &&
        runs.every(({ reply }) => reply === "settled")
      );
    },
    { everyMs: 50, what: `${count} inbounds are done` },
  );
}

async function expectEachOnce(thread: string, texts: readonly string[]): Promise<void> {
  const session = sessionOf(thread);
  const [entries, inbounds, runs] = await Promise.all([
    bobbin.transcripts.entries(session),
    bobbin.transcripts.inbounds(session),
    settledRuns(bobbin.transcripts, session),
  ]);
  // Each inbound was answered or joined a run that was, and is in the history once.
  expect(new Set(inbounds.map(({ fate }) => fate)).difference(new Set(["answered", "steered"]))).toEqual(
    new Set(),
  );
  const said = entries.flatMap(({ body }) =>
    body.kind === "user" ? body.parts.map((part) => (part.kind === "text" ? part.text : "")) : [],
  );
  expect(said.toSorted()).toEqual(texts.toSorted());
  // Within a run by platform time, and runs in the order of what they answer.
  const order = new Map(inbounds.map(({ inbound }) => [inbound.id, inbound.at]));
  for (const run of runs) {
    const times = entries
      .filter((entry) => entry.run === run.id && entry.body.kind === "user")
      .map(
        ({ body, round }) =>
          [round, body.kind === "user" && body.inbound ? order.get(body.inbound) : 0] as const,
      );
    for (const round of new Set(times.map(([at]) => at))) {
      const batch = times.filter(([at]) => at === round).map(([, time]) => time ?? 0);
      expect(batch).toEqual(batch.toSorted((a, b) => a - b));
    }
  }
  // Never two runs at a time: entries of one run stand together, each attempt was the only one of its run.
  const byRun = entries.map(({ run }) => run).filter((run, at, all) => run !== all[at - 1]);
  expect(new Set(byRun).size).toBe(byRun.length);
  for (const run of runs) expect(run.attempts.map(({ ended }) => ended)).toEqual(["ended"]);
}
