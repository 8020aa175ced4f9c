// A new thread in a channel that is written to faster than Slack allows.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { postBudget } from "../../../src/adapters/slack/budgets.ts";
import { createSlackOpenings } from "../../../src/adapters/slack/openings.ts";
import { createGoalThreads } from "../../../src/core/command/goal-thread.ts";
import { threadOf } from "../../../src/core/thread.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { outboundWorld } from "./outbound-world.ts";

const asked = {
  value: "make it whole",
  author: { id: "U1", name: "Ana" },
  id: "i1",
  at: Date.now(),
};

test("who gives up its turn, or finds that there is nothing to post any more, leaves its place to the next", async () => {
  await using world = await outboundWorld();
  const clock = manualClock();
  const pacer = createLocalPacer(clock);
  const { space, channel } = threadOf(world.session);
  const budget = postBudget(space, channel);
  const deps = { apiOf: () => world.api, botIn: async () => undefined, clock, log: silentLog };
  const openings = createSlackOpenings({ ...deps, pacer });
  const run = async () => ({ text: "set" });
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const threads = createGoalThreads({ openings, commands: { run }, clock, hash });
  const goal = { ...asked, beside: world.session } as never;
  /** How long somebody else would wait for a post now. */
  const wait = async (at = pacer): Promise<number> => {
    const waitMs = await at.take(budget, { who: "other", urgency: "reply" });
    await at.leave(budget, "other");
    return waitMs;
  };

  // Posts are not to be had for longer than it waits.
  const empty = createLocalPacer(clock);
  for (const one of [pacer, empty]) await one.hold(budget, 17_000);
  const opened = threads.open(goal, false);
  await clock.advance(16_000);
  expect((await opened).kind).toBe("later");
  expect(await wait()).toBe(await wait(empty));
  expect(world.strays()).toEqual([]);

  // It is there already, and whoever posted it died.
  await createGoalThreads({
    openings: createSlackOpenings({ ...deps, pacer: createLocalPacer(clock) }),
    commands: { run },
    clock,
    hash,
  }).open(goal, false);
  await pacer.hold(budget, 3_000);
  const key = `goal-${hash("i1").slice(0, 16)}`;
  const before = await wait();
  await pacer.take(budget, { who: key, urgency: "reply" });
  await clock.advance(1);
  expect(await wait()).toBe(before - 1 + budget.everyMs);
  expect(await threads.open(goal, true)).toEqual({ kind: "over", text: "set" });
  expect(await wait()).toBe(before - 1);
  expect(world.strays()).toHaveLength(1);
});

test("who waits for its turn to open a thread does not look for what it never sent", async () => {
  await using world = await outboundWorld();
  const clock = manualClock();
  const waits = [5, 5, 0];
  const pacer = { take: async () => waits.shift() ?? 0, leave: async () => {}, hold: async () => {} };
  const openings = createSlackOpenings({
    apiOf: () => world.api,
    botIn: async () => undefined,
    pacer,
    clock,
    log: silentLog,
  });
  const threads = createGoalThreads({
    openings,
    commands: { run: async () => ({ text: "set" }) },
    clock,
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  });
  const opened = threads.open({ ...asked, beside: world.session } as never, false);
  await clock.advance(5);
  await clock.advance(5);
  expect(await opened).toEqual({ kind: "over", text: "set" });
  expect(world.strays()).toHaveLength(1);
  expect(world.slack.callsOf("conversations.history")).toEqual([]);
});
