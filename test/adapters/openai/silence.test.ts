// W14 of the field cases: keep-alive comments are life but no data.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { ModelEvent } from "../../../src/core/ports/model.ts";
import { delta, eventsThenSilence, says } from "../../support/fake-llm/answers.ts";
import { asks, gather, only } from "../../support/fake-llm/request.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";
import { connected } from "./connected.ts";

/** One where the wait for the head ends, one where the wait for the body begins. */
const LOOKS_AT_HEAD = 2;

test("W14: comments keep a slow stream alive", async () => {
  const { clock, looks } = watchedClock();
  const pings = Promise.withResolvers<void>();
  let ping = async (): Promise<void> => {};
  await using provider = await connected(
    [
      async (exchange) => {
        ping = () => exchange.write(": ping\n\n");
        await pings.promise;
        await exchange.event(delta({ content: "at last" }, "stop"));
        exchange.end();
      },
    ],
    { clock: clock.watched, idleMs: 60_000, dataIdleMs: 100_000 },
  );
  const all = gather(provider.model, asks("go"));
  await until(() => provider.fake.open === 1, { what: "the request is there" });
  for (let second = 0; second < 90; second += 10) {
    const before = looks();
    await ping();
    await until(() => looks() > before, { what: "the ping was read" });
    await clock.advance(10_000);
  }
  pings.resolve();
  expect(only(await all, "done").text).toBe("at last");
  expect(clock.waiting).toBeLessThanOrEqual(1);
});

test("W14: comments alone end at the limit on time without data", async () => {
  const { clock, looks } = watchedClock();
  let ping = async (): Promise<void> => {};
  await using provider = await connected(
    [
      async (exchange) => {
        ping = () => exchange.write(": ping\n\n");
        await exchange.closed;
      },
    ],
    { clock: clock.watched, idleMs: 60_000, dataIdleMs: 100_000 },
  );
  let isOver = false;
  const all = gather(provider.model, asks("go")).finally(() => {
    isOver = true;
  });
  await until(() => provider.fake.open === 1, { what: "the request is there" });
  let seconds = 0;
  for (; !isOver && seconds < 200; seconds += 10) {
    const before = looks();
    await ping();
    await until(() => isOver || looks() > before, { what: "the ping was read" });
    await clock.advance(10_000);
  }
  expect(only(await all, "failed").error).toMatchObject({
    code: "model_timeout",
    facts: { phase: "data", limitMs: 100_000 },
  });
  expect(seconds).toBeLessThanOrEqual(110);
  await until(() => provider.fake.open === 0, { what: "the connection is closed" });
});

test("W6: a server that sends its head at once has as long for its first word as one that sends it later", async () => {
  const { clock, looks } = watchedClock();
  const thought = Promise.withResolvers<void>();
  let before = Number.POSITIVE_INFINITY;
  await using provider = await connected(
    [
      async (exchange) => {
        before = looks();
        exchange.begin();
        await thought.promise;
        await exchange.event(delta({ content: "at last" }, "stop"));
        exchange.end();
      },
    ],
    { clock: clock.watched, idleMs: 60_000, dataIdleMs: 150_000 },
  );
  const all = gather(provider.model, asks("go"));
  await until(() => looks() >= before + LOOKS_AT_HEAD, { what: "the head was read" });
  await clock.advance(149_000);
  thought.resolve();
  expect(only(await all, "done").text).toBe("at last");
});

test("W6: a head and nothing behind it ends at the limit on the first word", async () => {
  const { clock, looks } = watchedClock();
  let before = Number.POSITIVE_INFINITY;
  await using provider = await connected(
    [
      async (exchange) => {
        before = looks();
        exchange.begin();
        await exchange.closed;
      },
    ],
    { clock: clock.watched, idleMs: 60_000, dataIdleMs: 150_000 },
  );
  let isOver = false;
  const all = gather(provider.model, asks("go")).finally(() => {
    isOver = true;
  });
  await until(() => looks() >= before + LOOKS_AT_HEAD, { what: "the head was read" });
  await clock.advance(149_000);
  expect(isOver).toBe(false);
  await clock.advance(1_000);
  expect(only(await all, "failed").error).toMatchObject({
    code: "model_timeout",
    facts: { phase: "answer", limitMs: 150_000 },
  });
});

test("W14: a stream that stops without a byte ends at the limit on silence", async () => {
  const { clock, looks } = watchedClock();
  await using provider = await connected([eventsThenSilence(delta({ content: "and then" }))], {
    clock: clock.watched,
    idleMs: 60_000,
  });
  const all: ModelEvent[] = [];
  const reading = (async () => {
    for await (const event of provider.model.stream(asks("go"), new AbortController().signal))
      all.push(event);
  })();
  await until(() => all.some((event) => event.kind === "text") && looks() > 0, {
    what: "the text is there",
  });
  await clock.advance(59_000);
  expect(all.at(-1)?.kind).toBe("text");
  await clock.advance(1_000);
  await reading;
  expect(all.at(-1)).toMatchObject({
    kind: "failed",
    error: { code: "model_timeout", facts: { phase: "bytes" } },
  });
  expect(clock.waiting).toBe(0);
});

test("a reader that takes its time is no silence of the provider", async () => {
  const clock = manualClock();
  await using provider = await connected([says(["one ", "two ", "three"])], {
    clock,
    idleMs: 10,
    dataIdleMs: 10,
  });
  const all: ModelEvent[] = [];
  for await (const event of provider.model.stream(asks("go"), new AbortController().signal)) {
    all.push(event);
    if (event.kind === "text") await clock.advance(1_000);
  }
  expect(only(all, "done").text).toBe("one two three");
});

test("an abort ends a silent stream also after a garbage collection", async () => {
  // The SDK ties a signal to its answer by weak references; nothing may depend on them.
  await using provider = await connected([eventsThenSilence(delta({ content: "and then" }))]);
  const abort = new AbortController();
  const iterator = provider.model.stream(asks("go"), abort.signal)[Symbol.asyncIterator]();
  let next = await iterator.next();
  while (next.value?.kind !== "text") next = await iterator.next();
  const pending = iterator.next();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  abort.abort();
  expect((await pending).value).toEqual({ kind: "aborted" });
  await until(() => provider.fake.open === 0, { what: "the connection is closed" });
});

/** A manual clock that counts how often the time was read, which the client does with every read of the socket. */
function watchedClock() {
  const clock = manualClock();
  let count = 0;
  const ticks = (): number => {
    count++;
    return clock.ticks();
  };
  const watched = { now: clock.now, ticks, after: (ms: number, run: () => void) => clock.after(ms, run) };
  return { clock: Object.assign(clock, { watched }), looks: () => count };
}
