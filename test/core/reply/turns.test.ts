// Where several write in one thread, and each waits for a turn of its own.
import { expect, test } from "vitest";
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createTurns } from "../../../src/core/reply/turns.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { manualClock } from "../../support/manual-clock.ts";

const session = sessionIdOf({ platform: "slack", space: "T1", channel: "C1", root: "1.000001" });
const budget = { key: "posts", everyMs: 1_000, burst: 1 };

function world() {
  const clock = manualClock();
  const pacer = createLocalPacer(clock);
  return {
    clock,
    pacer,
    reply: createTurns(pacer, session),
    card: createTurns(pacer, session, "card"),
    other: createTurns(
      pacer,
      sessionIdOf({ platform: "slack", space: "T1", channel: "C1", root: "2.000001" }),
    ),
  };
}

test("the card of a goal takes no turn of the reply below it, nor does it lose its own by what the reply writes", async () => {
  const { clock, reply, card, other } = world();
  expect(await other.take(budget, "final")).toBe(0);
  expect(await reply.take(budget, "final")).toBe(1_000);
  await clock.advance(1);
  expect(await card.take(budget, "final")).toBe(1_999);
  await clock.advance(1);
  expect(await other.take(budget, "final")).toBe(2_998);
  await clock.advance(998);
  expect(await reply.take(budget, "final")).toBe(0);
  await clock.advance(1_000);
  // The reply has written, and the card is still the next.
  expect(await other.take(budget, "final")).toBe(1_000);
  expect(await card.take(budget, "final")).toBe(0);
});

test("what the card has to say is as urgent as it says, whatever the reply waits for", async () => {
  const { clock, reply, card, other } = world();
  expect(await other.take(budget, "final")).toBe(0);
  expect(await reply.take(budget, "final")).toBe(1_000);
  await card.take(budget, "progress");
  await clock.advance(500);
  // Behind the reply alone.
  expect(await other.take(budget, "reply")).toBe(1_500);
  reply.leave();
  expect(await other.take(budget, "reply")).toBe(500);
  await clock.advance(500);
  expect(await card.take(budget, "progress")).toBe(1_000);
  expect(await other.take(budget, "reply")).toBe(0);
});
