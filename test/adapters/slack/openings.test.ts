// A new thread in a channel that is written to faster than Slack allows.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createSlackOpenings } from "../../../src/adapters/slack/openings.ts";
import { createGoalThreads } from "../../../src/core/command/goal-thread.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { outboundWorld } from "./outbound-world.ts";

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
  const asked = {
    value: "make it whole",
    author: { id: "U1", name: "Ana" },
    id: "i1",
    at: Date.now(),
    beside: world.session,
  };
  const opened = threads.open(asked as never, false);
  await clock.advance(5);
  await clock.advance(5);
  expect(await opened).toEqual({ kind: "over", text: "set" });
  expect(world.strays()).toHaveLength(1);
  expect(world.slack.callsOf("conversations.history")).toEqual([]);
});
