/** Whether a goal may still work where it is, as the platform sees its thread and its owner. */

import type { Goal } from "../goal/goal.ts";
import type { Author } from "../inbound.ts";
import type { SessionId } from "../thread.ts";

export type Standing =
  /** `owner`: as the platform has them now, for the rules of access. */
  | { readonly kind: "fine"; readonly owner: Author }
  /** A person has closed the thread, and may open it again. */
  | { readonly kind: "archived" }
  /** Nothing can be written there any more. */
  | { readonly kind: "gone" }
  /** Deactivated, or not in the channel or the server any more. */
  | { readonly kind: "owner_left" };

/** What cannot be learnt now counts as it was known last, and where nothing was known as fine: then nothing can be written either. Never rejects. */
export type StandingOf = (session: SessionId, goal: Pick<Goal, "owner" | "turns">) => Promise<Standing>;
