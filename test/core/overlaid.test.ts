// What stands before a surface: a part that is not its own is what it was.
import { expect, test } from "vitest";
import { overlaid } from "../../src/core/overlaid.ts";

test("what is laid over a thing twice still has all that it had, and tells what changes as it is now", () => {
  let live = 0;
  const whole = { addsTo: true, find: () => "found", limits: () => 1_500, post: () => "posted" };
  const once = overlaid(whole, { post: () => `counted ${whole.post()}` });
  const twice = overlaid(once, {
    get limits() {
      const every = live > 0 ? 800 : 1_500;
      return () => every;
    },
  });
  expect([twice.addsTo, twice.find(), twice.post(), twice.limits()]).toEqual([
    true,
    "found",
    "counted posted",
    1_500,
  ]);
  live = 1;
  expect(twice.limits()).toBe(800);
  expect(whole.post()).toBe("posted");
});
