import { setTimeout as pause } from "node:timers/promises";

export interface UntilOptions {
  /**
   * How long to wait before giving up; 100 seconds unless said. It is there for what never comes: what does come may take as long as
   * a machine needs that others load. A third of what a test may take, whose own limit says less.
   */
  readonly timeoutMs?: number;
  /** How long to wait between two looks at first; 10 milliseconds unless said. */
  readonly everyMs?: number;
  /** The state that is waited for, as it reads after "waited 100000 ms until". */
  readonly what: string;
}

/** Each look is work for somebody: it comes late by a fiftieth of what was waited for at most, and by no more than this. */
const LATE_MS = 100;

/**
 * Waits for a state: calls the condition until it returns something that is neither false nor nothing, and returns that.
 * Rejects after the time limit, with the last error of the condition as the cause; an error before that is "not yet".
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: UntilOptions,
): Promise<Exclude<T, false | null | undefined>> {
  const { timeoutMs = 100_000, everyMs = 10, what } = options;
  const begun = performance.now();
  for (;;) {
    let failure: unknown;
    try {
      const value = await condition();
      if (value !== false && value !== null && value !== undefined)
        return value as Exclude<T, false | null | undefined>;
    } catch (error) {
      failure = error;
    }
    const waitedMs = performance.now() - begun;
    if (waitedMs >= timeoutMs) {
      throw new Error(
        `waited ${timeoutMs} ms until ${what}`,
        failure === undefined ? {} : { cause: failure },
      );
    }
    await pause(Math.max(everyMs, Math.min(LATE_MS, waitedMs / 50)));
  }
}

/** Waits until so many are seen. @returns all that are seen then. Rejects where there are more of them than that. */
export async function exactly<T>(
  seen: () => readonly T[],
  count: number,
  what: string,
): Promise<readonly T[]> {
  const enough = (): readonly T[] | undefined => {
    const all = seen();
    return all.length >= count ? all : undefined;
  };
  const all = await until(enough, { what });
  if (all.length > count) throw new Error(`${all.length} are seen, and not ${count}, when ${what}`);
  return all;
}
