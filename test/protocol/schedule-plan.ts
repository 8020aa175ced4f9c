// What happens to a thread in one schedule, drawn beforehand.
import fc from "fast-check";
import type { Inbox } from "../../src/core/ports/inbox.ts";
import type { Lease } from "../../src/core/ports/locker.ts";
import type { RunStore } from "../../src/core/ports/run-store.ts";
import type { SessionId } from "../../src/core/thread.ts";
import type { Reaction } from "../support/fake-surface.ts";

/** What may be broken on purpose. */
export interface Flaws {
  store?(store: RunStore, session: SessionId): RunStore;
  inbox?(inbox: Inbox): Inbox;
  lease?(lease: Lease): Lease;
  readonly lateWritesMs?: number;
  readonly isShared?: true;
  readonly losesWakes?: true;
  readonly wakesFirst?: true;
}

const PEOPLE = ["say", "say", "copy", "stop", "end", "time"] as const;
const WHAT = {
  /** Whatever there is. */
  rough: [...PEOPLE, "kill", "stall", "lease", "flush", "mute", "store", "platform"],
  /** Nothing that loses a wake, so that nobody needs a sweeper. */
  killed: [...PEOPLE, "kill", "platform"],
  /** A job that was taken away before its worker died would leave the session to the sweeper. */
  stalled: [...PEOPLE, "stall", "stall"],
} as const;
export type Weather = keyof typeof WHAT;
export interface Happening {
  /** Steps of the schedule before it. */
  readonly after: number;
  readonly what: (typeof WHAT)[Weather][number];
  /** Which of the ways in which it can happen. */
  readonly which: number;
}
const BEHAVIOURS = ["answers", "answers", "reads", "writes", "fails"] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

export interface Plan {
  readonly happenings: readonly Happening[];
  readonly behaviours: readonly Behaviour[];
}

export function plans(weather: Weather): fc.Arbitrary<Plan> {
  return fc.record({
    happenings: fc.array(
      fc.record({
        after: fc.nat(20),
        what: fc.constantFrom<Happening["what"]>(...WHAT[weather]),
        which: fc.nat(5),
      }),
      { minLength: 1, maxLength: 9 },
    ),
    behaviours: fc.array(fc.constantFrom(...BEHAVIOURS), { maxLength: 4 }),
  });
}

/** Steps that the next write to the platform is under way. */
export const SLOW = [20, 60, 120] as const;
export const REACTIONS: readonly Reaction[] = [
  { kind: "unknown", landed: true },
  { kind: "unknown", landed: false },
  { kind: "later", waitMs: 700 },
];
