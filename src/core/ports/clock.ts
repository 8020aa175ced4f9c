/** Time comes in as an argument, so tests own it. */

export interface Clock {
  /** Wall-clock time, ms since 1970. May jump; only for what people see and for what is stored. A lease asks both clocks. */
  now(): number;
  /** Monotonic time in ms from an arbitrary start; for every duration and deadline. May stand still while the machine is suspended. */
  ticks(): number;
  /**
   * Calls `run` once after `ms` (0 or less: as soon as possible). Any length is honoured: an implementation over a timer
   * with a largest delay (24.8 days in Node, which fires at once beyond it) waits in steps. Does not keep a process alive.
   * @returns a function that cancels it; calling it late or twice does nothing.
   */
  after(ms: number, run: () => void): () => void;
}
