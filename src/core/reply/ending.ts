/** How a reply ends for the people who read it: why, what to do next, and what it took. Pure. */

import { BobbinError, sentenceFor } from "../errors.ts";
import type { EndReason } from "../events.ts";
import type { RunId } from "../ids.ts";
import { formatDuration, formatMoney, formatTokens } from "../measure.ts";
import type { Outcome } from "../ports/run-store.ts";
import type { Button } from "../ports/surface.ts";
import { totalTokens } from "../usage.ts";
import type { ReplyDocument } from "./document.ts";

export interface Ending {
  /** One sentence on why it ended; absent after a plain `stop`, where nothing needs to be said. */
  readonly why?: string;
  /** What a person can do now. */
  readonly next?: string;
  /** Whether Retry makes sense: the run failed and the same input may do better. */
  readonly canRetry: boolean;
}

/** The ending of each reason. An error's next step names the run, so that an admin can look it up. */
export function endingOf(run: RunId, outcome: Pick<Outcome, "reason" | "error">): Ending {
  if (outcome.reason !== "error") return ENDINGS[outcome.reason];
  const error = new BobbinError(
    outcome.error?.code ?? "panic",
    outcome.error?.message ?? "no error was given",
  );
  return { why: sentenceFor(error), next: `Retry starts it again (run ${run}).`, canRetry: true };
}

const ENDINGS: Readonly<Record<Exclude<EndReason, "error">, Ending>> = {
  stop: { canRetry: false },
  max_turns: {
    why: "This took as many steps as one answer may take.",
    next: "Reply to go on from here.",
    canRetry: true,
  },
  max_tokens: {
    why: "The answer reached the greatest length that is allowed.",
    next: "Reply to go on from here.",
    canRetry: true,
  },
  stuck: {
    why: "The same step gave the same result again and again, so this was ended.",
    next: "Reply with a hint, or retry.",
    canRetry: true,
  },
  waiting: { why: "Waiting for an answer.", next: "Reply in this thread to go on.", canRetry: false },
  no_speech: {
    why: "No speech could be heard in the recording.",
    next: "Record it again or write it.",
    canRetry: false,
  },
  cancelled: { why: "Stopped.", next: "Reply to go on.", canRetry: false },
  timeout: {
    why: "This took longer than one answer may take.",
    next: "Reply to go on from here, or retry.",
    canRetry: true,
  },
};

/** Stands in the place of an answer that says nothing, since a blank page is never sent. */
export function blankNotice(document: ReplyDocument): string {
  if (document.rounds.some((round) => round.images > 0)) {
    return "The answer is only an image, and images cannot be shown here yet.";
  }
  return "The model gave an empty answer. Please ask again, perhaps in other words.";
}

/** `12 s · 1,204 tokens · $0.013`: what was not reported is left out. */
export function costLine(document: ReplyDocument, outcome: Outcome): string {
  const parts = [formatDuration(outcome.endedAt - document.startedAt)];
  const tokens = totalTokens(document.usage);
  if (tokens !== undefined) parts.push(formatTokens(tokens));
  if (document.usage.cost !== undefined) parts.push(formatMoney(document.usage.cost));
  return parts.join(" · ");
}

/** Stop while it runs, Retry after a failure; both carry the run. */
export function buttonsOf(document: ReplyDocument): readonly Button[] {
  const { outcome, run } = document;
  if (outcome === undefined) return [{ action: "stop", label: "Stop", value: run }];
  return endingOf(run, outcome).canRetry ? [{ action: "retry", label: "Retry", value: run }] : [];
}
