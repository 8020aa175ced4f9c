// What turns the bench's samples into figures, and figures into an exit code.
import { expect, test } from "vitest";
import { inTurn, medianOf, quantileOf, ratioOf, type Comparison } from "../../bench/comparison.ts";
import { beyondInAll, standingOf } from "../../bench/gate.ts";
import { jsonOf, tableOf } from "../../bench/table.ts";

const comparison: Comparison = {
  id: "B0",
  what: "steps per second",
  product: [1500, 3000, 2000],
  reference: { name: "bare steps", samples: [1000, 1000, 2000] },
  bounds: { of: "ratio", better: "more", target: 2, limit: 0.5 },
};
/** Whose ratio is this one. */
const ratio = (value: number, better: "less" | "more", target: number, limit: number): Comparison => ({
  ...comparison,
  product: [value],
  reference: { name: "one", samples: [1] },
  bounds: { of: "ratio", better, target, limit },
});

test("the median of an even number of samples lies between the two in the middle", () => {
  expect(medianOf([9, 1, 4, 2])).toBe(3);
  expect(medianOf([7])).toBe(7);
  expect(() => medianOf([])).toThrow(RangeError);
});

test("a quantile between two samples lies between them", () => {
  expect(quantileOf([10, 30, 20], 0)).toBe(10);
  expect(quantileOf([10, 30, 20], 0.75)).toBe(25);
  expect(quantileOf([10, 30, 20], 1)).toBe(30);
});

test("a ratio is that of the pairs, with the least and the most of them", () => {
  expect(ratioOf(comparison)).toEqual({ median: 1.5, least: 1, most: 3 });
  expect(() => ratioOf({ ...comparison, product: [1] })).toThrow(RangeError);
});

test("product and reference are measured in turn, and either goes first in every other pair", async () => {
  const order: string[] = [];
  const measure = (name: string) => async (): Promise<number> => order.push(name);
  expect(await inTurn(3, [measure("a"), measure("b")])).toEqual([
    [1, 4, 5],
    [2, 3, 6],
  ]);
  expect(order.join("")).toBe("abbaab");
});

test("the table says for each comparison what was measured on both sides, the ratio, and what is wanted", () => {
  const [head, rule, row, ...more] = tableOf([comparison]).split("\n");
  expect(more).toEqual([]);
  expect(new Set([head?.length, rule?.length, row?.length]).size).toBe(1);
  expect(row?.split("|").map((cell) => cell.trim())).toEqual([
    "",
    "B0",
    "steps per second",
    "2,000",
    "bare steps",
    "1,000",
    "1.50 (1.00 to 3.00)",
    ">= 2",
    ">= 0.5",
    "missed",
    "",
  ]);
});

test("the table says of a figure that it is bounded itself, of nothing that there is no ratio, and of what is only told neither", () => {
  const edits: Comparison = {
    ...comparison,
    product: [0],
    reference: { name: "none", samples: [0] },
    bounds: { of: "figure", better: "less", target: 0, limit: 0 },
  };
  const { bounds: _, ...told } = comparison;
  const rows = tableOf([edits, told]).split("\n").slice(2);
  const cells = rows.map((row) =>
    row
      .split("|")
      .map((cell) => cell.trim())
      .slice(6, 10),
  );
  expect(cells).toEqual([
    ["-", "itself <= 0", "itself <= 0", "reached"],
    ["1.50 (1.00 to 3.00)", "-", "-", ""],
  ]);
});

test("what is found reaches its target, misses it within the bound, or lies beyond; a bound itself is still within", () => {
  const less = [1, 1.15, 1.2, 1.5, 1.51].map((value) => standingOf(ratio(value, "less", 1.15, 1.5)));
  expect(less).toEqual(["reached", "reached", "missed", "missed", "beyond"]);
  const more = [1, 0.6, 0.5, 0.45, 0.44].map((value) => standingOf(ratio(value, "more", 0.6, 0.45)));
  expect(more).toEqual(["reached", "reached", "missed", "missed", "beyond"]);
});

test("the figure itself can be bounded, whatever the reference says", () => {
  const bounds = { of: "figure", better: "less", target: 1900, limit: 2500 } as const;
  expect(standingOf({ ...comparison, bounds })).toBe("missed");
});

test("what is no number is beyond its bound, and what has none is only told", () => {
  expect(standingOf(ratio(Number.NaN, "less", 1, 2))).toBe("beyond");
  const { bounds: _, ...told } = comparison;
  expect(standingOf(told)).toBe("told");
});

test("a bound counts as exceeded when it was in both rounds, by the same measurement", () => {
  const [good, bad] = [ratio(1, "less", 1, 2), ratio(3, "less", 1, 2)];
  const other = { ...bad, what: "another thing" };
  expect(beyondInAll([[bad, other, good]])).toEqual([bad, other]);
  expect(
    beyondInAll([
      [bad, good],
      [bad, other],
    ]),
  ).toEqual([bad]);
  expect(beyondInAll([[bad], [good]])).toEqual([]);
  expect(beyondInAll([])).toEqual([]);
});

test("the JSON has every sample, the medians, the ratio and the conditions", () => {
  expect(JSON.parse(jsonOf({ cores: 2 }, [comparison]))).toEqual({
    conditions: { cores: 2 },
    comparisons: [
      {
        ...comparison,
        medians: { product: 2000, reference: 1000 },
        ratio: { median: 1.5, least: 1, most: 3 },
        standing: "missed",
      },
    ],
  });
});
