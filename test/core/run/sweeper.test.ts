import { expect, test } from "vitest";
import { createSweeper, type SweeperDeps, type SweeperOptions } from "../../../src/core/run/sweeper.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { sessionNamed } from "../../contract/run-queue.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";

function open(options: SweeperOptions = {}, deps: Partial<SweeperDeps> = {}) {
  const clock = manualClock();
  const asked: { readonly idleMs: number; readonly limit: number }[] = [];
  const rung: { readonly session: SessionId; readonly at: number }[] = [];
  let due: readonly SessionId[] = [];
  let failure: Error | undefined;
  const sweeper = createSweeper(
    {
      store: {
        async due(idleMs, limit) {
          asked.push({ idleMs, limit });
          if (failure !== undefined) throw failure;
          return due.slice(0, limit);
        },
      },
      queue: { wake: async (session) => void rung.push({ session, at: clock.ticks() }) },
      clock,
      log: silentLog,
      random: () => 0.5,
      exclusive: (body) => body(),
      ...deps,
    },
    options,
  );
  return {
    clock,
    sweeper,
    asked,
    rung,
    set due(sessions: readonly SessionId[]) {
      due = sessions;
    },
    set failure(error: Error | undefined) {
      failure = error;
    },
  };
}

const many = (count: number): SessionId[] =>
  Array.from({ length: count }, (_, place) => sessionNamed(`s${place}`));

test("at the start it rings at once for everything that is due, however fresh, then in turn for what lies idle", async () => {
  const world = open({ everyMs: 15_000, idleMs: 8_000, batch: 50 });
  world.due = [sessionNamed("a"), sessionNamed("b")];
  world.sweeper.start();
  await world.clock.advance(0);
  expect(world.rung).toEqual([
    { session: sessionNamed("a"), at: 0 },
    { session: sessionNamed("b"), at: 0 },
  ]);
  await world.clock.advance(14_999);
  expect(world.asked).toEqual([{ idleMs: 0, limit: 50 }]);
  await world.clock.advance(1);
  expect(world.asked).toEqual([
    { idleMs: 0, limit: 50 },
    { idleMs: 8_000, limit: 50 },
  ]);
  await world.sweeper.stop();
  expect(world.clock.waiting).toBe(0);
});

test("a large backlog is spread out: never more than a batch in a sweep, never more than a few at once", async () => {
  const world = open({ everyMs: 15_000, batch: 100, gapMs: 20 });
  world.due = many(500);
  world.sweeper.start();
  await world.clock.advance(10_000);
  expect(world.rung).toHaveLength(100);
  const perMoment = new Map<number, number>();
  for (const { at } of world.rung) perMoment.set(at, (perMoment.get(at) ?? 0) + 1);
  expect(Math.max(...perMoment.values())).toBe(10);
  expect(world.rung.at(-1)?.at).toBe(90 * 20);
  await world.sweeper.stop();
});

test("a ledger or a bell that fails costs one sweep, and the next one tries again", async () => {
  const world = open({ everyMs: 1_000 });
  world.failure = new Error("Postgres is away");
  world.sweeper.start();
  await world.clock.advance(0);
  world.failure = undefined;
  world.due = [sessionNamed("a")];
  await world.clock.advance(1_000);
  expect(world.rung).toHaveLength(1);
  await world.sweeper.stop();

  let tries = 0;
  const wake = async (): Promise<void> => {
    tries += 1;
    throw new Error("Redis is away");
  };
  const mute = open({ everyMs: 1_000 }, { queue: { wake } });
  mute.due = many(40);
  mute.sweeper.start();
  await mute.clock.advance(0);
  // One is enough to know; the others would each wait for their time limit.
  expect(tries).toBe(1);
  await mute.clock.advance(1_000);
  expect(tries).toBe(2);
  await mute.sweeper.stop();
});

test("a sweep that failed is tried again soon, until one succeeds, which rings for everything however fresh", async () => {
  const world = open({ everyMs: 15_000, soonMs: 1_000, idleMs: 8_000 });
  world.failure = new Error("Postgres is away");
  world.sweeper.start();
  await world.clock.advance(60_000);
  expect(world.asked.length).toBeGreaterThan(50);
  world.failure = undefined;
  world.due = [sessionNamed("a")];
  await world.clock.advance(1_000);
  expect(world.rung).toHaveLength(1);
  expect(world.asked.at(-1)?.idleMs).toBe(0);
  await world.clock.advance(15_000);
  expect(world.asked.at(-1)?.idleMs).toBe(8_000);
  await world.sweeper.stop();
});

