/** Keeps the sign of this process in the book of who is there. Nothing waits for it, and nothing depends on it. */

import type { AttendanceBook, Attender, Doings } from "../ports/attendance.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

export interface AttendanceDeps {
  readonly book: AttendanceBook;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AttendanceOptions {
  /** From one sign to the next, ms. Default 15,000. */
  readonly everyMs?: number;
}

export interface Attendance {
  /** Signs at once, and then again and again. */
  start(): void;
  /** Signs no more, and is taken out of the book. May be called twice. */
  stop(): Promise<void>;
}

/** Whoever was not seen for so long is shown as gone, ms: three signs were missed. */
export const GONE_MS = 50_000;

/** @param doingsOf asked at each sign. */
export function createAttendance(
  { book, clock, log }: AttendanceDeps,
  who: Attender,
  doingsOf: () => Doings,
  { everyMs = 15_000 }: AttendanceOptions = {},
): Attendance {
  let cancel: () => void = () => {};
  let signing: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | undefined;

  async function sign(): Promise<void> {
    try {
      await book.sign(who, doingsOf());
    } catch (error) {
      log.debug("that this process is there could not be noted", { error });
    }
    if (stopped === undefined) cancel = clock.after(everyMs, plan);
  }
  const plan = (): void => void (signing = sign());

  return {
    start: plan,
    stop() {
      cancel();
      stopped ??= signing
        .then(() => book.leave(who.id))
        .catch((error: unknown) => log.debug("that this process ends could not be noted", { error }));
      return stopped;
    },
  };
}
