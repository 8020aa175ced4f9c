// What every Pace keeps; see src/core/ports/pace.ts.
import { expect } from "vitest";
import type { Pace } from "../../src/core/ports/pace.ts";
import { until } from "../support/until.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

/** So slow that no test waits for a place. */
const SLOW = { everyMs: 60_000, burst: 3 };
const FAST = { everyMs: 20, burst: 1 };

async function take(pace: Pace, key: string, times: number): Promise<readonly boolean[]> {
  const places = [];
  for (let count = 0; count < times; count++) places.push((await pace.take(key, SLOW)) === 0);
  return places;
}

export const paceCases: readonly ContractCase<Pace>[] = [
  {
    title: "so many places may be taken at once, and then it says how long to wait",
    async run(pace) {
      expect(await take(pace, "a", 4)).toEqual([true, true, true, false]);
      const waitMs = await pace.take("a", SLOW);
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(60_000);
    },
  },
  {
    title: "who asks at the same time gets no more places",
    async run(pace) {
      const waits = await Promise.all(Array.from({ length: 20 }, () => pace.take("a", SLOW)));
      expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(3);
    },
  },
  {
    title: "keys are apart",
    async run(pace) {
      expect(await take(pace, "a", 4)).toEqual([true, true, true, false]);
      expect(await take(pace, "b", 1)).toEqual([true]);
    },
  },
  {
    title: "a place comes back with time",
    async run(pace) {
      await pace.take("a", FAST);
      await until(async () => (await pace.take("a", FAST)) === 0, { what: "there is a place again" });
    },
  },
  {
    title: "while it is held nobody gets a place, and a shorter hold does not end a longer one",
    async run(pace) {
      await pace.hold("a", SLOW, 50_000);
      await pace.hold("a", SLOW, 1);
      const waitMs = await pace.take("a", SLOW);
      expect(waitMs).toBeGreaterThan(1_000);
      expect(waitMs).toBeLessThanOrEqual(50_000);
      expect(await take(pace, "b", 1)).toEqual([true]);
    },
  },
];

/** Registers the suite over one implementation. */
export function paceContract(name: string, open: OpenSubject<Pace>): void {
  runContract(`Pace: ${name}`, paceCases, open);
}
