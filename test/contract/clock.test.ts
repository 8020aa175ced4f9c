import { setTimeout as pause } from "node:timers/promises";
import { createSystemClock } from "../../src/adapters/system-clock.ts";
import type { Clock } from "../../src/core/ports/clock.ts";
import { manualClock } from "../support/manual-clock.ts";
import { clockCases, clockContract, type ClockSubject } from "./clock.ts";
import { expectBroken } from "./contract.ts";

const opened = (subject: ClockSubject) => ({ subject, close: () => Promise.resolve() });

function real(change: (clock: Clock) => Clock = (clock) => clock) {
  return () => opened({ clock: change(createSystemClock()), pass: (ms) => pause(ms + 5) });
}

clockContract("the system's", real());
clockContract("the tests' own", () => {
  const clock = manualClock();
  return opened({ clock, pass: (ms) => clock.advance(ms) });
});

expectBroken(
  "runs what is asked for at once",
  clockCases,
  real((clock) => ({
    ...clock,
    after: (_ms, run) => {
      run();
      return () => {};
    },
  })),
);
expectBroken(
  "cannot cancel",
  clockCases,
  real((clock) => ({
    ...clock,
    after: (ms, run) => {
      clock.after(ms, run);
      return () => {};
    },
  })),
);
expectBroken(
  "hands long waits to the timer as they are",
  clockCases,
  real((clock) => ({
    ...clock,
    after: (ms, run) => {
      // What Node does with a delay that it cannot hold, without its warning.
      const timer = setTimeout(run, ms > 2 ** 31 - 1 ? 1 : ms);
      return () => clearTimeout(timer);
    },
  })),
  { noticedBy: ["T13: a wait longer than a timer can hold does not end at once"] },
);
