// SIGTERM and SIGINT: who is asked to end hands over and goes; who is asked twice goes at once.
import { expect, test } from "vitest";
import { toSessionId } from "../../src/core/thread.ts";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct } from "../support/product.ts";
import { freshDatabase, ownPostgres } from "../support/services/postgres.ts";
import { settledRuns } from "../support/settled-runs.ts";
import { until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";
import { deploy } from "./deployment.ts";

const WORDS = Array.from({ length: 150 }, (_, n) => `word${n + 1}`);

test("SIGTERM: a worker that leaves in mid-stream hands over: the other one goes on in the same message, and no crash is counted", async () => {
  await using bobbin = await deploy();
  using hold = bobbin.llm.hold(20);
  const ana = bobbin.newPerson();
  const thread = await ana.say("say 150 words");
  const shown = await ana.shows(thread, "word10 ");
  const attemptsNow = async () => (await bobbin.transcripts.runs(toSessionId(thread)!))[0]?.attempts ?? [];
  const [attempt] = await attemptsNow();
  const leaving = bobbin.workers.find(({ pid }) => attempt?.worker.endsWith(`/${pid}`));
  leaving?.kill("SIGTERM");
  expect(await leaving?.exited).toBe(0);
  hold.release();
  const replies = await ana.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
  expect(replies[0]?.text.split(" ")).toEqual(WORDS);
  const [run] = await settledRuns(bobbin.transcripts, toSessionId(thread)!);
  expect(run?.attempts.map(({ ended }) => ended)).toEqual(["handed_over", "ended"]);
  expect(bobbin.llm.requests).toHaveLength(2);
});

test("a gateway that leaves: the next one shows the thread as it grew meanwhile", async () => {
  await using bobbin = await deploy({ workers: 1 });
  using hold = bobbin.llm.hold(20);
  let address = await bobbin.gateway.ready();
  const ben = createWebPerson(() => address);
  const thread = await ben.say("say 150 words");
  const shown = await ben.shows(thread, "word10 ");
  bobbin.gateway.kill("SIGTERM");
  expect(await bobbin.gateway.exited).toBe(0);
  hold.release(100);
  await using next = spawnProduct("gateway", bobbin.env);
  address = await next.ready();
  await ben.shows(thread, "word90 ");
  hold.release();
  const replies = await ben.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
  expect(replies[0]?.text.split(" ")).toEqual(WORDS);
  expect(bobbin.llm.requests).toHaveLength(1);
});

test("Q14: the all-in-one process leaves in mid-stream: after its next start it goes on in the same message, and answers what waited", async () => {
  await using database = await freshDatabase();
  const llm = await createFakeLlm();
  using hold = llm.hold(20);
  const env = { DATABASE_URL: database.url, OPENAI_BASE_URL: llm.url, MODEL: "fake" };
  let address = "";
  const cy = createWebPerson(() => address);
  await using first = spawnProduct("start", env);
  address = await first.ready();
  const thread = await cy.say("say 150 words");
  const shown = await cy.shows(thread, "word10 ");
  await cy.say("and this", thread);
  first.kill("SIGTERM");
  expect(await first.exited).toBe(0);
  await until(() => llm.open === 0, { what: "the model was left" });
  hold.release();
  await using second = spawnProduct("start", env);
  address = await second.ready();
  const replies = await cy.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
  expect(replies[0]?.text.split(" ").slice(0, 150)).toEqual(WORDS);
  expect(replies[0]?.text).toContain("and this");
  expect(llm.complaints).toEqual([]);
  await llm.close();
});

test("who leaves while Postgres is away ends in order too, and the answer goes on after the next start", async () => {
  await using postgres = await ownPostgres();
  const llm = await createFakeLlm();
  using hold = llm.hold(20);
  const env = { DATABASE_URL: postgres.url, OPENAI_BASE_URL: llm.url, MODEL: "fake" };
  let address = "";
  const eve = createWebPerson(() => address);
  await using first = spawnProduct("start", env);
  address = await first.ready();
  const thread = await eve.say("say 150 words");
  const shown = await eve.shows(thread, "word10 ");
  await postgres.stop("immediate");
  first.kill("SIGTERM");
  expect(await first.exited).toBe(0);
  hold.release();
  await using second = spawnProduct("start", env);
  await postgres.start();
  address = await second.ready();
  const replies = await eve.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
  expect(replies[0]?.text.split(" ")).toEqual(WORDS);
  expect(llm.complaints).toEqual([]);
  await llm.close();
});

test("a second signal ends at once, and nothing is lost by it", async () => {
  await using bobbin = await deploy({ workers: 1 });
  using hold = bobbin.llm.hold(20);
  const dan = bobbin.newPerson();
  const thread = await dan.say("say 150 words");
  const shown = await dan.shows(thread, "word10 ");
  const [impatient] = bobbin.workers;
  // It hears of both at the same time, however long the machine takes to send them.
  for (const signal of ["SIGSTOP", "SIGINT", "SIGTERM", "SIGCONT"] as const) impatient?.kill(signal);
  expect(await impatient?.exited).toBe(130);
  await bobbin.addWorker();
  hold.release();
  const replies = await dan.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
  expect(replies[0]?.text.split(" ")).toEqual(WORDS);
});
