// A leak is found, whatever the noise; noise alone is not taken for one.
import { expect, test } from "vitest";
import { randomOf } from "../chaos/random.ts";
import type { Sample } from "./figures.ts";
import { judge, judgeRest, medianOf, slopeOf, type Verdict } from "./judge.ts";
import { toleranceOf } from "./tolerances.ts";
import { patternOf } from "./servers.ts";

const FIGURE = "heap in use, MB";
const EVERY_MS = 5_000;
const TIMES = 120;

/** @param at the figure by the share of the whole time. */
function samplesOf(at: (share: number) => number | undefined, figure = FIGURE): readonly Sample[] {
  return Array.from({ length: TIMES }, (_, index): Sample => {
    const value = at(index / (TIMES - 1));
    return {
      atMs: index * EVERY_MS,
      of: { worker1: value === undefined ? {} : { [figure]: value } },
    };
  });
}

function standingOf(samples: readonly Sample[], figure = FIGURE): Verdict["standing"] | undefined {
  return judge(samples, { toleranceOf }).find((one) => one.figure === figure)?.standing;
}

/** As the figures of a busy process are: mostly a little above or below, now and then far above. */
function noiseOf(seed: number): () => number {
  const random = randomOf(seed, "noise");
  return () => random.next() * 4 + (random.chance(0.08) ? 25 : 0);
}

test("a heap that grows by a tenth is found in noise and peaks, with every seed", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const noise = noiseOf(seed);
    expect(standingOf(samplesOf((share) => 50 + 8 * share + noise())), `seed ${seed}`).toBe("grows");
  }
});

test("noise and peaks around the same height are flat, with every seed", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const noise = noiseOf(seed);
    expect(standingOf(samplesOf(() => 50 + noise())), `seed ${seed}`).toBe("flat");
  }
});

test("what a process takes in its first third is not held against it", () => {
  expect(standingOf(samplesOf((share) => 50 + 40 * Math.min(1, share * 4)))).toBe("flat");
});

test("steps that come seldom are found too: a connection more every two minutes", () => {
  const steps = samplesOf((share) => 5 + Math.floor(share * 5), "connections");
  expect(standingOf(steps, "connections")).toBe("grows");
});

test("what rises until it begins anew is judged by its highest points", () => {
  const figure = "memory of a connection, MB";
  const tooth = (share: number): number => (share * 6) % 1;
  for (let seed = 1; seed <= 50; seed++) {
    const random = randomOf(seed, "noise");
    const noise = (): number => random.next() * 0.3;
    const steady = samplesOf((share) => 5 + 4 * tooth(share) + noise(), figure);
    expect(standingOf(steady, figure), `seed ${seed}`).toBe("flat");
    const growing = samplesOf((share) => 5 + 4 * tooth(share) + 4 * share + noise(), figure);
    expect(standingOf(growing, figure), `seed ${seed}`).toBe("grows");
  }
});

test("one high value at the end, or all of the machine busy for a while, is no growth", () => {
  expect(standingOf(samplesOf((share) => (share === 1 ? 500 : 50)))).toBe("flat");
  expect(standingOf(samplesOf((share) => (share > 0.5 && share < 0.6 ? 90 : 50)))).toBe("flat");
});

test("what shrinks is flat", () => {
  expect(standingOf(samplesOf((share) => 90 - 40 * share))).toBe("flat");
});

test("a kind of resource that is listed only while there is one counts as 0 before", () => {
  const figure = "active Timeout";
  const late = samplesOf((share) => (share < 0.5 ? undefined : 40 * share), figure);
  expect(standingOf(late, figure)).toBe("grows");
});

test("a figure that is taken only now and then is judged by those times, and not by too few of them", () => {
  const taken = (every: number) => {
    let count = 0;
    return samplesOf((share) => (count++ % every === 0 ? 100 + 90 * share : undefined), "RSS, MB");
  };
  expect(standingOf(taken(4), "RSS, MB")).toBe("grows");
  expect(standingOf(taken(40), "RSS, MB")).toBe("too few");
});

test("at rest, what was left by each of hundreds of runs is found, and a pool that is full now is not", () => {
  const rest = (before: number, after: number) =>
    judgeRest({ worker1: { "open timers": before } }, { worker1: { "open timers": after } }, toleranceOf)[0];
  expect(rest(60, 400)).toMatchObject({ standing: "grows", growth: 340 });
  expect(rest(60, 85)?.standing).toBe("flat");
  expect(judgeRest({}, { worker2: { "open timers": 9 } }, toleranceOf)).toEqual([]);
});

test("what only says how busy the machine is, and what nobody knows, is told and not judged", () => {
  const figure = "event-loop delay p99, ms";
  expect(
    standingOf(
      samplesOf((share) => 1_000 * share, figure),
      figure,
    ),
  ).toBe("told");
  expect(
    standingOf(
      samplesOf((share) => 1_000 * share, "moons"),
      "moons",
    ),
  ).toBe("told");
});

test("the growth is told over the judged time", () => {
  const [verdict] = judge(
    samplesOf((share) => 100 + 30 * share),
    { toleranceOf },
  );
  expect(verdict?.growth).toBeCloseTo(20, 0);
});

test("no points, or all in one moment, have no slope", () => {
  expect(slopeOf([])).toBe(0);
  expect(slopeOf([1, 9].map((value) => ({ atMs: 5, value })))).toBe(0);
  expect(medianOf([3, 1, 2, 10])).toBe(2.5);
});

test("keys of Redis are counted by what they are for, not by whose they are", () => {
  expect(patternOf("{bobbin}:lease:slack:T0LOCALTEAM:C12:1764523234.000100")).toBe("{bobbin}:lease:SESSION");
  expect(patternOf("{bobbin}:runs:1523:lock")).toBe("{bobbin}:runs:N:lock");
  expect(patternOf("{bobbin}:pacer:slack:T1:chat.postMessage:C0042:line")).toBe(
    "{bobbin}:pacer:slack:T1:chat.postMessage:CHANNEL:line",
  );
});
