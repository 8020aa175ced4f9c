/** What each end reason means to people: why it ended, what to do next, whether Retry makes sense. The one place that says so. */

import type { EndReason } from "./events.ts";

export interface ReasonMeaning {
  /** One sentence. */
  readonly why: string;
  /** What a person can do now; absent where nothing needs to be done. */
  readonly next?: string;
  /** Whether the same input may do better a second time. */
  readonly canRetry: boolean;
}

export const END_REASONS: Readonly<Record<EndReason, ReasonMeaning>> = {
  stop: { why: "The answer is complete.", canRetry: false },
  waiting: { why: "Waiting for an answer.", next: "Reply in this thread to go on.", canRetry: false },
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
  no_speech: {
    why: "No speech could be heard in the recording.",
    next: "Record it again or write it.",
    canRetry: false,
  },
  cancelled: { why: "Stopped.", next: "Reply to go on, or retry.", canRetry: true },
  timeout: {
    why: "This took longer than one answer may take.",
    next: "Reply to go on from here, or retry.",
    canRetry: true,
  },
  error: { why: "Something went wrong.", next: "Retry starts it again.", canRetry: true },
};

/** The note entry that a run leaves when it did not end well; the model reads it with the next user turn. */
export function noteFor(reason: EndReason): string | undefined {
  if (reason === "stop" || reason === "waiting") return undefined;
  return `The previous turn ended: ${reason}. ${END_REASONS[reason].why}`;
}
