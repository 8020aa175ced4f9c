/** What a person asks of a goal that makes work is let in like a message: by the rules of access, and counted by their limits. */

import { admissionOf, answerTo, type Access } from "../access/access.ts";
import type { CommandInbound } from "../inbound.ts";
import type { Inbox } from "../ports/inbox.ts";

/** @returns what the person is told who may not now. A delivery that comes again counts once. Rejects when it cannot be stored. */
export type AdmitGoal = (inbound: CommandInbound) => Promise<string | undefined>;

const REFUSED = "You may not do that here.";

/** Nothing is stored where no limit is set and nothing forbids it: a goal keeps its own book of what was asked of it. */
export function createGoalAdmission(deps: {
  readonly access: Pick<Access, "decide">;
  readonly inbox: Inbox;
}): AdmitGoal {
  return async (inbound) => {
    const decision = deps.access.decide(inbound);
    const admission = admissionOf(decision, inbound);
    if (admission === undefined) return REFUSED;
    if (admission.isRefused !== true && admission.counted === undefined) return undefined;
    const stored = await deps.inbox.put(inbound, admission);
    const rule =
      stored.kind === "refused" ? stored.rule : stored.kind === "duplicate" ? stored.refused : undefined;
    return rule === undefined ? undefined : (answerTo(decision, rule) ?? REFUSED);
  };
}
