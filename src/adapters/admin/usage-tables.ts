/** The tables of what was used, and how each is written as a file. */

import type { UsageLine, UsageTables } from "../../core/ports/usage-figures.ts";

/** Days, in UTC, as they stand in an address; both are looked at. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

export type Table = Exclude<keyof UsageTables, "total">;

/** What the first column is called. */
export const TABLES: Readonly<Record<Table, { readonly title: string; readonly key: string }>> = {
  days: { title: "By day", key: "Day (UTC)" },
  models: { title: "By model", key: "Model" },
  channels: { title: "By channel", key: "Channel" },
  people: { title: "By person", key: "Person" },
};

/** The share of what was read that came from the provider's cache, 0 to 1; undefined where nothing was read. */
export function cacheShareOf({ input, cached }: UsageLine): number | undefined {
  return input + cached === 0 ? undefined : cached / (input + cached);
}

/** How many of all; undefined where there is none. */
export function shareOf(part: number, all: number): number | undefined {
  return all === 0 ? undefined : part / all;
}

type Cell = string | number | undefined;

/** A model has no runs, which is not the same as none. */
const COLUMNS: readonly (readonly [string, (line: UsageLine, table: Table) => Cell])[] = [
  ["name", ({ name }) => name],
  ["runs", ({ runs }, table) => (table === "models" ? undefined : runs)],
  ["failed", ({ failed }, table) => (table === "models" ? undefined : failed)],
  ["median_ms", ({ medianMs }) => whole(medianMs)],
  ["p95_ms", ({ p95Ms }) => whole(p95Ms)],
  ["model_calls", ({ calls }) => calls],
  ["input_tokens", ({ input }) => input],
  ["cached_tokens", ({ cached }) => cached],
  ["output_tokens", ({ output }) => output],
  ["cost_usd", ({ cost }) => cost],
  ["failed_calls", ({ failedCalls }) => failedCalls],
  ["call_median_ms", ({ callMedianMs }) => whole(callMedianMs)],
  ["call_p95_ms", ({ callP95Ms }) => whole(callP95Ms)],
];

const whole = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.round(ms));

/** RFC 4180, with a header. A cell that a spreadsheet would take for a formula is none. */
export function csvOf(table: Table, lines: readonly UsageLine[]): string {
  const head = [table.replace(/s$/, "").replace("people", "person"), ...COLUMNS.map(([name]) => name)];
  const rows = lines.map((line) => [line.key, ...COLUMNS.map(([, of]) => of(line, table))].map(cell));
  return [head, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

function cell(value: Cell): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value ?? "") ? `'${value ?? ""}` : (value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
