// A rolling deploy: the version before works on today's schema, beside today's processes, and each takes over from the other.
import { afterAll, beforeAll, expect, test } from "vitest";
import { toSessionId } from "../../src/core/thread.ts";
import { delta, eventsThenSilence, says } from "../support/fake-llm/answers.ts";
import { previousVersion, type PreviousVersion } from "../support/previous-version.ts";
import type { ProductProcess } from "../support/product.ts";
import { settledRuns } from "../support/settled-runs.ts";
import { deploy, type Deployment } from "./deployment.ts";

let before: PreviousVersion;
let bobbin: Deployment;
beforeAll(async () => {
  before = await previousVersion();
  // The schema is today's: it is copied from the template of the tests.
  bobbin = await deploy({ gatewayProgram: before.program, workers: 0 });
});
afterAll(() => bobbin?.[Symbol.asyncDispose]());

const oldWorker = (): Promise<ProductProcess> => bobbin.addWorker(before.program);
const newWorker = (): Promise<ProductProcess> => bobbin.addWorker();

async function leaves(worker: ProductProcess): Promise<void> {
  worker.kill("SIGTERM");
  expect(await worker.exited).toBe(0);
}

test("the gateway and the worker of the version before answer on today's schema, and so does today's worker beside them", async () => {
  const ana = bobbin.newPerson();
  const old = await oldWorker();
  const thread = await ana.say("the first");
  await ana.replies(thread, 1);
  const today = await newWorker();
  await ana.say("the second", thread);
  await ana.replies(thread, 2);
  await leaves(old);
  await ana.say("the third", thread);
  const replies = await ana.replies(thread, 3);
  expect(replies.map(({ text }) => text)).toEqual(
    ["first", "second", "third"].map((word) => expect.stringContaining(`the ${word}`) as string),
  );
  // Today's worker knows what the version before was told.
  const last = JSON.stringify(bobbin.llm.requests.at(-1)?.body.messages);
  for (const word of ["first", "second", "third"]) expect(last).toContain(`the ${word}`);
  await leaves(today);
});

test.each([
  {
    which: "the version before begins an answer and today's worker ends it",
    first: oldWorker,
    second: newWorker,
  },
  {
    which: "today's worker begins an answer and the version before ends it",
    first: newWorker,
    second: oldWorker,
  },
])("$which, in the same message, without a model call too many", async ({ first, second }) => {
  const ben = bobbin.newPerson();
  const one = await first();
  const { length: asked } = bobbin.llm.requests;
  bobbin.llm.script(
    eventsThenSilence(delta({ content: "as far as here " })),
    says("as far as here and to the end"),
  );
  const thread = await ben.say("tell me all");
  const shown = await ben.shows(thread, "as far as here");
  const other = await second();
  await leaves(one);
  const replies = await ben.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled", text: "as far as here and to the end" }]);
  const [run] = await settledRuns(bobbin.transcripts, toSessionId(thread)!);
  expect(run?.attempts.map(({ ended }) => ended)).toEqual(["handed_over", "ended"]);
  expect(bobbin.llm.requests).toHaveLength(asked + 2);
  expect(bobbin.llm.complaints).toEqual([]);
  await leaves(other);
});

test("today's gateway beside workers of the version before: what it takes in is answered", async () => {
  const worker = await oldWorker();
  const gateway = await bobbin.addGateway();
  const cy = bobbin.newPerson(await gateway.ready());
  const thread = await cy.say("who is there?");
  const [reply] = await cy.replies(thread, 1);
  expect(reply?.text).toContain("who is there?");
  await leaves(worker);
  await leaves(gateway);
});
