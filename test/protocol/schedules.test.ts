// The real core code (intake, serve-session, run-session, loop, reply writer, sweeper) over ports in memory, in schedules that are
// drawn: whoever could take the next step may be the one who does. SCHEDULES=20000 looks at so many.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/core/entry.ts";
import type { InboundId } from "../../src/core/ids.ts";
import type { Fence, Opened, RunStore } from "../../src/core/ports/run-store.ts";
import { brokenPromises } from "./schedule-promises.ts";
import { plans, type Flaws, type Weather } from "./schedule-plan.ts";
import { ScheduleWorld } from "./schedule-world.ts";

function property(flaws: Flaws, weather: Weather) {
  return fc.asyncProperty(fc.scheduler(), plans(weather), async (scheduler, plan) => {
    const world = new ScheduleWorld(scheduler, flaws, plan.behaviours);
    await world.play(plan, weather);
    const broken = brokenPromises(world);
    if (broken.length > 0) throw new Error(broken.join("; "));
  });
}

describe("each message has one fate, each reply stands there once and whole, no effect happens twice", () => {
  const count = Number(process.env["SCHEDULES"] ?? "1500");
  for (const [title, weather, share] of [
    ["whatever happens to workers, leases, jobs, Redis, the store and the platform", "rough", 0.6],
    ["without a sweeper, with workers that are killed or told to end", "killed", 0.2],
    ["without a sweeper, with jobs that are taken for stalled", "stalled", 0.2],
  ] as const) {
    test(title, { timeout: 3_600_000 }, async () => {
      const seed = Number(process.env["SEED"] ?? "20261130");
      await fc.assert(property({}, weather), { seed, numRuns: Math.ceil(count * share) });
    });
  }
});

interface Broken {
  readonly title: string;
  readonly flaws: Flaws;
  readonly weather: Weather;
  /** What is broken then; other promises may be too. */
  readonly wrong: RegExp;
  readonly seed: number;
  /** Of the schedule that was found first; where the code has changed since, it is looked for again. */
  readonly path?: string;
}

const renewed = (store: RunStore): RunStore => {
  let newest = 0;
  const renew = <F extends Fence>(fence: F): F => ({ ...fence, number: Math.max(newest, fence.number) });
  return {
    ...store,
    async open(session, worker) {
      const opened = await store.open(session, worker);
      if (opened.kind !== "nothing") newest = Math.max(newest, opened.fence.number);
      return opened;
    },
    commitRound: (fence, ...given) => store.commitRound(renew(fence), ...given),
    end: (fence, ...given) => store.end(renew(fence), ...given),
    settled: (fence, laidOut) => store.settled(renew(fence), laidOut),
  };
};

/** What a claim answers, changed. */
const opening =
  (change: (opened: Exclude<Opened, { kind: "nothing" }>) => Opened) =>
  (store: RunStore): RunStore => ({
    ...store,
    async open(session, worker) {
      const opened = await store.open(session, worker);
      return opened.kind === "nothing" ? opened : change(opened);
    },
  });

const forgets = opening((opened) => {
  if (opened.kind !== "run") return opened;
  const isOwn = ({ run, body }: Entry): boolean => run === opened.run.id && body.kind !== "user";
  return { ...opened, tail: opened.tail.filter((entry) => !isOwn(entry)) };
});

