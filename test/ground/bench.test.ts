// The bench's figures are only printed, so what turns samples into them is looked at here.
import { expect, test } from "vitest";
import { inTurn, medianOf, ratioOf, type Comparison } from "../../bench/comparison.ts";
import { jsonOf, tableOf } from "../../bench/table.ts";

const comparison: Comparison = {
  id: "B0",
  what: "steps per second",
  product: [1500, 3000, 2000],
  reference: { name: "bare steps", samples: [1000, 1000, 2000] },
  target: ">= 1",
  limit: "0.5",
};

test("the median of an even number of samples lies between the two in the middle", () => {
  expect(medianOf([9, 1, 4, 2])).toBe(3);
  expect(medianOf([7])).toBe(7);
  expect(() => medianOf([])).toThrow(RangeError);
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
    ">= 1",
    "0.5",
    "",
  ]);
});

test("the JSON has every sample, the medians, the ratio and the conditions", () => {
  expect(JSON.parse(jsonOf({ cores: 2 }, [comparison]))).toEqual({
    conditions: { cores: 2 },
    comparisons: [
      {
        ...comparison,
        medians: { product: 2000, reference: 1000 },
        ratio: { median: 1.5, least: 1, most: 3 },
      },
    ],
  });
});
