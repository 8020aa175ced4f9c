/** Forgets what is older than the configuration keeps: beside the work, in small steps, and writes down that it did. */

import { pause } from "../pause.ts";
import type { Audit } from "../ports/audit.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Space } from "../ports/overviews.ts";
import { RETAINED, type Retained, type Retention } from "../ports/retention.ts";

/** Days; what is not named is kept for ever. */
export type RetentionDays = Readonly<Partial<Record<Retained, number>>>;

export interface RetentionRules {
  readonly everywhere: RetentionDays;
  /** By `platform:space`: what differs there. */
  readonly spaces: Readonly<Record<string, RetentionDays>>;
}

export function daysIn({ everywhere, spaces }: RetentionRules, { platform, space }: Space): RetentionDays {
  return { ...everywhere, ...spaces[`${platform}:${space}`] };
}

export interface RetentionKeeperDeps {
  readonly retention: Retention;
  readonly audit: Pick<Audit, "write">;
  readonly rules: RetentionRules;
  readonly clock: Clock;
  readonly log: Log;
  /** Calls `body` unless another process is in one just now. */
  exclusive(body: () => Promise<void>): Promise<void>;
}

export interface RetentionKeeperOptions {
  /** From one sweep to the next, ms. Default an hour. */
  readonly everyMs?: number;
  /** Between two steps, ms: nobody waits for it. Default 50. */
  readonly gapMs?: number;
  /** Rows of one step; of conversations a tenth. Default 200. */
  readonly batch?: number;
}

export interface RetentionKeeper {
  start(): void;
  /** Begins no further step; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

const DAY_MS = 24 * 3_600_000;
/** The lock stands in a transaction that does nothing meanwhile, and such a one is ended by the store after 15 s. */
const LONGEST_HOLD_MS = 5_000;
const BOBBIN = { person: "bobbin", name: "Bobbin" } as const;

export function createRetentionKeeper(
  deps: RetentionKeeperDeps,
  options: RetentionKeeperOptions = {},
): RetentionKeeper {
  const { retention, audit, rules, clock, log } = deps;
  const { everyMs = 3_600_000, gapMs = 50, batch = 200 } = options;
  const isOn = [rules.everywhere, ...Object.values(rules.spaces)].some(
    (days) => Object.keys(days).length > 0,
  );
  const stopping = new AbortController();
  let working: Promise<void> = Promise.resolve();
  let cancel = (): void => {};

  /** @returns what was forgotten, by kind; `isMore` where there was not enough time for all. */
  async function forgetIn(space: Space, until: number): Promise<boolean> {
    const counts: string[] = [];
    let isMore = false;
    try {
      for (const kind of RETAINED) {
        const days = daysIn(rules, space)[kind];
        if (days === undefined) continue;
        const limit = kind === "conversations" ? Math.ceil(batch / 10) : batch;
        let count = 0;
        for (let step = limit; step === limit && !isMore;) {
          step = await retention.forget(space, kind, days * DAY_MS, limit);
          count += step;
          isMore = clock.ticks() >= until || !(await pause(clock, gapMs, stopping.signal));
        }
        if (count > 0) counts.push(`${kind} ${count}, older than ${days} ${days === 1 ? "day" : "days"}`);
      }
    } finally {
      if (counts.length > 0)
        await audit.write({ who: { ...space, ...BOBBIN }, kind: "forget", about: counts.join("; ") });
    }
    return isMore;
  }

  async function sweep(): Promise<void> {
    try {
      // A piece at a time, so that no lock is held for long.
      for (let isMore = true; isMore && !stopping.signal.aborted;) {
        isMore = false;
        await deps.exclusive(async () => {
          const until = clock.ticks() + LONGEST_HOLD_MS;
          for (const space of await retention.spaces()) isMore = (await forgetIn(space, until)) || isMore;
        });
      }
    } catch (error) {
      log.warn("what is older than it is kept could not be forgotten; it is tried again", { error });
    }
  }

  const plan = (): void => {
    if (stopping.signal.aborted) return;
    working = working.then(sweep);
    cancel = clock.after(everyMs, plan);
  };

  return {
    start() {
      if (isOn) plan();
    },
    async stop() {
      stopping.abort();
      cancel();
      await working;
    },
  };
}
