// The outcome of a soak for people (markdown) and for programs (JSON).
import type { Verdict } from "./judge.ts";
import type { SoakOptions, SoakOutcome } from "./run.ts";

export function reportOf(options: SoakOptions, outcome: SoakOutcome): readonly string[] {
  const { samples, messages, threads, runs, modelRequests, troubles } = outcome;
  return [
    `${options.minutes} minutes, seed ${options.seed}: ${messages} messages in ${threads} threads, ${runs} runs, ${modelRequests} requests to the model, ${samples.length} samples`,
    "",
    "| of | figure | median | least to most | growth | allowed | |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...outcome.verdicts.filter(({ of }) => of !== "load").map(rowOf),
    "",
    "| at rest | | before and after all | growth | allowed | |",
    "| --- | --- | --- | --- | --- | --- |",
    ...outcome.rest.map(restRowOf),
    "",
    ...tablesOf(outcome),
    "",
    ...troubles.map((trouble) => `TROUBLE ${trouble}`),
    isGood(outcome) ? "All of it is flat." : "NOT FLAT.",
  ];
}

export function isGood({ verdicts, rest, troubles }: SoakOutcome): boolean {
  const judged = [...verdicts, ...rest].filter(({ standing }) => standing !== "told");
  return troubles.length === 0 && judged.length > 0 && judged.every(({ standing }) => standing === "flat");
}

export function jsonOf({ minutes, seed }: SoakOptions, outcome: SoakOutcome): string {
  return `${JSON.stringify({ minutes, seed, isGood: isGood(outcome), ...outcome }, null, 1)}\n`;
}

function rowOf({ of, figure, median, least, most, ...verdict }: Verdict): string {
  const cells = [of, figure, number(median), `${number(least)} to ${number(most)}`, ...growthCells(verdict)];
  return `| ${cells.join(" | ")} |`;
}

function restRowOf({ of, figure, median, growth, ...verdict }: Verdict): string {
  const before = median - growth / 2;
  const both = `${number(before)}, ${number(before + growth)}`;
  return `| ${[of, figure, both, ...growthCells({ growth, ...verdict })].join(" | ")} |`;
}

function growthCells({
  growth,
  allowed,
  standing,
}: Pick<Verdict, "growth" | "allowed" | "standing">): string[] {
  const grown = `${growth >= 0 ? "+" : ""}${number(growth)}`;
  return [grown, allowed === undefined ? "-" : number(allowed), standing];
}

/** The ledger grows with what is said; by how much for each message is what a disk is planned by. */
function tablesOf({ tables, messages }: SoakOutcome): readonly string[] {
  const before = new Map(tables.before.map((row) => [row.name, row.bytes]));
  const rows = tables.after
    .map(({ name, live, dead, bytes }) => ({ name, live, dead, grown: bytes - (before.get(name) ?? 0) }))
    .filter(({ grown }) => grown > 0)
    .toSorted((one, other) => other.grown - one.grown);
  const all = rows.reduce((sum, { grown }) => sum + grown, 0);
  return [
    "| table | rows | dead | bytes for each message, indexes included |",
    "| --- | --- | --- | --- |",
    ...rows.map(
      ({ name, live, dead, grown }) => `| ${name} | ${live} | ${dead} | ${number(grown / messages)} |`,
    ),
    `| all | | | ${number(all / messages)} |`,
  ];
}

/** Three digits that count. */
function number(value: number): string {
  return Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : `${Number(value.toPrecision(3))}`;
}
