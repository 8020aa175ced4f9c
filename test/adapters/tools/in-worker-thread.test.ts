import { expect, test } from "vitest";
import { inWorkerThread } from "../../../src/adapters/tools/in-worker-thread.ts";
import { until } from "../../support/until.ts";

const computes = new URL("../../fixtures/threads/computes.ts", import.meta.url);
const open = new AbortController().signal;

test("what a thread posts is the tool's result, and what it throws is the tool's error", async () => {
  const run = inWorkerThread(computes);
  expect(await run({ ms: 5 }, { signal: open })).toEqual({ computed: 5 });
  await expect(run({ throws: "no such number" }, { signal: open })).rejects.toThrow("no such number");
  await expect(run({ ends: true }, { signal: open })).rejects.toThrow("it ended without a result");
});

test("work that computes for ever ends with its call, and one whose call is over does not begin", async () => {
  const call = new AbortController();
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const running = inWorkerThread(computes)({ ms: Infinity, beats }, { signal: call.signal });
  await until(() => Atomics.load(beats, 0) > 0, { what: "it computes" });
  call.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
  const last = Atomics.load(beats, 0);
  await inWorkerThread(computes)({ ms: 50 }, { signal: open });
  expect(Atomics.load(beats, 0)).toBe(last);
  await expect(inWorkerThread(computes)({ ms: 1 }, { signal: call.signal })).rejects.toThrow("stopped");
});
