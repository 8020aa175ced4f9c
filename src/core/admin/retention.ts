/** Forgets what is older than the configuration keeps: beside the work, in small steps, and writes down that it did. */

import { isStoreAway } from "../errors.ts";
import { pause } from "../pause.ts";
import type { Audit } from "../ports/audit.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Space } from "../ports/overviews.ts";
import { RETAINED, type Retained, type Retention } from "../ports/retention.ts";
import { toSpace } from "../thread.ts";

/** Days; what is not named is kept for ever. */
export type RetentionDays = Readonly<Partial<Record<Retained, number>>>;

export interface RetentionRules {
  readonly everywhere: RetentionDays;
  /** By `platform:space`: what differs there. */
  readonly spaces: Readonly<Record<string, RetentionDays>>;
}

/** In which something may have to go: where something is stored, and whatever is named. */
function spacesIn(rules: RetentionRules, stored: readonly Space[]): readonly Space[] {
  const named = Object.keys(rules.spaces).flatMap((key) => toSpace(key) ?? []);
  const all = [...stored, ...named].map((space) => [`${space.platform}:${space.space}`, space] as const);
  return [...new Map(all).values()];
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
  /** Between two steps at least, ms: nobody waits for it. Default 50. */
  readonly gapMs?: number;
  /** Rows of one step; of conversations a tenth. Default 200. */
  readonly batch?: number;
}

export interface RetentionKeeper {
  start(): void;
  /** Begins no further step; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/** What is forgotten of one space in one sweep. */
interface Task {
  readonly space: Space;
  readonly kind: Retained;
  readonly days: number;
  after?: string;
  count: number;
}

const DAY_MS = 24 * 3_600_000;
/** The lock stands in an open transaction, and none is to be open for long. */
const LONGEST_HOLD_MS = 5_000;
/** After each step it rests for so many times as long as that took: answers come first. */
const RESTS = 9;
const LONGEST_REST_MS = 1_000;
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

  /** One step of it, which ends soon after `until` (ticks). @returns where the next one goes on; undefined when it is done. */
  async function forget(task: Task, until: number): Promise<string | undefined> {
    const { space, kind, days, after } = task;
    const what = `${kind} older than ${days} ${days === 1 ? "day" : "days"}`;
    // That it begins is written together with the first that goes: what is cut off then leaves a trace as well.
    const line = { who: { ...space, ...BOBBIN }, kind: "forget", about: `begins: ${what}` } as const;
    const { count, next, errors } = await retention.forget(space, kind, {
      olderThanMs: days * DAY_MS,
      limit: kind === "conversations" ? Math.ceil(batch / 10) : batch,
      mayGoOn: () => clock.ticks() < until && !stopping.signal.aborted,
      ...(after === undefined ? {} : { after }),
      ...(task.count === 0 ? { line } : {}),
    });
    task.count += count;
    for (const error of errors)
      log.warn("a thread that is older than it is kept cannot be forgotten", { error });
    return next;
  }

  async function ended({ space, kind, days, count }: Task): Promise<void> {
    if (count === 0) return;
    const about = `${kind} ${count}, older than ${days} ${days === 1 ? "day" : "days"}`;
    await audit.write({ who: { ...space, ...BOBBIN }, kind: "forget", about });
  }

  /** What fails stands in the way of nothing else, unless the store cannot be asked at all. */
  async function isDone(task: Task, until: number): Promise<boolean> {
    const begun = clock.ticks();
    try {
      const next = await forget(task, until);
      if (next === undefined) return true;
      task.after = next;
    } catch (error) {
      if (isStoreAway(error)) throw error;
      const { space, kind } = task;
      log.warn("what is older than it is kept cannot be forgotten", { ...space, what: kind, error });
      return true;
    }
    const restMs = Math.min(LONGEST_REST_MS, Math.max(gapMs, (clock.ticks() - begun) * RESTS));
    await pause(clock, restMs, stopping.signal);
    return false;
  }

  function tasksIn(spaces: readonly Space[]): Task[] {
    return spaces.flatMap((space) =>
      RETAINED.flatMap((kind): Task[] => {
        const days = daysIn(rules, space)[kind];
        return days === undefined ? [] : [{ space, kind, days, count: 0 }];
      }),
    );
  }

  async function sweep(): Promise<void> {
    try {
      let left: Task[] | undefined;
      // A piece at a time, so that no lock is held for long.
      for (let isOurs = true; isOurs && left?.length !== 0 && !stopping.signal.aborted;) {
        isOurs = false;
        await deps.exclusive(async () => {
          isOurs = true;
          left ??= tasksIn(spacesIn(rules, await retention.spaces()));
          const until = clock.ticks() + LONGEST_HOLD_MS;
          for (let [task] = left; task !== undefined && clock.ticks() < until; [task] = left) {
            const isOver = await isDone(task, until);
            if (!isOver && !stopping.signal.aborted) continue;
            left.shift();
            await ended(task);
            if (stopping.signal.aborted) return;
          }
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
