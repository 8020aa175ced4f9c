// Public failure reports of queues and stops (field cases Q11, G11), between processes: a gateway, and workers that come later.
import { afterAll, beforeAll, expect, test } from "vitest";
import { toSessionId } from "../../src/core/thread.ts";
import { refuses, says } from "../support/fake-llm/answers.ts";
import { until } from "../support/until.ts";
import { deploy, type Deployment } from "./deployment.ts";

let bobbin: Deployment;
beforeAll(async () => {
  bobbin = await deploy({ workers: 0 });
});
afterAll(() => bobbin[Symbol.asyncDispose]());

const inbounds = (thread: string) => bobbin.transcripts.inbounds(toSessionId(thread)!);
const fates = async (thread: string) => (await inbounds(thread)).map(({ fate }) => fate);
const isDone = (thread: string, count: number) =>
  until(async () => (await fates(thread)).filter((fate) => fate !== undefined).length === count, {
    what: `${count} things have their fate`,
  });

test("G11: a stop from another process, before the run has registered, ends what was asked and nothing that is asked later", async () => {
  const ana = bobbin.newPerson();
  const asked = bobbin.llm.requests.length;
  const thread = await ana.say("the first one");
  await ana.click(thread, "stop");
  expect(await fates(thread)).toEqual(["cancelled", "answered"]);
  await ana.say("the second one", thread);
  await bobbin.addWorker();
  await bobbin.addWorker();
  const [answer, ...more] = await ana.replies(thread, 1);
  expect([more, answer?.text]).toEqual([[], expect.stringContaining("the second one")]);
  expect(await fates(thread)).toEqual(["cancelled", "answered", "answered"]);
  expect(bobbin.llm.requests).toHaveLength(asked + 1);
});

test("G11: a stop right behind a mention, whoever has it by then, leaves the next mention untouched", async () => {
  const ana = bobbin.newPerson();
  bobbin.llm.respondWith(async (exchange) => {
    const isFirst = JSON.stringify(exchange.request.body.messages.at(-1)).includes("never ends");
    await (isFirst ? exchange.closed : says("the second is answered")(exchange));
  });
  const threads = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const thread = await ana.say("one that never ends");
      await ana.click(thread, "stop");
      await ana.say("and another", thread);
      return thread;
    }),
  );
  for (const thread of threads) {
    await isDone(thread, 3);
    expect(await fates(thread)).toEqual(["cancelled", "answered", "answered"]);
    // The fate is stored with the end of the run, and the last page is written behind it.
    await ana.shows(thread, "the second is answered");
    const shown = (await ana.read(thread)).filter(({ from }) => from === "bot");
    expect(shown.at(-1)?.text).toBe("the second is answered");
  }
  await until(() => bobbin.llm.open === 0, { what: "the model was left" });
});

test("Q11: a message that fails is given up before those behind it are read, in order, and other threads wait for none of it", async () => {
  const ana = bobbin.newPerson();
  const mayFail = Promise.withResolvers<void>();
  const order: string[] = [];
  bobbin.llm.respondWith(async (exchange) => {
    const turn = JSON.stringify(exchange.request.body.messages.at(-1));
    order.push(["A fails", "B waits", "elsewhere"].find((words) => turn.includes(words)) ?? turn);
    if (!turn.includes("B waits") && turn.includes("A fails")) {
      await mayFail.promise;
      return refuses(400)(exchange);
    }
    return says("answered")(exchange);
  });
  const thread = await ana.say("A fails");
  await until(() => order.length === 1, { what: "the model is asked about A" });
  for (const words of ["B waits", "C waits"]) await ana.say(words, thread);
  const other = await ana.say("elsewhere");
  await ana.replies(other, 1);
  mayFail.resolve();
  await isDone(thread, 3);
  expect(order).toEqual(["A fails", "elsewhere", "B waits"]);
  expect(await fates(thread)).toEqual(["failed", "answered", "answered"]);
  expect(JSON.stringify(bobbin.llm.requests.at(-1)?.body.messages.at(-1))).toMatch(/B waits.*C waits/s);
  const [failed] = await ana.replies(thread, 2);
  expect(failed?.retry).toBeDefined();
});
