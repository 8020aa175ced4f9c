/** The findings of a run for people (a table) and for programs (JSON). */

import { medianOf, ratioOf, type Bounds, type Comparison } from "./comparison.ts";
import { standingOf } from "./gate.ts";

const HEAD = [
  "",
  "measured",
  "Bobbin",
  "reference",
  "",
  "ratio (least to most)",
  "target",
  "not beyond",
  "",
] as const;

/** Lines of a markdown table, padded so that it reads as plain text too. */
export function tableOf(comparisons: readonly Comparison[]): string {
  const rows = [HEAD, ...comparisons.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  return [line(HEAD), rule, ...rows.slice(1).map(line)].join("\n");
}

function cellsOf(comparison: Comparison): readonly string[] {
  const { id, what, product, reference, bounds } = comparison;
  const standing = standingOf(comparison);
  return [
    id,
    what,
    figure(medianOf(product)),
    reference.name,
    figure(medianOf(reference.samples)),
    ratioCell(comparison),
    boundCell(bounds, "target"),
    boundCell(bounds, "limit"),
    standing === "told" ? "" : standing,
  ];
}

/** Of nothing there is no ratio. */
function ratioCell(comparison: Comparison): string {
  if (comparison.reference.samples.includes(0)) return "-";
  const { median, least, most } = ratioOf(comparison);
  return `${places(median)} (${places(least)} to ${places(most)})`;
}

function boundCell(bounds: Bounds | undefined, which: "target" | "limit"): string {
  if (bounds === undefined) return "-";
  const sign = bounds.better === "less" ? "<=" : ">=";
  return `${bounds.of === "figure" ? "itself " : ""}${sign} ${figure(bounds[which])}`;
}

/** Two places, more for a small ratio. */
function places(ratio: number): string {
  return ratio < 0.2 ? ratio.toFixed(3) : ratio.toFixed(2);
}

/** Three digits that count. */
function figure(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString("en-US") : `${Number(value.toPrecision(3))}`;
}

/** All samples with their medians, ratios and how they stand. */
export function jsonOf(conditions: Readonly<Record<string, unknown>>, found: readonly Comparison[]): string {
  const comparisons = found.map((comparison) => ({
    ...comparison,
    medians: {
      product: medianOf(comparison.product),
      reference: medianOf(comparison.reference.samples),
    },
    ratio: ratioOf(comparison),
    standing: standingOf(comparison),
  }));
  return `${JSON.stringify({ conditions, comparisons }, null, 2)}\n`;
}
