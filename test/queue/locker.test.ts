// What only leases in Redis can show: how one is lost.
import { describe, expect, test } from "vitest";
import { BobbinError } from "../../src/core/errors.ts";
import type { Lease } from "../../src/core/ports/locker.ts";
import { HeldLease, momentOf } from "../../src/queue/lease.ts";
import { JOB_LOCK_MS, jobRenewMs, longestLeaseMs } from "../../src/queue/lock-times.ts";
import { createRedisLocker } from "../../src/queue/locker.ts";
import { manualClock } from "../support/manual-clock.ts";
import { silentLog } from "../support/silent-log.ts";
import { until } from "../support/until.ts";
import { clock, openFreshParts } from "./redis-parts.ts";

const KEY = "slack:T1:C1:1700000000.000100";

/** Keeps the body in until its lease is lost. */
const untilLost = (lease: Lease): Promise<void> =>
  new Promise((resolve) => lease.signal.addEventListener("abort", () => resolve(), { once: true }));

describe("a lease in Redis", () => {
  test("is renewed while its body runs, and gone when it has settled", async () => {
    await using parts = await openFreshParts();
    const { commands, prefix } = parts.redis;
    const redisKey = `${prefix}:lease:${KEY}`;
    const time = manualClock();
    const deps = { redis: parts.redis, clock: time, log: silentLog, newToken: () => "t" };
    await createRedisLocker(deps, { ttlMs: 60_000 }).withLock(KEY, { mode: "try" }, async (lease) => {
      // Twice its time to live.
      for (let passed = 0; passed < 120_000; passed += 20_000) {
        await commands.pexpire(redisKey, 30_000);
        await time.advance(20_000);
        await until(async () => (await commands.pttl(redisKey)) > 30_000, { what: "it is renewed" });
        expect(lease.isLive()).toBe(true);
      }
    });
    expect(await commands.exists(redisKey)).toBe(0);
  });

  test("that was deleted aborts the signal and is not live any more", async () => {
    await using parts = await openFreshParts();
    await parts.locker({ ttlMs: 300 }).withLock(KEY, { mode: "try" }, async (lease) => {
      await parts.redis.commands.flushdb();
      await untilLost(lease);
      expect(lease.isLive()).toBe(false);
      expect(lease.signal.reason).toMatchObject({ code: "lease_lost" });
    });
  });

  test("Q3: that another has taken is neither renewed nor released by the late holder", async () => {
    await using parts = await openFreshParts();
    const redisKey = `${parts.redis.prefix}:lease:${KEY}`;
    await parts.locker({ ttlMs: 300 }).withLock(KEY, { mode: "try" }, async (lease) => {
      await parts.redis.commands.set(redisKey, "another's token", "PX", 60_000);
      await untilLost(lease);
    });
    expect(await parts.redis.commands.get(redisKey)).toBe("another's token");
    expect(await parts.redis.commands.pttl(redisKey)).toBeGreaterThan(50_000);
    expect(await parts.locker().withLock(KEY, { mode: "try" }, async () => {})).toEqual({ kind: "busy" });
  });

  test("Q3: every acquisition has a token of its own", async () => {
    await using parts = await openFreshParts();
    const locker = parts.locker();
    const tokens = new Set<string | null>();
    for (let turn = 0; turn < 3; turn++) {
      await locker.withLock(KEY, { mode: "try" }, async () => {
        tokens.add(await parts.redis.commands.get(`${parts.redis.prefix}:lease:${KEY}`));
      });
    }
    expect(tokens.size).toBe(3);
    expect(tokens).not.toContain(null);
  });

  test("Q1: is not live after the event loop was blocked past it, before any timer could say so", async () => {
    await using parts = await openFreshParts();
    await parts.locker({ ttlMs: 1_000 }).withLock(KEY, { mode: "try" }, async (lease) => {
      expect(lease.isLive()).toBe(true);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
      expect(lease.isLive()).toBe(false);
      expect(lease.signal.aborted).toBe(false);
      await untilLost(lease);
    });
  });

  test("Q16: whose work never ends is given up, so that the next in the thread is served", async () => {
    await using parts = await openFreshParts();
    const hanging = parts
      .locker({ ttlMs: 200, maxHoldMs: 300, graceMs: 50 })
      .withLock(KEY, { mode: "try" }, () => new Promise(() => {}));
    await expect(hanging).rejects.toMatchObject({ code: "lease_lost" });
    expect(await parts.locker().withLock(KEY, { mode: "try" }, async () => "in")).toEqual({
      kind: "done",
      value: "in",
    });
  });

  test("cannot be had while Redis is away: lock_failed, and the body does not run", async () => {
    await using parts = await openFreshParts();
    parts.redis.close();
    let ran = false;
    const locked = parts.locker().withLock(KEY, { mode: "wait" }, async () => void (ran = true));
    await expect(locked).rejects.toMatchObject({ code: "lock_failed", retryable: true });
    expect(ran).toBe(false);
  });

  test("is not taken by who was suspended before the answer came", async () => {
    await using parts = await openFreshParts();
    let wall = 0;
    const asleep = { ...manualClock(), now: () => (wall += 60_000) };
    const deps = { redis: parts.redis, clock: asleep, log: silentLog, newToken: () => "t" };
    let ran = false;
    const locked = createRedisLocker(deps).withLock(KEY, { mode: "try" }, async () => void (ran = true));
    await expect(locked).rejects.toMatchObject({ code: "lock_failed", retryable: true });
    expect(ran).toBe(false);
    expect(await parts.redis.commands.exists(`${parts.redis.prefix}:lease:${KEY}`)).toBe(0);
  });

  test("the default lease ends before the lock of a job that a dead worker had just not renewed", () => {
    expect(longestLeaseMs(JOB_LOCK_MS)).toBeLessThan(JOB_LOCK_MS - jobRenewMs(JOB_LOCK_MS));
    expect(longestLeaseMs(JOB_LOCK_MS)).toBe(7_000);
  });

  test("options that make no sense are refused by name", async () => {
    await using parts = await openFreshParts();
    const deps = { redis: parts.redis, clock, log: silentLog, newToken: () => "t" };
    expect(() => createRedisLocker(deps, { ttlMs: 0 })).toThrow(/ttlMs/);
    expect(() => createRedisLocker(deps, { pollMs: -1 })).toThrow(/pollMs/);
  });
});

