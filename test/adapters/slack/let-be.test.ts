// When Slack is not asked for something any more: never because of one page.
import { expect, test } from "vitest";
import { LetBe } from "../../../src/adapters/slack/let-be.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";

const thread = (n: number) =>
  sessionIdOf({ platform: "slack", space: "T1", channel: "D1", root: `${n}.000001` });

test("what three threads in a row were refused is let be for an hour; what one was, or what no page can have, not and for good", () => {
  let now = 0;
  const letBe = new LetBe({ ticks: () => now });
  for (let times = 0; times < 5; times++) letBe.refused(thread(1), false);
  letBe.refused(thread(2), false);
  letBe.taken();
  letBe.refused(thread(3), false);
  letBe.refused(thread(4), false);
  expect(letBe.isOn).toBe(false);
  letBe.refused(thread(5), false);
  expect(letBe.isOn).toBe(true);
  now = 60 * 60_000;
  expect(letBe.isOn).toBe(false);
  letBe.refused(thread(6), true);
  now = Number.MAX_SAFE_INTEGER;
  expect(letBe.isOn).toBe(true);
});
