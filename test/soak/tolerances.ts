// How much a figure may seem to grow over the judged time and still be called flat: what chance does on a loaded machine,
// seen in runs without a leak, and less than what a leak of one thing for each thread would be.
import type { Tolerance } from "./judge.ts";

const MATCHING: readonly (readonly [figure: RegExp, tolerance: Tolerance | undefined])[] = [
  // With nothing under way a leak stands alone. A run has a dozen timers: one that is left by each run, or by each thread, is
  // hundreds. Pools are empty before the first message, and the queue has none of its own keys.
  [/^(open timers|open sockets|active TCPSocketWrap|active Timeout) at rest$/, { least: 40, share: 0 }],
  [/^(active|listeners).* at rest$/, { least: 5, share: 0 }],
  [/^connections at rest$/, { least: 40, share: 0 }],
  [/^(keys|channels) at rest$/, { least: 6, share: 0 }],
  [/at rest$/, undefined],
  // In an hour a worker ends some hundreds of runs after the warm-up: a few KB left by each are more than this.
  [/^heap in use/, { least: 2, share: 0.03 }],
  [/^buffers/, { least: 2, share: 0.1 }],
  // What the collector gave back to nobody yet, and pages of the allocator.
  [/^RSS/, { least: 8, share: 0.06 }],
  // What is under way in a moment, and how much that is, is chance.
  [/^open (timers|others)/, { least: 30, share: 0.3 }],
  [/^(active|open) /, { least: 8, share: 0.3 }],
  [/^listeners/, { least: 1, share: 0 }],
  [/delay p50/, { least: 10, share: 0.1 }],
  // It says how busy the machine is, by whomever.
  [/delay p99/, undefined],
  [/^connections/, { least: 2, share: 0.1 }],
  [/^channels/, { least: 4, share: 0.2 }],
  [/^keys/, { least: 10, share: 0.3 }],
  // Each connection prepares its statements when it first needs them, and is closed when it is old.
  [/^memory of a connection/, { least: 0.8, share: 0, isRenewed: true }],
  [/^memory/, { least: 0.5, share: 0.05 }],
];

/** Undefined for what is only told. */
export function toleranceOf(of: string, figure: string): Tolerance | undefined {
  return of === "load" ? undefined : MATCHING.find(([name]) => name.test(figure))?.[1];
}
