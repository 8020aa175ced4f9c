/** Goals that the model proposed: each waits for a person who starts it, until the thread is reset or has another goal. */

import type { Written } from "../goal/done-when.ts";
import type { Limits } from "../goal/limits.ts";
import type { SessionId } from "../thread.ts";

export interface ProposedGoal extends Written {
  /** Short enough for a button: at most 40 letters and digits. */
  readonly id: string;
  readonly limits: Limits;
}

export type FoundProposal =
  | { readonly kind: "open"; readonly proposal: ProposedGoal }
  /** The thread was reset, or has had another goal since. */
  | { readonly kind: "void" }
  | { readonly kind: "unknown" };

export interface GoalProposals {
  /**
   * Of one with an id that is there nothing changes, and nothing is stored for a run that has ended, as when the thread was erased
   * meanwhile. Rejects when it could not be stored.
   */
  put(session: SessionId, proposal: ProposedGoal, run: string): Promise<void>;
  find(session: SessionId, id: string): Promise<FoundProposal>;
}
