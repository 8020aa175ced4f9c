/** Signals with a time limit, and promises that are left behind when a signal aborts. */

import type { Clock } from "../ports/clock.ts";
import type { AbortReason } from "./loop-types.ts";

/** Why the signal was aborted. A deadline that the caller made (`AbortSignal.timeout`) counts as `timeout`. */
export function abortReasonOf(signal: AbortSignal): AbortReason {
  const { reason } = signal;
  if (reason === "lost" || reason === "leave" || reason === "timeout") return reason;
  return isTimeoutError(reason) ? "timeout" : "stopped";
}

function isTimeoutError(reason: unknown): boolean {
  return typeof reason === "object" && reason !== null && "name" in reason && reason.name === "TimeoutError";
}

export interface LimitedSignal {
  /** Aborts with its parent's reason, at the limit with "timeout", or by `abort`. */
  readonly signal: AbortSignal;
  /** Whether it was the limit that aborted it. */
  readonly isExpired: boolean;
  abort(reason: AbortReason): void;
  /** Lets go of timer and parent. */
  close(): void;
}

/** @param ms Infinity: no limit. */
export function limitSignal(parent: AbortSignal | undefined, clock: Clock, ms: number): LimitedSignal {
  const controller = new AbortController();
  let isExpired = false;
  const follow = (): void => controller.abort(parent?.reason);
  const cancelTimer =
    ms === Number.POSITIVE_INFINITY || parent?.aborted
      ? () => {}
      : clock.after(ms, () => {
          isExpired = !controller.signal.aborted;
          controller.abort("timeout");
        });
  if (parent?.aborted) follow();
  else parent?.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    get isExpired() {
      return isExpired;
    },
    abort: (reason) => controller.abort(reason),
    close() {
      cancelTimer();
      parent?.removeEventListener("abort", follow);
    },
  };
}

export type Raced<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "aborted" };

/**
 * Settles with the promise or at the abort, whichever is first; never rejects. A promise that is left behind may settle
 * as it likes, its failure included.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<Raced<T>> {
  return new Promise((resolve) => {
    const leave = (): void => resolve({ kind: "aborted" });
    const settle = (raced: Raced<T>): void => {
      signal.removeEventListener("abort", leave);
      resolve(raced);
    };
    promise.then(
      (value) => settle({ kind: "value", value }),
      (error: unknown) => settle({ kind: "threw", error }),
    );
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
}
