import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDuration, formatMoney, formatTokens } from "../../src/core/measure.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("a duration", () => {
  test.each([
    [0, "0 ms"],
    [0.4, "0 ms"],
    [850, "850 ms"],
    [999.6, "1 s"],
    [1_400, "1.4 s"],
    [3_000, "3 s"],
    [9_960, "10 s"],
    [12_000, "12 s"],
    [59_400, "59 s"],
    [59_600, "1 min"],
    [3 * MINUTE + 5 * SECOND, "3 min 5 s"],
    [59 * MINUTE + 59.8 * SECOND, "1 h"],
    [2 * HOUR + 10 * MINUTE, "2 h 10 min"],
    [23 * HOUR + 59 * MINUTE + 50 * SECOND, "1 d"],
    [3 * DAY + 4 * HOUR, "3 d 4 h"],
    [10_000 * DAY, "10,000 d"],
  ])("of %d ms reads %j", (ms, text) => expect(formatDuration(ms)).toBe(text));

  test("that is negative, because a clock jumped, reads as none", () => {
    expect(formatDuration(-5_000)).toBe("0 ms");
  });

  test("never shows a unit that is full", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e15, noNaN: true }), (ms) => {
        expect(formatDuration(ms)).not.toMatch(/\b(1000 ms|60 s|60 min|24 h)\b/);
      }),
    );
  });
});

test("tokens read whole, with commas and the right plural", () => {
  expect([0, 1, 2, 1_234, 63_900, 1e22].map(formatTokens)).toEqual([
    "0 tokens",
    "1 token",
    "2 tokens",
    "1,234 tokens",
    "63,900 tokens",
    "10,000,000,000,000,000,000,000 tokens",
  ]);
  expect(formatTokens(-3)).toBe("0 tokens");
});

test("money shows what is little as exactly as what is much", () => {
  expect(
    [0, 0.00001, 0.0042, 0.00994, 0.00996, 0.0534, 0.09, 0.5, 0.999, 1.2, 1_234.5].map(formatMoney),
  ).toEqual([
    "$0.00",
    "<$0.0001",
    "$0.0042",
    "$0.0099",
    "$0.01",
    "$0.053",
    "$0.09",
    "$0.50",
    "$1.00",
    "$1.20",
    "$1,234.50",
  ]);
  expect(formatMoney(-1.2)).toBe("-$1.20");
});

test("what is no number says so and never throws", () => {
  for (const format of [formatDuration, formatTokens, formatMoney]) {
    for (const odd of [NaN, Infinity, -Infinity]) expect(format(odd)).toBe("unknown");
    for (const huge of [Number.MAX_VALUE, Number.MIN_VALUE, -0]) {
      expect(format(huge)).not.toMatch(/NaN|Infinity|e\+/);
    }
  }
});
