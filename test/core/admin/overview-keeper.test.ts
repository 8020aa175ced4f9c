// What keeps the list of threads up to date, with a clock of its own.
import { expect, test } from "vitest";
import { createOverviewKeeper } from "../../../src/core/admin/overview-keeper.ts";
import type { Lease } from "../../../src/core/ports/locker.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";

function world(behind: string[] = []) {
  const clock = manualClock();
  const made: string[] = [];
  const state = { isAway: false };
  const keeper = createOverviewKeeper({
    clock,
    log: silentLog,
    exclusive: (body) => body(),
    maker: {
      async make(session) {
        if (state.isAway) throw new Error("away");
        made.push(session);
        behind.splice(behind.indexOf(session), behind.includes(session) ? 1 : 0);
      },
      behind: (limit) => Promise.resolve(behind.slice(0, limit) as SessionId[]),
    },
  });
  const serve = keeper.after(() => Promise.resolve("worked"));
  const served = (session: string) =>
    serve(session as SessionId, {} as unknown as Lease, new AbortController().signal);
  return { clock, keeper, made, served, state, behind };
}

test("a thread that is served often within a second is looked at once, and nobody waits for it", async () => {
  const { clock, made, served, keeper } = world();
  for (let n = 0; n < 20; n++) expect(await served("slack:T1:C1:1")).toBe("worked");
  expect(made).toEqual([]);
  await clock.advance(1_000);
  expect(made).toEqual(["slack:T1:C1:1"]);
  await keeper.stop();
  expect(clock.waiting).toBe(0);
});

test("a thread that is under way for long can be found before it ends, and one that ends soon is looked at once", async () => {
  const { clock, keeper, made } = world();
  const ends = Promise.withResolvers<"worked">();
  const serve = keeper.after((session) =>
    session.endsWith("long") ? ends.promise : Promise.resolve("worked"),
  );
  const begin = (session: string) =>
    serve(session as SessionId, {} as unknown as Lease, new AbortController().signal);
  const long = begin("slack:T1:C1:long");
  await begin("slack:T1:C1:short");
  await clock.advance(5_900);
  expect(made).toEqual(["slack:T1:C1:short"]);
  await clock.advance(200);
  expect(made).toEqual(["slack:T1:C1:short", "slack:T1:C1:long"]);
  ends.resolve("worked");
  await long;
  await clock.advance(1_100);
  expect(made).toEqual(["slack:T1:C1:short", "slack:T1:C1:long", "slack:T1:C1:long"]);
  await keeper.stop();
  expect(clock.waiting).toBe(0);
});

test("what was missed, since a process died or the store was away, is made up for by the look at all", async () => {
  const behind = Array.from({ length: 250 }, (_, n) => `slack:T1:C1:${n}`);
  const all = [...behind];
  const { clock, made, served, keeper, state } = world(behind);
  state.isAway = true;
  await served("slack:T1:C1:3");
  keeper.start();
  await clock.advance(1_000);
  expect(made).toEqual([]);
  state.isAway = false;
  await clock.advance(62_000);
  expect(made.toSorted()).toEqual(all.toSorted());
  await keeper.stop();
  expect(clock.waiting).toBe(0);
});

test("a stop ends a look at many threads between two of them", async () => {
  const { clock, made, keeper } = world(Array.from({ length: 5_000 }, (_, n) => `slack:T1:C1:${n}`));
  keeper.start();
  await clock.advance(50);
  await keeper.stop();
  const soFar = made.length;
  expect(soFar).toBeGreaterThan(0);
  expect(soFar).toBeLessThan(100);
  await clock.advance(120_000);
  expect(made).toHaveLength(soFar);
});

