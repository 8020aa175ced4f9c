// One chaos run: people live and things break, until all is quiet, and what is left is judged.
import { setTimeout as pause } from "node:timers/promises";
import { check } from "./checker/check.ts";
import type { Broken, ChaosRecord } from "./checker/record.ts";
import { inflict, type Tally } from "./faults.ts";
import type { Undo } from "./orders.ts";
import { createCrowd, nothingLostPlan, type CrowdOptions } from "./nothing-lost.ts";
import { chaosModel } from "./model.ts";
import { createPeople } from "./people.ts";
import { planOf, type Scope } from "./plan.ts";
import { randomOf } from "./random.ts";
import { openChaosWorld, type ChaosPlatform } from "./world.ts";

export interface ChaosOptions {
  /** What people do and what breaks: a bit of everything, or many messages and `nothing-lost.ts`; the first unless said. */
  readonly crowd?: CrowdOptions;
  readonly seed: number;
  /** How long people write and things break. */
  readonly seconds: number;
  readonly scope: Scope;
  /** Where people write: each platform has an equal share of the threads. */
  readonly on: readonly ChaosPlatform[];
  readonly undo: readonly Undo[];
  /** Questions a second. */
  readonly perSecond: number;
  /** Whether people give goals too; on unless said, where the ledger is swept. */
  readonly goals?: "on" | "off";
  /** How long it may take until all is quiet, ms. */
  readonly quietMs: number;
  note(line: string): void;
}

export interface ChaosOutcome {
  readonly record: ChaosRecord;
  readonly broken: readonly Broken[];
  readonly tally: Tally;
  /** How often Discord's gateway was entered anew, and by how many terms of one who listens. */
  readonly entered: { readonly identifies: number; readonly terms: number };
  /** From the last fault to quiet, ms; undefined when it never became quiet. */
  readonly quietAfterMs: number | undefined;
  /** Where the logs of the processes are, when something is broken. */
  readonly folder: string;
}

const WORKERS = 3;

export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const { seed, seconds, perSecond, scope, on, undo, crowd, note } = options;
  const over = seed % 2 === 0 ? "http" : "socket";
  // Without sweeps threads wait for their turn, since a bell that is swallowed then is one that rings for a thread that waits.
  const how =
    scope === "workers alone"
      ? ({ sweeps: "off", concurrency: 1 } as const)
      : ({ sweeps: "on", concurrency: 10 } as const);
  // What a goal does later is rung for by sweeps alone.
  const hasGoals = options.goals !== "off" && how.sweeps === "on";
  // Of a crowd's many messages at once each would otherwise cost calls of its own, of which a run has twenty.
  const model = (everyMs: number) => chaosModel({ seed, everyMs, works: "on all" });
  const crowded = crowd === undefined ? {} : { model };
  await using world = await openChaosWorld({ seed, workers: WORKERS, over, on, undo, ...how, ...crowded });
  const { fleet, place, folder } = world;
  const habits = randomOf(seed, "people");
  const people =
    crowd === undefined
      ? createPeople(place, habits, hasGoals ? { perSecond, goals: { seed } } : { perSecond })
      : createCrowd(place, habits, crowd);
  const plan =
    crowd === undefined ? planOf(seed, seconds * 1_000, scope) : nothingLostPlan(seed, seconds * 1_000);
  if (crowd !== undefined) world.slack.delivery.double();
  note(
    `seed ${seed}, ${seconds} s, ${scope}, on ${on.join(" and ")}, over ${over}, ${plan.length} faults planned, logs in ${folder}`,
  );

  const ending = new AbortController();
  const struck = inflict(plan, { ...world, random: randomOf(seed, "blows"), note }, ending.signal);
  const lived = people.live(seconds * 1_000, ending.signal);
  const [tally] = await Promise.all([struck, lived]).finally(() => ending.abort());

  place.calmDown();
  fleet.startAll();
  await fleet.allReady();
  const quietAfterMs = await world.quiet(options.quietMs);
  note(quietAfterMs === undefined ? "it never became quiet" : `quiet after ${Math.round(quietAfterMs)} ms`);
  // What waits for nothing any more may still be said: the sign of work below a thread, a last edit.
  await pause(200);
  for (const line of await world.end()) note(line);

  const record = await world.recordOf(await people.acts());
  const broken = check(record);
  if (broken.length > 0) world.keepLogs();
  const entered = { identifies: world.discord.gateway.identifies.length, terms: await world.terms() };
  return { record, broken, tally, entered, quietAfterMs, folder };
}
