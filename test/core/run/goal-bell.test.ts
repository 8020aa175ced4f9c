// Who is rung for the next turn of a goal finds its session free.
import { expect, test } from "vitest";
import type { RunQueue } from "../../../src/core/ports/run-queue.ts";
import { createGoalTurns } from "../../../src/core/run/goal-turn.ts";
import { createServe } from "../../../src/core/run/serve-session.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { createSystemClock } from "../../../src/agent.ts";
import { createLocalLocker } from "../../../src/core/agent/local-locker.ts";
import { after, setGoal } from "../../support/goals.ts";
import { createMemoryGoals } from "../../support/memory-goals.ts";
import { silentLog } from "../../support/silent-log.ts";

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
  const turns = createGoalTurns(
    {
      goals,
      cards: { changed: () => {}, shown: async () => {} },
      queue,
      clock: createSystemClock(),
      log: silentLog,
    },
    new Set(),
  );
  const serve = createServe({
    locker,
    store: { hasWork: async () => false },
    released: turns.released,
    log: silentLog,
    async step() {
      turns.ended(session, after(setGoal()));
      await serve(session, new AbortController().signal);
      expect(found).toEqual([]);
      return "worked";
    },
  });
  await serve(session, new AbortController().signal);
  expect(found).toEqual(["done"]);
});
