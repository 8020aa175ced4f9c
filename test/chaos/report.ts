// What a chaos run says when it is over: one row of the table in docs/operations.md, and each broken invariant.
import { isParked } from "./checker/finals.ts";
import { comparedOf } from "./checker/shown.ts";
import type { ChaosOptions, ChaosOutcome } from "./run.ts";

export const HEAD = [
  "| seed | seconds | kills of workers, of the gateway | pauses | restarts of Redis, Postgres | flushes | messages | runs | parked | broken |",
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
];

export function rowOf(options: ChaosOptions, { record, broken, tally }: ChaosOutcome): string {
  const sum = (...begins: readonly string[]): number =>
    [...tally].reduce(
      (all, [what, times]) => (begins.some((begin) => what.startsWith(begin)) ? all + times : all),
      0,
    );
  const cells = [
    options.seed,
    options.seconds,
    `${sum("kill worker")}, ${sum("kill gateway")}`,
    sum("pause"),
    `${sum("redis shutdown", "redis kill")}, ${sum("postgres")}`,
    sum("redis flush"),
    record.acts.filter(({ kind }) => kind === "question").length,
    record.runs.length,
    record.runs.filter(isParked).length,
    broken.length,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Each invariant with how often it was broken, and the first few cases. */
export function linesOf({
  broken,
  tally,
  record,
  entered,
  quietAfterMs,
  folder,
}: ChaosOutcome): readonly string[] {
  const lines = [...tally]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([what, times]) => `${what}: ${times}`);
  const ends = Map.groupBy(record.attempts, ({ ended }) => ended ?? "no end");
  lines.push(`attempts: ${[...ends].map(([how, all]) => `${all.length} ${how}`).join(", ")}`);
  const fates = Map.groupBy(record.inbox, ({ fate }) => fate ?? "none");
  lines.push(`fates: ${[...fates].map(([fate, all]) => `${all.length} ${fate}`).join(", ")}`);
  lines.push(`model requests: ${record.requests.length}, things that tools did: ${record.deeds.length}`);
  lines.push(
    `pages of requests looked at: ${record.shown.length}, the same bytes as the model received: ${comparedOf(record)}`,
  );
  if (entered.terms > 0)
    lines.push(`Discord's gateway was entered ${entered.identifies} times, in ${entered.terms} terms`);
  lines.push(
    quietAfterMs === undefined
      ? "It never became quiet."
      : `Quiet ${Math.round(quietAfterMs)} ms after the last fault.`,
  );
  for (const [invariant, all] of Map.groupBy(broken, (one) => one.invariant)) {
    lines.push(`BROKEN ${all.length} times: ${invariant}`, ...all.slice(0, 5).map(({ what }) => `  ${what}`));
  }
  if (broken.length > 0) lines.push(`Logs: ${folder}`);
  return lines;
}
