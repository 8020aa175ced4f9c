// The plan `b9`: so many messages in so many threads, each brought twice, while workers are killed, Redis starts again with what it
// wrote down, and Postgres is away every few seconds. People only ask: whatever is missing in the end was lost.
import { setTimeout as pause } from "node:timers/promises";
import type { Act } from "./checker/record.ts";
import type { People } from "./people.ts";
import type { ChaosPlace, Sent, Thread } from "./place.ts";
import type { Planned } from "./plan.ts";
import { randomOf, type Random } from "./random.ts";
import { questionOf } from "./recipe.ts";

export interface CrowdOptions {
  readonly messages: number;
  readonly threads: number;
}

/** People write a thought in several messages. */
const MOST_AT_ONCE = 4;

export function createCrowd(place: ChaosPlace, random: Random, { messages, threads }: CrowdOptions): People {
  const talks: Thread[] = [];
  const asked: Promise<Act>[] = [];

  function note({ session }: Thread, tag: number, { message, isAddressed, isHeard, taken }: Sent): void {
    const mayBeIgnored = !isAddressed && !isHeard;
    asked.push(
      taken.then((isTaken) => ({ kind: "question", tag, session, message, taken: isTaken, mayBeIgnored })),
    );
  }

  function begin(): void {
    const tag = asked.length + 1;
    const { thread, sent } = place.begin(questionOf(tag));
    talks.push(thread);
    note(thread, tag, sent);
  }

  function goOn(): void {
    const thread = random.pick(talks);
    const times = Math.min(random.between(1, MOST_AT_ONCE), messages - asked.length);
    for (let more = times; more > 0; more--) {
      const tag = asked.length + 1;
      note(thread, tag, place.say(thread, questionOf(tag)));
    }
  }

  return {
    async live(forMs, signal) {
      const begun = performance.now();
      while (asked.length < messages && !signal.aborted) {
        // All threads have begun when half of the time is over.
        const due = (threads * 2 * asked.length) / messages;
        if (talks.length === 0 || (talks.length < threads && talks.length < due)) begin();
        else goOn();
        const atMs = (forMs * asked.length) / messages;
        await pause(Math.max(0, begun + atMs - performance.now()), undefined, { signal }).catch(() => {});
      }
    },
    acts: () => Promise.all(asked),
    get questions() {
      return asked.length;
    },
  };
}

/** Two restarts of Postgres lie so far apart, one of Redis comes after each few, a worker is killed in between, ms. */
const POSTGRES_MS = [5_000, 10_000] as const;
const REDIS_MS = [20_000, 40_000] as const;
const KILL_MS = [4_000, 10_000] as const;

/** In the order of their times. */
export function nothingLostPlan(seed: number, forMs: number): readonly Planned[] {
  const random = randomOf(seed, "faults");
  const every = ([least, most]: readonly [number, number], draw: () => Planned["fault"]): Planned[] => {
    const all: Planned[] = [];
    for (let atMs = random.between(0, most); atMs < forMs; atMs += random.between(least, most))
      all.push({ atMs, fault: draw() });
    return all;
  };
  return [
    ...every(POSTGRES_MS, () => ({ kind: "postgres", how: random.pick(["fast", "immediate"]) })),
    ...every(REDIS_MS, () => ({ kind: "redis", how: random.pick(["shutdown", "kill"]) })),
    ...every(KILL_MS, () => ({ kind: "kill", who: "worker" })),
  ].sort((one, other) => one.atMs - other.atMs);
}
