// One soak: the load lives, every few seconds all figures are taken, and in the end they are judged.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { threadOf, type SessionId } from "../../src/core/thread.ts";
import { chaosModel } from "../chaos/model.ts";
import { rowsOf } from "../chaos/journal.ts";
import { randomOf } from "../chaos/random.ts";
import { openChaosWorld, type ChaosWorld } from "../chaos/world.ts";
import { FIGURES_FOLDER, type Figures, type Sample } from "./figures.ts";
import { judge, judgeRest, type Verdict } from "./judge.ts";
import { createLoad } from "./load.ts";
import { failingNowAndThen } from "./model.ts";
import { brokenReplies, type TakenAway } from "./replies.ts";
import { postgresFigures, redisFigures, tableRows, type TableRow } from "./servers.ts";
import { toleranceOf } from "./tolerances.ts";

export interface SoakOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly everyMs: number;
  note(line: string): void;
}

export interface SoakOutcome {
  readonly samples: readonly Sample[];
  readonly verdicts: readonly Verdict[];
  /** What there is when nothing is left to do, against before there was anything. */
  readonly rest: readonly Verdict[];
  readonly messages: number;
  readonly threads: number;
  readonly runs: number;
  readonly modelRequests: number;
  /** At the begin and at the end of the load. */
  readonly tables: { readonly before: readonly TableRow[]; readonly after: readonly TableRow[] };
  /** Processes that ended in between, work that did not come to its end: nothing in a good run. */
  readonly troubles: readonly string[];
}

const WORKERS = 2;
/** The product's own; nothing dies here, so nothing need be noticed sooner. */
const JOB_LOCK_MS = 10_000;
/** Of the hour that is pressed into the minutes: ten minutes, as in the product. */
const CONNECTION_LIFE_SHARE = 1 / 6;
const QUIET_MS = 180_000;
const REST_MS = 15_000;

export async function runSoak(options: SoakOptions): Promise<SoakOutcome> {
  const { seed, minutes, everyMs, note } = options;
  const failures = randomOf(seed, "failures");
  const probe = pathToFileURL(join(import.meta.dirname, "probe.ts")).href;
  await using world = await openChaosWorld({
    seed,
    workers: WORKERS,
    over: seed % 2 === 0 ? "http" : "socket",
    undo: [],
    sweeps: "on",
    journal: "none",
    jobLockMs: JOB_LOCK_MS,
    connectionLifeMs: minutes * 60_000 * CONNECTION_LIFE_SHARE,
    model: (everyWordMs) => failingNowAndThen(chaosModel({ seed, everyMs: everyWordMs }), failures),
    env: (folder) => ({
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${probe}`,
      [FIGURES_FOLDER]: folder,
    }),
  });
  const { fleet, place, postgres } = world;
  const pids = new Map(fleet.places.map((one) => [fleet.pidOf(one), one.name]));
  const troubles: string[] = [];
  const before = await tableRows(postgres.url);
  const restBefore = await figuresOf(world, pids);
  const takenAway: TakenAway[] = [];
  const load = createLoad(place, {
    seed,
    minutes,
    takeAway(session, ts) {
      const { channel } = threadOf(session as SessionId);
      takenAway.push({ session, message: ts, at: Date.now() });
      world.slack.remove({ channel, ts });
    },
  });
  const ending = new AbortController();
  const begun = performance.now();
  const samples: Sample[] = [];
  let isOver = false;

  const lived = load.live(ending.signal).finally(() => (isOver = true));
  while (!isOver) {
    await Promise.race([pause(everyMs), lived]);
    const atMs = performance.now() - begun;
    const of = await figuresOf(world, pids).catch((error: unknown) => String(error));
    if (typeof of === "string") {
      note(`a sample could not be taken: ${of}`);
      continue;
    }
    samples.push({ atMs, of: { ...of, load: { messages: load.messages } } });
    if (samples.length % 12 === 0) note(lineOf(samples));
  }
  await lived;

  place.calmDown();
  const quietAfterMs = await world.quiet(QUIET_MS);
  if (quietAfterMs === undefined) troubles.push("it never became quiet");
  else
    note(`quiet ${Math.round(quietAfterMs)} ms after the load; ${load.takenAway} messages were taken away`);
  const after = await tableRows(postgres.url);
  // What is closed a while after its last use is closed by then.
  await pause(REST_MS);
  const restAfter = await figuresOf(world, pids);
  for (const [pid, name] of pids) {
    const now = fleet.places.find((one) => one.name === name);
    if (now === undefined || fleet.stateOf(now) !== "runs" || fleet.pidOf(now) !== pid)
      troubles.push(`${name} did not live through it`);
  }
  troubles.push(...(await world.end()));
  const record = await world.recordOf([]);
  const { runs, requests } = record;
  const ends = await rowsOf<{ readonly id: string; readonly at: number }>(
    postgres.url,
    "select id, ended_at as at from runs where ended_at is not null",
  );
  const endedAt = new Map(ends.map(({ id, at }) => [id, at]));
  troubles.push(...brokenReplies({ ...record, takenAway, endedAt }));
  if (troubles.length > 0) world.keepLogs();
  return {
    samples,
    verdicts: judge(samples, { toleranceOf }),
    rest: judgeRest(restBefore, restAfter, toleranceOf),
    messages: load.messages,
    threads: load.threads,
    runs: runs.length,
    modelRequests: requests.length,
    tables: { before, after },
    troubles,
  };
}

async function figuresOf(
  world: ChaosWorld,
  pids: ReadonlyMap<number, string>,
): Promise<Readonly<Record<string, Figures>>> {
  const { postgres, redis } = world;
  return {
    ...(await processFigures(world)),
    Postgres: await postgresFigures(
      postgres.url,
      (name) => pids.get(Number(name.split("/").at(-1))) ?? "others",
    ),
    Redis: await redisFigures(redis.url),
  };
}

async function processFigures({ fleet, folder }: ChaosWorld): Promise<Readonly<Record<string, Figures>>> {
  const found: Record<string, Figures> = {};
  // One after the other, as each stands still meanwhile.
  for (const one of fleet.places) found[one.name] = await askProcess(fleet.pidOf(one), folder);
  return found;
}

const ANSWER_MS = 60_000;

/** @throws Error when it does not answer. */
async function askProcess(pid: number, folder: string): Promise<Figures> {
  const file = join(folder, `${pid}.figures`);
  const linesNow = (): readonly string[] => {
    try {
      return readFileSync(file, "utf8").split("\n").slice(0, -1);
    } catch {
      return [];
    }
  };
  const known = linesNow().length;
  process.kill(pid, "SIGUSR2");
  for (const until = performance.now() + ANSWER_MS; performance.now() < until; await pause(50)) {
    const line = linesNow()[known];
    if (line !== undefined) return JSON.parse(line) as Figures;
  }
  throw new Error(`process ${pid} gives no figures`);
}

function lineOf(samples: readonly Sample[]): string {
  const last = samples.at(-1);
  const heaps = Object.entries(last?.of ?? {}).flatMap(([of, figures]) => {
    const heap = figures["heap in use, MB"];
    return heap === undefined ? [] : [`${of} ${heap.toFixed(1)} MB`];
  });
  return `${last?.of["load"]?.["messages"] ?? 0} messages, heaps: ${heaps.join(", ")}, Redis: ${last?.of["Redis"]?.["keys"] ?? 0} keys`;
}
