// Who is rung for the next turn of a goal finds its session free.
import { expect, test } from "vitest";
import type { RunQueue } from "../../../src/core/ports/run-queue.ts";
import { createGoalTurns, goalBell } from "../../../src/core/run/goal-turn.ts";
import { createServe } from "../../../src/core/run/serve-session.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { createSystemClock } from "../../../src/agent.ts";
import { createLocalLocker } from "../../../src/core/agent/local-locker.ts";
import { createGoalPolicies, DEFAULT_GOAL_RULES } from "../../../src/core/goal/policy.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { after, later, setGoal, turn } from "../../support/goals.ts";
import { createMemoryGoals } from "../../support/memory-goals.ts";
import { silentLog } from "../../support/silent-log.ts";

const cards = { changed: () => {}, shown: async () => {} };

test("a run that ends with the next turn due rings for it once, when the session is given back, and not where it found it taken", async () => {
  const session = "web:local:general:1" as SessionId;
  const locker = createLocalLocker();
  const found: string[] = [];
  const queue: Pick<RunQueue, "wake"> = {
    wake: async (which) => {
      found.push((await locker.withLock(`session:${which}`, { mode: "try" }, async () => {})).kind);
    },
  };
  const goals = createMemoryGoals(() => 0);
  const clock = createSystemClock();
  const ring = goalBell({ queue, clock, log: silentLog }, new AbortController().signal);
  const policies = createGoalPolicies(DEFAULT_GOAL_RULES);
  const turns = createGoalTurns({ goals, policies, cards, queue, clock, log: silentLog, ring }, new Set());
  const serve = createServe({
    locker,
    store: { hasWork: async () => false },
    released: turns.released,
    log: silentLog,
    async step() {
      turns.ended({ session, cause: "message" }, after(setGoal()));
      await serve(session, new AbortController().signal);
      expect(found).toEqual([]);
      return "worked";
    },
  });
  await serve(session, new AbortController().signal);
  expect(found).toEqual(["done"]);
});

test("a turn that has to keep a gap is rung for when that is over, and by nobody who leaves before", async () => {
  const session = "web:local:general:1" as SessionId;
  for (const leaves of [false, true]) {
    const clock = manualClock();
    const rung: SessionId[] = [];
    const leaving = new AbortController();
    const queue = { wake: async (which: SessionId) => void rung.push(which) };
    const ring = goalBell({ queue, clock, log: silentLog }, leaving.signal);
    const goal = later(after(setGoal()), 2_000, { kind: "begin" }, turn({ gapMs: 3_000 }));
    ring(session, goal);
    await clock.advance(2_999);
    expect(rung).toEqual([]);
    if (leaves) leaving.abort();
    await clock.advance(1);
    expect(rung).toEqual(leaves ? [] : [session]);
  }
});

test("when a turn of a goal has ended, those that are due longest in its space are rung for before its own next one", async () => {
  const [own, other] = ["web:local:general:1", "web:local:general:2"] as SessionId[];
  const rung: (SessionId | undefined)[] = [];
  const done = Promise.withResolvers<void>();
  const queue = {
    wake: async (which: SessionId) => {
      rung.push(which);
      if (which === own) done.resolve();
    },
  };
  const clock = createSystemClock();
  const goals = { ...createMemoryGoals(() => 0), due: async () => [other!, own!] };
  const ring = goalBell({ queue, clock, log: silentLog }, new AbortController().signal);
  const policies = createGoalPolicies(DEFAULT_GOAL_RULES);
  const turns = createGoalTurns({ goals, policies, cards, queue, clock, log: silentLog, ring }, new Set());
  turns.ended({ session: own!, cause: "continuation" }, after(setGoal()));
  turns.released(own!);
  await done.promise;
  expect(rung).toEqual([other, own]);
});
