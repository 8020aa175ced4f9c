/** What an end reason means: one sentence for people, whether Retry makes sense, and the note that the model reads. */

import type { EndReason } from "../events.ts";

interface Meaning {
  readonly sentence: string;
  readonly retryable: boolean;
}

const MEANINGS: Readonly<Record<EndReason, Meaning>> = {
  stop: { sentence: "The answer is complete.", retryable: false },
  waiting: { sentence: "The bot waits for an answer from a person.", retryable: false },
  max_turns: { sentence: "The bot reached its limit of steps for one answer.", retryable: true },
  max_tokens: { sentence: "The answer was longer than the model may write.", retryable: true },
  stuck: { sentence: "The bot did the same thing again and again without getting further.", retryable: true },
  no_speech: { sentence: "There was nothing to hear in the recording.", retryable: false },
  cancelled: { sentence: "It was stopped.", retryable: true },
  timeout: { sentence: "The answer took too long.", retryable: true },
  error: { sentence: "Something went wrong.", retryable: true },
};

export function describeReason(reason: EndReason): string {
  return MEANINGS[reason].sentence;
}

export function isRetryable(reason: EndReason): boolean {
  return MEANINGS[reason].retryable;
}

/** The note entry that a run leaves when it did not end well; the model reads it with the next user turn. */
export function noteFor(reason: EndReason): string | undefined {
  if (reason === "stop" || reason === "waiting") return undefined;
  return `The previous turn ended: ${reason}. ${MEANINGS[reason].sentence}`;
}