describe("the deadline of a lease", () => {
  test("counts from when the renewal was sent, not from its answer", async () => {
    const time = manualClock();
    const answers: ((isOurs: boolean) => void)[] = [];
    const renew = (): Promise<boolean> => new Promise((resolve) => answers.push(resolve));
    const lease = open(time, renew);
    await time.advance(300); // sent at 300
    expect(answers).toHaveLength(1);
    await time.advance(500); // answered at 800
    answers[0]?.(true);
    await time.advance(0);
    expect(lease.isLive()).toBe(true);
    await time.advance(399); // 1,199
    expect(lease.isLive()).toBe(true);
    await time.advance(1); // 300 + 900
    expect(lease.isLive()).toBe(false);
    expect(lease.signal.aborted).toBe(true);
    lease.end();
    expect(time.waiting).toBe(0);
  });

  test("is kept while Redis cannot be asked, and renewals are tried until then", async () => {
    const time = manualClock();
    let asked = 0;
    const lease = open(time, async () => {
      asked += 1;
      throw new Error("Redis is away");
    });
    await time.advance(899);
    expect(asked).toBeGreaterThan(3);
    expect(lease.isLive()).toBe(true);
    await time.advance(1);
    expect(lease.isLive()).toBe(false);
    expect(lease.signal.reason).toBeInstanceOf(BobbinError);
    expect(time.waiting).toBe(0);
  });

  test("a lease that was lost stays lost, also when a late answer says that it is ours", async () => {
    const time = manualClock();
    const answers: ((isOurs: boolean) => void)[] = [];
    const lease = open(time, () => new Promise((resolve) => answers.push(resolve)));
    await time.advance(900);
    answers[0]?.(true);
    await time.advance(0);
    expect(lease.isLive()).toBe(false);
    expect(time.waiting).toBe(0);
  });

  test("a wall clock that is set back changes nothing, nor does one that is set forward by less than is left", async () => {
    const time = manualClock();
    const lease = open(time, async () => true);
    time.jump(-48 * 3_600_000);
    await time.advance(5_000);
    expect(lease.isLive()).toBe(true);
    time.jump(500);
    expect(lease.isLive()).toBe(true);
    await time.advance(5_000);
    expect(lease.isLive()).toBe(true);
    lease.end();
  });

  test("a machine that was suspended, for which time stood still, wakes without its lease, as the wall clock tells", async () => {
    const time = manualClock();
    let asked = 0;
    const lease = open(time, async () => ++asked > 0);
    await time.advance(400);
    time.jump(60_000);
    expect(lease.isLive()).toBe(false);
    await time.advance(300);
    expect(lease.signal.reason).toMatchObject({ code: "lease_lost" });
    expect(asked).toBe(1);
    expect(lease.isLive()).toBe(false);
    expect(time.waiting).toBe(0);
  });

  test("Q16: renewals end when it was held for too long", async () => {
    const time = manualClock();
    const lease = open(time, async () => true, 10_000);
    await time.advance(9_900);
    expect(lease.isLive()).toBe(true);
    await time.advance(300);
    expect(lease.signal.reason).toMatchObject({ code: "lease_lost" });
    expect(time.waiting).toBe(0);
  });

  function open(
    time: ReturnType<typeof manualClock>,
    renew: () => Promise<boolean>,
    maxHoldMs = Infinity,
  ): HeldLease {
    const options = { sentAt: momentOf(time), ttlMs: 900, maxHoldMs };
    return new HeldLease({ clock: time, log: silentLog, renew }, options);
  }
});
