// Real processes that are killed, paused and cut off while people write: a short form of `npm run chaos`, with everything in it.
import { expect, test } from "vitest";
import { comparedOf } from "../chaos/checker/shown.ts";
import { runChaos } from "../chaos/run.ts";

/** As `npm run chaos -- --seed 11` does it; another number is another run. */
const SEED = 11;
/** It takes some forty seconds; a machine that others load needs longer for every process that starts again. */
const LIMIT_MS = 600_000;

test(
  "kills, pauses, restarts of Redis and Postgres, an emptied Redis, copies and faults of Slack and Discord: nobody's message is lost or answered twice",
  async () => {
    const lines: string[] = [];
    const { broken, record, tally, entered, quietAfterMs } = await runChaos({
      seed: SEED,
      seconds: 15,
      perSecond: 2.4,
      scope: "everything",
      on: ["slack", "discord"],
      undo: [],
      quietMs: 180_000,
      note: (line) => lines.push(line),
    });
    const sum = (begin: string): number =>
      [...tally].reduce((all, [what, times]) => (what.startsWith(begin) ? all + times : all), 0);
    expect(broken, lines.join("\n")).toEqual([]);
    expect(quietAfterMs).toBeDefined();
    // What it was about did happen.
    for (const what of [
      "kill worker",
      "kill gateway",
      "pause",
      "redis flush",
      "postgres",
      "call",
      "delivery",
    ]) {
      expect(sum(what), what).toBeGreaterThan(0);
    }
    expect(sum("redis kill") + sum("redis shutdown")).toBeGreaterThan(0);
    // People who wait for a busy machine ask less.
    expect(record.acts.filter(({ kind }) => kind === "question").length).toBeGreaterThan(12);
    // On both platforms, and who listens to Discord was another one in between.
    for (const platform of ["slack", "discord"])
      expect(record.runs.filter(({ session }) => session.startsWith(`${platform}:`)).length).toBeGreaterThan(
        3,
      );
    expect(entered.terms).toBeGreaterThan(1);
    expect(record.writes.length).toBeGreaterThan(100);
    expect(record.deeds.length).toBeGreaterThan(10);
    expect(comparedOf(record)).toBeGreaterThan(20);
  },
  LIMIT_MS,
);
