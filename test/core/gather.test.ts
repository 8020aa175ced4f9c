import { expect, test } from "vitest";
import { gathered, type GatherOptions } from "../../src/core/gather.ts";
import { until } from "../support/until.ts";

/** A joint call that ends when the test says so. */
function world(options: GatherOptions) {
  const calls: { readonly items: readonly number[]; end(): void; fail(error: Error): void }[] = [];
  const ask = gathered<number, string>((items) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    calls.push({ items, end: () => resolve(items.map((item) => `answer ${item}`)), fail: reject });
    return promise;
  }, options);
  const called = (count: number) => until(() => calls.length === count, { what: `${count} calls` });
  return { ask, calls, called, items: () => calls.map((call) => call.items) };
}

test("who comes alone goes alone; what comes in one turn, or meanwhile, goes together", async () => {
  const { ask, calls, called, items } = world({ atOnce: 1, most: 10 });
  const first = ask(1);
  await called(1);
  const rest = [ask(2), ask(3), ask(4)];
  calls[0]?.end();
  expect(await first).toBe("answer 1");
  await called(2);
  calls[1]?.end();
  expect(await Promise.all(rest)).toEqual(["answer 2", "answer 3", "answer 4"]);
  const turn = [ask(5), ask(6)];
  await called(3);
  calls[2]?.end();
  await Promise.all(turn);
  expect(items()).toEqual([[1], [2, 3, 4], [5, 6]]);
});

test("no more calls are under way than may be, and none is larger than it may be", async () => {
  const { ask, calls, called, items } = world({ atOnce: 2, most: 3 });
  const all = Promise.all(Array.from({ length: 8 }, (_, index) => ask(index)));
  await called(2);
  expect(items()).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ]);
  calls[1]?.end();
  await called(3);
  expect(items()[2]).toEqual([6, 7]);
  for (const call of calls) call.end();
  expect(await all).toHaveLength(8);
});

test("a joint call that fails fails for those in it, and the next one goes on", async () => {
  const { ask, calls, called } = world({ atOnce: 1, most: 10 });
  const failing = [ask(1), ask(2)].map((asked) => asked.catch((error: Error) => error.message));
  await called(1);
  const next = ask(3);
  calls[0]?.fail(new Error("away"));
  expect(await Promise.all(failing)).toEqual(["away", "away"]);
  await called(2);
  calls[1]?.end();
  expect(await next).toBe("answer 3");
});

test("an answer that comes later holds nobody else up, and fails alone", async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  const ask = gathered<number, string>(
    (items) => Promise.resolve(items.map((item) => (item === 1 ? promise : `answer ${item}`))),
    { atOnce: 1, most: 10 },
  );
  const late = ask(1);
  expect(await Promise.all([ask(2), ask(3)])).toEqual(["answer 2", "answer 3"]);
  reject(new Error("only this one"));
  await expect(late).rejects.toThrow("only this one");
});
