/** Who looks through what happened: threads that somebody has to look at, and refusals. */

import type { InboundView } from "./transcripts.ts";
import type { ReviewState, Space } from "./overviews.ts";
import type { Person } from "./sign-ins.ts";
import type { SessionId } from "../thread.ts";

/** What somebody wanted and was not given. */
export interface Refusal extends Pick<InboundView, "inbound" | "reason" | "rule"> {
  readonly seq: number;
  readonly session: SessionId;
  /** ms since 1970. */
  readonly at: number;
  /** Whether there is a thread that can be opened: a first message that was refused begins none. */
  readonly hasThread: boolean;
  /** As of an overview: what is not known to be public is private. */
  readonly isDirect: boolean;
  readonly isPrivate: boolean;
  readonly review: ReviewState;
}

export interface Reviews {
  of(session: SessionId): Promise<ReviewState>;
  /** Gives it to somebody; whoever had it has it no more. */
  assign(session: SessionId, to: Pick<Person, "person" | "name">): Promise<void>;
  /** Somebody has looked through all that is there now. */
  done(session: SessionId, who: Pick<Person, "person" | "name">): Promise<void>;
  /** The newest first; those that a mute or a thread's own settings passed over are none. */
  refusals(
    space: Space,
    page: { readonly before?: number; readonly limit: number; readonly isUnreviewed: boolean },
  ): Promise<readonly Refusal[]>;
  /** Whether something was refused there. */
  hasRefusal(session: SessionId): Promise<boolean>;
  /** Who was signed in to the pages of the space within the last days: the people it can be given to. */
  people(space: Space): Promise<readonly Pick<Person, "person" | "name">[]>;
}
