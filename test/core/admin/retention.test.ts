// What is asked of the store so that nothing is kept for longer than it may, and how long the lock is held for it.
import { expect, test } from "vitest";
import { createRetentionKeeper, type RetentionRules } from "../../../src/core/admin/retention.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import type { Retention } from "../../../src/core/ports/retention.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";

/** @returns in how many pieces it was done. */
async function sweep(
  rules: RetentionRules,
  retention: Retention,
  time: ManualClock = manualClock(),
  clock: Clock = time,
): Promise<number> {
  let pieces = 0;
  const keeper = createRetentionKeeper({
    retention,
    audit: { write: async () => {} },
    rules,
    clock,
    log: silentLog,
    exclusive: async (body) => {
      pieces += 1;
      await body();
    },
  });
  keeper.start();
  await time.advance(60_000);
  await keeper.stop();
  return pieces;
}

test("a space that is named is looked at, whether anything of it is known or not, and each only once", async () => {
  const asked: string[] = [];
  const retention: Retention = {
    spaces: async () => [{ platform: "slack", space: "T1" }],
    async forget({ platform, space }, kind) {
      asked.push(`${platform}:${space} ${kind}`);
      return { count: 0, errors: [] };
    },
  };
  const days = { conversations: 30 };
  const spaces = { "discord:dm": days, "slack:T1": { audit: 7 } };
  await sweep({ everywhere: {}, spaces }, retention);
  expect(asked).toEqual(["slack:T1 audit", "discord:dm conversations"]);
});

test("a step is told when its time is over, so that no lock is held for as long as many threads take", async () => {
  const time = manualClock();
  let spentMs = 0;
  const clock = { ...time, ticks: () => time.ticks() + spentMs };
  const looked: number[] = [];
  const retention: Retention = {
    spaces: async () => [{ platform: "slack", space: "T1" }],
    async forget(_space, _kind, { limit, mayGoOn = () => true }) {
      let count = 0;
      // As if each thread took two seconds.
      do {
        count += 1;
        spentMs += 2_000;
      } while (count < limit && mayGoOn());
      looked.push(count);
      return { count, errors: [], ...(looked.length < 3 ? { next: String(looked.length) } : {}) };
    },
  };
  const rules = { everywhere: { conversations: 30 }, spaces: {} };
  const pieces = await sweep(rules, retention, time, clock);
  expect(looked).toEqual([3, 3, 3]);
  expect(pieces).toBe(3);
});