test("told of trouble it looks soon and rings for everything; trouble that goes on is looked at less and less often", async () => {
  const world = open({ everyMs: 15_000, soonMs: 1_000, idleMs: 8_000 });
  world.sweeper.lookSoon();
  await world.clock.advance(20_000);
  expect(world.asked).toEqual([]);
  world.sweeper.start();
  await world.clock.advance(5_000);
  const looks: number[] = [];
  for (let at = 0; at < 40_000; at += 500) {
    const before = world.asked.length;
    world.sweeper.lookSoon();
    world.sweeper.lookSoon();
    await world.clock.advance(500);
    if (world.asked.length > before) looks.push(at + 500);
  }
  // 1, 2, 4, 8 and then 15 seconds apart, each begun at the next call.
  expect(looks).toEqual([1_000, 3_000, 7_000, 15_000, 30_000]);
  expect(world.asked.at(-1)?.idleMs).toBe(0);
  // All is well for the usual time: the next trouble is looked at soon again.
  await world.clock.advance(30_000);
  const before = world.asked.length;
  world.sweeper.lookSoon();
  await world.clock.advance(1_000);
  expect(world.asked).toHaveLength(before + 1);
  await world.sweeper.stop();
  world.sweeper.lookSoon();
  expect(world.clock.waiting).toBe(0);
});

test("one process sweeps at a time: who finds another at it rings for nobody and tries again later", async () => {
  let isTaken = true;
  const exclusive = async (body: () => Promise<void>): Promise<void> => {
    if (!isTaken) await body();
  };
  const world = open({ everyMs: 1_000 }, { exclusive });
  world.due = [sessionNamed("a")];
  world.sweeper.start();
  await world.clock.advance(999);
  expect(world.asked).toEqual([]);
  isTaken = false;
  await world.clock.advance(1);
  expect(world.rung).toHaveLength(1);
  await world.sweeper.stop();
});

test("stopping ends the sweep under way at its next ring, may be done twice, and nothing starts afterwards", async () => {
  const world = open({ everyMs: 1_000, gapMs: 50 });
  world.due = many(100);
  world.sweeper.start();
  await world.clock.advance(100);
  const before = world.rung.length;
  await Promise.all([world.sweeper.stop(), world.sweeper.stop()]);
  expect(world.rung).toHaveLength(before);
  world.sweeper.start();
  await world.clock.advance(60_000);
  expect(world.rung).toHaveLength(before);
  expect(world.clock.waiting).toBe(0);
});

test("a sweep that takes longer than the pause is never overtaken by the next one", async () => {
  const world = open({ everyMs: 100, batch: 50, gapMs: 50 });
  world.due = many(50);
  world.sweeper.start();
  await world.clock.advance(2_000);
  expect(world.asked).toHaveLength(1);
  await world.clock.advance(100);
  expect(world.asked).toHaveLength(2);
  await world.sweeper.stop();
});

test("a sweeper that never started stops", async () => {
  await open().sweeper.stop();
});

test("after a start goals begin spread over some seconds, people's messages at once; later goals are rung for at once too", async () => {
  const goals = Array.from({ length: 60 }, (_, n) => sessionNamed(`goal-${n}`));
  const rung: number[] = [];
  let drawn = 0;
  const world = open(
    { spreadMs: 8_000 },
    {
      random: () => (drawn++ % 10) / 10,
      goals: {
        store: { due: async () => goals },
        queue: { wake: async () => void rung.push(world.clock.ticks()) },
      },
    },
  );
  const start = world.clock.ticks();
  world.due = [sessionNamed("asked")];
  world.sweeper.start();
  await world.clock.advance(0);
  expect(world.rung.map(({ at }) => at - start)).toEqual([0]);
  expect(rung.length).toBeLessThan(10);
  await world.clock.advance(8_000);
  expect(rung).toHaveLength(60);
  expect(new Set(rung.map((at) => at - start))).toEqual(
    new Set([0, 800, 1_600, 2_400, 3_200, 4_000, 4_800, 5_600, 6_400, 7_200]),
  );
  await world.sweeper.stop();
});

test("a sweeper that was stopped rings for no goal any more", async () => {
  const rung: SessionId[] = [];
  const world = open(
    {},
    {
      goals: {
        store: { due: async () => [sessionNamed("one"), sessionNamed("two")] },
        queue: { wake: async (session) => void rung.push(session) },
      },
    },
  );
  world.sweeper.start();
  await world.clock.advance(0);
  await world.sweeper.stop();
  await world.clock.advance(60_000);
  expect(rung).toEqual([]);
});