test("it rests after each thread for some times as long as that took, so that answers come first", async () => {
  const clock = manualClock();
  const made: string[] = [];
  const keeper = createOverviewKeeper({
    clock,
    log: silentLog,
    exclusive: (body) => body(),
    maker: {
      make: (session) =>
        new Promise((resolve) => {
          clock.after(50, () => {
            made.push(session);
            resolve();
          });
        }),
      behind: () => Promise.resolve([]),
    },
  });
  const serve = keeper.after(() => Promise.resolve("worked"));
  for (const session of ["slack:T1:C1:1", "slack:T1:C1:2"])
    await serve(session as SessionId, {} as unknown as Lease, new AbortController().signal);
  await clock.advance(1_050);
  expect(made).toEqual(["slack:T1:C1:1"]);
  await clock.advance(490);
  expect(made).toEqual(["slack:T1:C1:1"]);
  await clock.advance(20);
  expect(made).toEqual(["slack:T1:C1:1", "slack:T1:C1:2"]);
  await keeper.stop();
});

test("a thread that cannot be made is passed over, and is tried again by the next look at all", async () => {
  const clock = manualClock();
  const bad = "slack:T1:C1:bad";
  const behind = new Set([bad, ...Array.from({ length: 250 }, (_, n) => `slack:T1:C1:${n}`)]);
  let tries = 0;
  const keeper = createOverviewKeeper({
    clock,
    log: silentLog,
    exclusive: (body) => body(),
    maker: {
      async make(session) {
        if (session === bad && ++tries === 1) throw new Error("a row that cannot be read");
        behind.delete(session);
      },
      behind: (limit) => Promise.resolve([...behind].slice(0, limit) as SessionId[]),
    },
  });
  keeper.start();
  await clock.advance(10_000);
  expect([tries, ...behind]).toEqual([1, bad]);
  await clock.advance(60_000);
  expect([tries, ...behind]).toEqual([2]);
  await keeper.stop();
});

test("a look at all that takes longer than a minute gives the lock back every few seconds, and is not begun again behind itself", async () => {
  const clock = manualClock();
  const behind = new Set(Array.from({ length: 90 }, (_, n) => `slack:T1:C1:${n}`));
  const held: number[] = [];
  let looks = 0;
  const keeper = createOverviewKeeper({
    clock,
    log: silentLog,
    async exclusive(body) {
      const begun = clock.ticks();
      await body();
      held.push(clock.ticks() - begun);
    },
    maker: {
      make: (session) =>
        new Promise((resolve) => {
          clock.after(2_000, () => {
            behind.delete(session);
            resolve();
          });
        }),
      behind(limit) {
        looks += 1;
        return Promise.resolve([...behind].slice(0, limit) as SessionId[]);
      },
    },
  });
  keeper.start();
  await clock.advance(200_000);
  expect(behind.size).toBe(0);
  expect(Math.max(...held)).toBeLessThan(10_000);
  // Three in each batch, and one look at all that was asked for meanwhile.
  expect(looks).toBeLessThanOrEqual(90 / 3 + 2);
  await keeper.stop();
});

test("a very long thread that never rests is made now and then, and the others as ever", async () => {
  const clock = manualClock();
  const made: string[] = [];
  const keeper = createOverviewKeeper({
    clock,
    log: silentLog,
    exclusive: (body) => body(),
    maker: {
      make: (session) =>
        new Promise((resolve) => {
          clock.after(session.endsWith("long") ? 500 : 1, () => {
            made.push(session);
            resolve();
          });
        }),
      behind: () => Promise.resolve([]),
    },
  });
  const serve = keeper.after(() => Promise.resolve("worked"));
  for (let second = 0; second < 40; second++) {
    for (const session of ["slack:T1:C1:long", "slack:T1:C1:short"])
      await serve(session as SessionId, {} as unknown as Lease, new AbortController().signal);
    await clock.advance(1_000);
  }
  const times = (of: string): number => made.filter((session) => session.endsWith(of)).length;
  expect(times("long")).toBeGreaterThanOrEqual(3);
  expect(times("long")).toBeLessThanOrEqual(5);
  expect(times("short")).toBeGreaterThan(30);
  // What waits for its turn is made when nobody speaks any more, too.
  const before = times("long");
  await clock.advance(15_000);
  expect(times("long")).toBe(before + 1);
  await keeper.stop();
  expect(clock.waiting).toBe(0);
});