const broken: readonly Broken[] = [
  {
    title: "a store that takes the writes of an older attempt",
    flaws: { store: renewed },
    weather: "rough",
    wrong: /a write of an older attempt was taken/,
    seed: 1,
    path: "65",
  },
  {
    title: "an end that takes nobody in",
    flaws: {
      store: (store) => ({
        ...store,
        end: (fence, ending, frozen) => store.end(fence, { ...ending, isLast: true }, frozen),
      }),
    },
    weather: "killed",
    wrong: /what was written before the end was not taken in/,
    seed: 1,
    path: "5",
  },
  {
    title: "a locker that lets two in",
    flaws: { isShared: true },
    weather: "stalled",
    wrong: /two hold the session's lease/,
    seed: 1,
    path: "1",
  },
  {
    title: "a lease that is live for ever in the eyes of its holder",
    flaws: {
      lease: ({ signal }) => ({ signal, isLive: () => true }),
    },
    weather: "rough",
    wrong: /a write to the platform began without the lease/,
    seed: 1,
    path: "9",
  },
  {
    title: "a commit and an end that do not compare the stop",
    flaws: {
      store: (store) => ({
        ...store,
        commitRound: async (...given) => ({ ...(await store.commitRound(...given)), stopped: false }),
        async end(fence, { round, ...ending }, frozen) {
          if (round !== undefined) await store.commitRound(fence, round);
          return store.end(fence, ending, frozen);
        },
      }),
    },
    weather: "killed",
    wrong: /stopped, and ended/,
    seed: 1,
  },
  {
    title: "a stop that takes back nothing that waits",
    flaws: {
      inbox: (inbox) => ({
        put: async (given) =>
          given.kind === "command" ? { kind: "stored", seq: 0, running: true } : inbox.put(given),
      }),
    },
    weather: "killed",
    wrong: /though a stop took it back/,
    seed: 1,
    path: "13",
  },
  {
    title: "a claim that does not go on from the stored rounds",
    flaws: { store: forgets },
    weather: "killed",
    wrong: /answered twice|had its effect|is not whole/,
    seed: 1,
    path: "53",
  },
  {
    title: "no look after the lease was given back",
    flaws: { store: (store) => ({ ...store, hasWork: async () => false }) },
    weather: "stalled",
    wrong: /nothing happens any more/,
    seed: 1,
    path: "75",
  },
  {
    title: "a queue that drops a wake while it serves",
    flaws: { losesWakes: true },
    weather: "killed",
    wrong: /nothing happens any more/,
    seed: 1,
    path: "162",
  },
  {
    title: "a bell that is rung before the message is stored",
    flaws: { wakesFirst: true },
    weather: "killed",
    wrong: /nothing happens any more/,
    seed: 1,
    path: "24",
  },
  {
    title: "a sweeper that finds nothing due",
    flaws: { store: (store) => ({ ...store, due: async () => [] }) },
    weather: "rough",
    wrong: /it never came to rest/,
    seed: 1,
    path: "1",
  },
  {
    title: "an inbox that knows no copy",
    flaws: {
      inbox: (inbox) => {
        let copies = 0;
        return {
          put: (given) =>
            inbox.put(
              given.kind === "message" ? { ...given, id: `${given.id}/${++copies}` as InboundId } : given,
            ),
        };
      },
    },
    weather: "killed",
    wrong: /messages were said/,
    seed: 1,
    path: "3",
  },
  {
    title: "final pages that are not written once more after a takeover",
    flaws: { lateWritesMs: 0 },
    weather: "killed",
    wrong: /looks as if it went on|is not whole/,
    seed: 1,
    path: "428",
  },
  {
    title: "an attempt that counts as ended before its final pages stand",
    flaws: {
      store: opening((opened) => (opened.kind === "settle" ? { ...opened, afterCrash: false } : opened)),
    },
    weather: "killed",
    wrong: /looks as if it went on|is not whole/,
    seed: 1,
    path: "428",
  },
];

describe("each rule is needed: a port that breaks it is found", () => {
  for (const { title, flaws, weather, wrong, seed, path } of broken) {
    test(title, async ({ annotate }) => {
      const tried = property(flaws, weather);
      const recorded =
        path === undefined
          ? undefined
          : await fc.check(tried, { seed, path, endOnFailure: true, numRuns: 1 });
      const found = recorded?.failed
        ? recorded
        : await fc.check(tried, { seed, endOnFailure: true, numRuns: 5_000 });
      expect(found.failed).toBe(true);
      expect(String(found.errorInstance)).toMatch(wrong);
      await annotate(`seed ${found.seed}, path ${found.counterexamplePath}: ${String(found.errorInstance)}`);
    });
  }
});
