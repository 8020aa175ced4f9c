/** Whether what was found is what we want, can be borne, or is a fault. */

import { medianOf, ratioOf, type Bounds, type Comparison } from "./comparison.ts";

/** `beyond` also where there is no number to judge. */
export type Standing = "told" | "reached" | "missed" | "beyond";

export function standingOf(comparison: Comparison): Standing {
  const { bounds, product } = comparison;
  if (bounds === undefined) return "told";
  const value = bounds.of === "ratio" ? ratioOf(comparison).median : medianOf(product);
  if (isWithin(value, bounds, bounds.target)) return "reached";
  return isWithin(value, bounds, bounds.limit) ? "missed" : "beyond";
}

function isWithin(value: number, { better }: Bounds, bound: number): boolean {
  return better === "less" ? value <= bound : value >= bound;
}

/** Those beyond their bound in every one of the rounds; a comparison is the same one when it measures the same. */
export function beyondInAll(rounds: readonly (readonly Comparison[])[]): readonly Comparison[] {
  const keyOf = ({ id, what, reference }: Comparison): string => `${id} ${what} ${reference.name}`;
  const faults = rounds.map((found) => found.filter((each) => standingOf(each) === "beyond"));
  return (faults.at(-1) ?? []).filter((fault) =>
    faults.every((round) => round.some((each) => keyOf(each) === keyOf(fault))),
  );
}
