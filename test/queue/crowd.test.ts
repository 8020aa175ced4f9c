// Hundreds of replies that grow at once in one workspace, over the real script of Redis and on a simulated clock.
import { expect, test } from "vitest";
import { createLocalPacer } from "../../src/adapters/local/pacer.ts";
import type { Clock } from "../../src/core/ports/clock.ts";
import type { Pacer } from "../../src/core/ports/pacer.ts";
import { runCrowd, type CrowdOptions } from "../support/crowd/crowd.ts";
import { openSharedPacers } from "../support/crowd/shared-pacers.ts";
import { freshRedis } from "../support/services/redis.ts";

const CROWD = {
  seed: 7,
  processes: 4,
  runs: 250,
  endsPerMinute: 40,
  warmUpMinutes: 1,
  minutes: 2,
  channels: 25,
} as const satisfies Omit<CrowdOptions, "pacerOf">;

const refusedOf = ({ calls }: { readonly calls: readonly { readonly isRefused: boolean }[] }): number =>
  calls.filter(({ isRefused }) => isRefused).length;

test("four processes share a workspace's budget: no final waits for progress, and Slack never has to say no", async () => {
  await using corner = await freshRedis();
  using shared = await openSharedPacers(corner, CROWD.processes);
  const crowd = await runCrowd({ ...CROWD, pacerOf: shared.pacerOf });
  expect(crowd.finals.length).toBeGreaterThan(60);
  expect(crowd.missing).toBe(0);
  expect(Math.max(...crowd.finals)).toBeLessThan(15_000);
  expect(refusedOf(crowd)).toBe(0);
  // What finals leave is not wasted.
  const edits = crowd.calls.filter(({ method }) => method === "chat.update").length;
  expect(edits).toBeGreaterThan(45 * CROWD.minutes);
});

test("finals go first also where Slack takes fewer at once than it says: after its first refusal all keep to their order", async () => {
  let shared: Pacer | undefined;
  const pacerOf = (_process: number, clock: Clock): Pacer => (shared ??= createLocalPacer(clock));
  const crowd = await runCrowd({ ...CROWD, burst: 5, pacerOf });
  expect(crowd.missing).toBe(0);
  expect(Math.max(...crowd.finals)).toBeLessThan(30_000);
  expect(refusedOf(crowd)).toBeLessThan(0.05 * crowd.calls.length);
});

test("without a shared budget the same crowd is refused again and again: the simulation notices", async () => {
  const crowd = await runCrowd({ ...CROWD, pacerOf: (_process, clock) => createLocalPacer(clock) });
  expect(refusedOf(crowd)).toBeGreaterThan(50);
});
