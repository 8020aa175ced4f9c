// A worker that stands still for three times its lease, at each step of a run, and then goes on: another one has answered, and
// nothing of the late one is taken.
import { expect, test } from "vitest";
import { check } from "../chaos/checker/check.ts";
import type { Act, AttemptRow, Broken } from "../chaos/checker/record.ts";
import { rowsOf } from "../chaos/journal.ts";
import { NEVER, type Undo } from "../chaos/orders.ts";
import { WORKER_MOMENTS } from "../chaos/plan.ts";
import { questionOf, recipeOf } from "../chaos/recipe.ts";
import { openChaosWorld, type ChaosWorld } from "../chaos/world.ts";
import { until } from "../support/until.ts";

const SEED = 1;
const LIMIT_MS = 100_000;
const WRITES = new Set(["chat.postMessage", "chat.update", "chat.delete"]);

const STALE = "no stale write was accepted";

/** Between the claim of a run and the first of its final pages. A run that somebody asked for takes none of a goal's steps. */
const STEPS = WORKER_MOMENTS.slice(0, WORKER_MOMENTS.indexOf("before pages-put") + 1).filter(
  (moment) => !moment.endsWith("open-goal"),
);

interface Awakening {
  readonly step: string;
  /** Calls of the platform that write, after the late worker went on. */
  readonly writes: readonly string[];
  /** Orders that tools carried out after it. */
  readonly deeds: readonly string[];
  /** How its attempt ended. */
  readonly ended: string | null;
}

/** Questions that want something done which must not be done twice. */
function* questions(): Generator<number> {
  for (let tag = 1; ; tag++) {
    const [first] = recipeOf(SEED, tag).rounds;
    if (first?.some(({ tool }) => tool !== "look_up") === true) yield tag;
  }
}

/** @param when what the other one has done before the late one goes on. */
async function wakeAt(
  step: string,
  tag: number,
  world: ChaosWorld,
  acts: Act[],
  when: "answered" | "claimed",
): Promise<Awakening> {
  const { fleet, place, slack } = world;
  const workers = fleet.places.filter(({ role }) => role === "worker");
  for (const one of workers) fleet.order(one, { at: step, signal: "SIGSTOP" });
  const { thread, sent } = place.begin(questionOf(tag));
  const { session } = thread;
  const late = await until(() => workers.find((one) => fleet.stateOf(one) === "stopped"), {
    what: `a worker stands still ${step}`,
  });
  const others = workers.filter((one) => one !== late);
  if (when === "answered") for (const one of others) fleet.order(one, NEVER);
  const taken = await sent.taken;
  acts.push({ kind: "question", tag, session, message: sent.message, taken, mayBeIgnored: false });
  const stoodAt = performance.now();
  const attempts = () =>
    rowsOf<AttemptRow>(
      world.postgres.url,
      `select run, session, fence, worker, ended from attempts where session = '${session}'`,
    );
  if (when === "answered") {
    expect(await world.quiet(LIMIT_MS), `answered by the other one, ${step}`).toBeDefined();
  } else {
    // It stands still at the same step, so that the late one is the first to write.
    await until(
      async () => (await attempts()).length > 1 && others.some((one) => fleet.stateOf(one) === "stopped"),
      { what: "another has claimed it" },
    );
  }
  // How long it stood is what this is about.
  const isLong = (): boolean => when === "claimed" || performance.now() - stoodAt > 3 * world.leaseMs;
  await until(isLong, { what: "three lease times are over" });
  const before = { calls: slack.calls.length, deeds: (await world.recordOf([])).deeds.length };
  fleet.resume(late);
  if (when === "claimed") {
    await until(async () => check(await world.recordOf(acts)).some(({ invariant }) => invariant === STALE), {
      what: "the late one has written",
    });
    for (const one of others) {
      fleet.order(one, NEVER);
      if (fleet.stateOf(one) === "stopped") fleet.resume(one);
    }
  }
  const attempt = async (): Promise<string | null | undefined> =>
    (await attempts()).find(({ worker }) => worker.endsWith(`/${fleet.pidOf(late)}`))?.ended;
  await until(async () => (await attempt()) === "lost" || when === "claimed", {
    what: `it has noticed, ${step}`,
  });
  const { deeds } = await world.recordOf([]);
  return {
    step,
    writes: slack.calls.slice(before.calls).flatMap(({ method }) => (WRITES.has(method) ? [method] : [])),
    deeds: deeds.slice(before.deeds).map(({ order }) => order),
    ended: (await attempt()) ?? null,
  };
}

async function wakes(
  steps: readonly string[],
  undo: readonly Undo[],
  when: "answered" | "claimed",
): Promise<{ readonly awakenings: readonly Awakening[]; readonly broken: readonly Broken[] }> {
  await using world = await openChaosWorld({ seed: SEED, workers: 2, over: "http", undo, sweeps: "on" });
  world.place.calmDown();
  const acts: Act[] = [];
  const awakenings: Awakening[] = [];
  const tags = questions();
  for (const step of steps) awakenings.push(await wakeAt(step, tags.next().value ?? 0, world, acts, when));
  expect(await world.quiet(LIMIT_MS)).toBeDefined();
  await world.end();
  return { awakenings, broken: check(await world.recordOf(acts)) };
}

test("B12: a worker paused for three leases at eight steps of a run: no write of it is taken, it edits nothing and starts no tool", async () => {
  const { awakenings, broken } = await wakes(STEPS, [], "answered");
  expect(broken).toEqual([]);
  expect(awakenings).toEqual(
    STEPS.map((step) => ({
      step,
      writes: [],
      // What was started before may still be done, once.
      deeds: step === "in tool" ? expect.any(Array) : [],
      ended: "lost",
    })),
  );
}, 600_000);

test("without the fence in the database a late write is taken, and the checker says so", async () => {
  const { broken } = await wakes(["before commit-round"], ["fence"], "claimed");
  expect(broken.map(({ invariant }) => invariant)).toContain(STALE);
});
