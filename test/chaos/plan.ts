// Which faults a chaos run has, and when: all of it from the seed, before the run begins.
import { CALL_FAULTS, DELIVERY_FAULTS, type CallFault, type DeliveryFault } from "./place.ts";
import { randomOf, type Random } from "./random.ts";

/** How long a process stands still: past its lease and no longer, so that its job is still its own, or until others have taken over. */
export type Past = "lease" | "takeover";

/** What happens to processes and servers. */
export type Blow =
  | { readonly kind: "kill" | "end"; readonly who: "gateway" | "worker" }
  | { readonly kind: "pause"; readonly who: "gateway" | "worker"; readonly past: Past }
  | { readonly kind: "kill at"; readonly who: "gateway" | "worker"; readonly moment: string }
  | { readonly kind: "pause at"; readonly who: "worker"; readonly moment: string; readonly past: Past }
  | { readonly kind: "redis"; readonly how: "shutdown" | "kill" | "flush" }
  | { readonly kind: "postgres"; readonly how: "fast" | "immediate" };

export type Fault =
  | Blow
  | { readonly kind: "call"; readonly how: CallFault }
  | { readonly kind: "delivery"; readonly how: DeliveryFault };

export interface Planned {
  readonly atMs: number;
  readonly fault: Fault;
}

/** What a run may break: all of it, only what is mended without a sweep of the ledger, or mostly who is about to write. */
export type Scope = "everything" | "workers alone" | "late writers";

/** Between claim and end of an attempt, where a pause or a kill has the most to break. */
export const WORKER_MOMENTS = [
  "after open-run",
  "before open-goal",
  "after open-goal",
  "in tool",
  "after tool",
  "before commit-round",
  "after commit-round",
  "before end-run",
  "after end-run",
  "before pages-put",
  "after pages-put",
  "before settled",
] as const;
const BEFORE_WRITES = WORKER_MOMENTS.filter((moment) => moment.startsWith("before "));
const GATEWAY_MOMENTS = [
  "before inbox-put",
  "after inbox-put",
  "before goal-change",
  "after goal-change",
] as const;

/** A minute; each comes at least so often in a run. */
interface Rate {
  readonly perMinute: number;
  readonly least: number;
  readonly draw: (random: Random) => Fault;
}

const RATES: Readonly<Record<Scope, readonly Rate[]>> = {
  everything: [
    ...workers(),
    { perMinute: 1.5, least: 1, draw: () => ({ kind: "kill", who: "gateway" }) },
    {
      perMinute: 1.2,
      least: 1,
      draw: (random) => ({ kind: "kill at", who: "gateway", moment: random.pick(GATEWAY_MOMENTS) }),
    },
    { perMinute: 0.3, least: 0, draw: () => ({ kind: "pause", who: "gateway", past: "takeover" }) },
    {
      perMinute: 0.7,
      least: 1,
      draw: (random) => ({ kind: "redis", how: random.pick(["shutdown", "kill"]) }),
    },
    { perMinute: 0.3, least: 1, draw: () => ({ kind: "redis", how: "flush" }) },
    {
      perMinute: 0.7,
      least: 1,
      draw: (random) => ({ kind: "postgres", how: random.pick(["fast", "immediate"]) }),
    },
  ],
  "late writers": [
    ...workers(),
    // One in ten or so goes on just when another has claimed the run and has not yet written.
    {
      perMinute: 30,
      least: 10,
      draw: (random) => ({
        kind: "pause at",
        who: "worker",
        moment: random.pick(BEFORE_WRITES),
        past: random.pick(["lease", "takeover"]),
      }),
    },
  ],
  "workers alone": [
    ...workers(),
    // Who has lost its lease and not its job is the only one who knows that there is work left.
    {
      perMinute: 12,
      least: 6,
      draw: (random) => ({
        kind: "pause at",
        who: "worker",
        moment: random.pick(WORKER_MOMENTS),
        past: "lease",
      }),
    },
  ],
};

function workers(): readonly Rate[] {
  return [
    { perMinute: 6, least: 2, draw: () => ({ kind: "kill", who: "worker" }) },
    {
      perMinute: 5,
      least: 2,
      draw: (random) => ({ kind: "kill at", who: "worker", moment: random.pick(WORKER_MOMENTS) }),
    },
    { perMinute: 1.5, least: 1, draw: () => ({ kind: "pause", who: "worker", past: "takeover" }) },
    {
      perMinute: 3,
      least: 1,
      draw: (random) => ({
        kind: "pause at",
        who: "worker",
        moment: random.pick(WORKER_MOMENTS),
        past: random.pick(["lease", "takeover"]),
      }),
    },
    { perMinute: 0.8, least: 0, draw: () => ({ kind: "end", who: "worker" }) },
    { perMinute: 24, least: 4, draw: (random) => ({ kind: "call", how: random.pick(CALL_FAULTS) }) },
    { perMinute: 20, least: 4, draw: (random) => ({ kind: "delivery", how: random.pick(DELIVERY_FAULTS) }) },
  ];
}

/** In the order of their times. */
export function planOf(seed: number, forMs: number, scope: Scope): readonly Planned[] {
  const random = randomOf(seed, "faults");
  const planned = RATES[scope].flatMap(({ perMinute, least, draw }) => {
    const times = Math.max(least, Math.round((perMinute * forMs) / 60_000));
    return Array.from({ length: times }, (): Planned => ({
      atMs: Math.round(random.next() * forMs),
      fault: draw(random),
    }));
  });
  return planned.sort((one, other) => one.atMs - other.atMs);
}
