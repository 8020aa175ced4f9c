// What is counted of runs, also of those that never come back.
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createInstruments } from "../../../src/adapters/metrics/instruments.ts";
import { observedStore } from "../../../src/adapters/metrics/observed-store.ts";
import { asRun, message, newSession } from "../../contract/store-samples.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { openMemoryLedger } from "../../support/memory-ledger/open.ts";

test("of runs that nobody ended here only so many are kept in mind: the others are counted, without their time", async () => {
  const clock = manualClock();
  const { inbox, store: plain } = openMemoryLedger(clock);
  const registry = new Registry();
  const meters = createInstruments(registry);
  const store = observedStore(plain, meters, clock, { most: 2 });
  const begun: ReturnType<typeof asRun>[] = [];
  for (let n = 0; n < 3; n += 1) {
    const session = newSession();
    await inbox.put(message(session, "hello"));
    begun.push(asRun(await store.open(session, "w")));
  }
  const timed = async (): Promise<number> =>
    (await meters.runTime.get()).values.find(({ metricName }) => metricName?.endsWith("_count"))?.value ?? 0;
  const ended = async (): Promise<number> =>
    (await meters.runs.get()).values.reduce((sum, { value }) => sum + value, 0);
  for (const { fence } of begun)
    await store.end(fence, { reason: "cancelled", modelCalls: [], note: "stopped" });
  expect([await ended(), await timed()]).toEqual([3, 2]);
});
