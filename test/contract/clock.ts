// What every Clock keeps; see src/core/ports/clock.ts. The tests' own clock is one too: what holds there has to hold here.
import { expect } from "vitest";
import type { Clock } from "../../src/core/ports/clock.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

export interface ClockSubject {
  readonly clock: Clock;
  /** Lets at least so much of the clock's time pass. */
  pass(ms: number): Promise<void>;
}

export const clockCases: readonly ContractCase<ClockSubject>[] = [
  {
    title: "ticks never go back, and go on by at least what has passed",
    async run({ clock, pass }) {
      const before = clock.ticks();
      await pass(20);
      expect(clock.ticks() - before).toBeGreaterThanOrEqual(19);
    },
  },
  {
    title: "now is milliseconds since 1970, and goes on",
    async run({ clock, pass }) {
      const before = clock.now();
      expect(before).toBeGreaterThan(Date.UTC(2000, 0, 1));
      expect(before).toBeLessThan(Date.UTC(2200, 0, 1));
      await pass(20);
      expect(clock.now()).toBeGreaterThan(before);
    },
  },
  {
    title: "what is asked for later runs once, later, and never within the call",
    async run({ clock, pass }) {
      let runs = 0;
      clock.after(5, () => runs++);
      clock.after(0, () => (runs += 10));
      clock.after(-1, () => (runs += 100));
      expect(runs).toBe(0);
      await pass(50);
      expect(runs).toBe(111);
      await pass(20);
      expect(runs).toBe(111);
    },
  },
  {
    title: "what was cancelled does not run, and cancelling twice or late does nothing",
    async run({ clock, pass }) {
      const ran: string[] = [];
      const cancel = clock.after(10, () => ran.push("cancelled"));
      const late = clock.after(5, () => ran.push("ran"));
      cancel();
      cancel();
      await pass(50);
      late();
      expect(ran).toEqual(["ran"]);
    },
  },
  {
    title: "shorter waits end before longer ones, whichever was asked for first",
    async run({ clock, pass }) {
      const ran: string[] = [];
      clock.after(40, () => ran.push("long"));
      clock.after(10, () => ran.push("short"));
      await pass(100);
      expect(ran).toEqual(["short", "long"]);
    },
  },
  {
    title: "T13: a wait longer than a timer can hold does not end at once",
    async run({ clock, pass }) {
      let runs = 0;
      const cancel = clock.after(30 * 24 * 3_600_000, () => runs++);
      await pass(20);
      expect(runs).toBe(0);
      cancel();
    },
  },
];

export function clockContract(name: string, open: OpenSubject<ClockSubject>): void {
  runContract(`Clock: ${name}`, clockCases, open);
}
