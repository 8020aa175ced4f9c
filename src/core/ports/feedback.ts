/** What people say of an answer: one word of each person for each run, which may be changed. */

import type { FeedbackValue } from "../feedback.ts";
import type { Author } from "../inbound.ts";
import type { RunId } from "../ids.ts";
import type { SessionId } from "../thread.ts";

export interface Feedback {
  readonly session: SessionId;
  readonly run: RunId;
  /** The platform's id of the person, and their name as it was then. */
  readonly person: Pick<Author, "id" | "name">;
  readonly value: FeedbackValue;
  /** When they said it, ms since 1970. */
  readonly at: number;
}

export interface FeedbackBook {
  /**
   * Takes the place of what the same person said before it of the run, so the same once more changes nothing, and what is delivered late
   * changes nothing that was said later.
   * @param given.run the newest run that has ended unless said.
   * @returns false where the session has no such run.
   */
  give(given: Omit<Feedback, "run"> & { readonly run?: RunId }): Promise<boolean>;
  /** Of one thread, the newest first. */
  ofSession(session: SessionId): Promise<readonly Feedback[]>;
  /** Of all threads, said since then, the newest first; at most `limit`. */
  since(at: number, limit: number): Promise<readonly Feedback[]>;
}
