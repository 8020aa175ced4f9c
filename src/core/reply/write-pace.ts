/** When the next write of a reply may be: its own rhythm while it grows, and what the platform asks for. */

import { growingMs } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { PageContent, SurfaceLimits, Written } from "../ports/surface.ts";

/** After so many failed progress writes in a row only the final is tried. */
const PROGRESS_FAILURES = 5;
/** The first words wait this long for others, ms, and not for their turn: whoever asked sees at once that an answer comes. */
const FIRST_WORDS_MS = 150;

export interface WritePace {
  /** How long progress waits from now on, ms; none below one. */
  readonly progressMs: number;
  /** The same for a final, which keeps only to what the platform asks for. */
  readonly finalMs: number;
  /** Progress failed so often that only the final is tried. */
  readonly hasGivenUp: boolean;
  /** Whether the newest progress that was tried has failed. */
  readonly isFailing: boolean;
  /** A look at what is to be written: the next one comes an interval later. */
  looked(): void;
  /** What a page that is nearly full says more is small beside it, and costs as much as the whole: it is shown in larger steps. */
  grew(page: PageContent): void;
  landed(): void;
  /** Progress that did not land is tried again ever more rarely. */
  failed(): void;
  /** @param saidAt ticks at which the first words were said. */
  hurry(saidAt: number): void;
  /** The platform wants no write now, or others have their turn. */
  later(answer: Extract<Written, { readonly kind: "later" }>): void;
  /** A final does not wait for the turn of progress. */
  endTurns(): void;
}

export function createWritePace(clock: Clock, limits: SurfaceLimits): WritePace {
  /** Ticks before which no progress is written. */
  let nextLookAt = clock.ticks();
  /** Ticks before which the platform wants no write at all. */
  let closedUntil = clock.ticks();
  /** Ticks before which others have their turn. */
  let turnAt = clock.ticks();
  let failures = 0;
  return {
    get progressMs() {
      return Math.max(nextLookAt, closedUntil, turnAt) - clock.ticks();
    },
    get finalMs() {
      return Math.max(closedUntil, turnAt) - clock.ticks();
    },
    get hasGivenUp() {
      return failures >= PROGRESS_FAILURES;
    },
    get isFailing() {
      return failures > 0;
    },
    looked() {
      nextLookAt = clock.ticks() + limits.editEveryMs;
    },
    grew({ markdown }) {
      const { editEveryMs, pageSize } = limits;
      const share = Math.min(1, markdown.length / pageSize);
      nextLookAt += editEveryMs * Math.max(0, (3 * share - 1) / 2);
    },
    landed() {
      failures = 0;
    },
    failed() {
      nextLookAt = Math.max(nextLookAt, clock.ticks() + growingMs(failures++));
    },
    hurry(saidAt) {
      nextLookAt = Math.min(nextLookAt, saidAt + FIRST_WORDS_MS);
    },
    later({ afterMs, isTurn }) {
      const until = clock.ticks() + Math.max(1, afterMs);
      if (isTurn === true) turnAt = until;
      else closedUntil = Math.max(closedUntil, until);
    },
    endTurns() {
      turnAt = clock.ticks();
    },
  };
}
