/**
 * What the model says of a goal's end is a proposal where somebody else looks first: accepted it is final, refused the reason is
 * given to the next turn, and the third refusal in a row blocks the goal. Whoever cannot judge stands in nobody's way. Pure.
 */

import { headOf } from "../text.ts";
import { noteBlocker, problemNow } from "./by-model.ts";
import type { GoalEvent, Reduced } from "./event.ts";
import type { Goal } from "./goal.ts";
import { changed, refused } from "./step.ts";
import type { Proposal, Verdict } from "./verdict.ts";

/** Refusals in a row behind which a goal is blocked. */
export const MOST_REJECTIONS = 3;
const REASON_UNITS = 500;

export function propose(goal: Goal, event: Extract<GoalEvent, { kind: "propose" }>): Reduced {
  // Decided before a crash: whoever asks again is told the same.
  if (goal.proposal?.of === event.of && goal.proposal.verdict !== undefined) return changed(goal);
  const problem = problemNow(goal, event.as);
  if (problem !== undefined) return refused(problem);
  const { of, as, evidence, key } = event;
  const proposal: Proposal = { of, as, evidence };
  if (as === "complete") return changed({ ...goal, proposal });
  if (key === undefined) return refused("Name the obstacle by a short key.");
  const noted = noteBlocker(goal, key);
  return noted.kind === "refused" ? noted : changed({ ...noted.goal, proposal });
}

export function decide(goal: Goal, event: Extract<GoalEvent, { kind: "verdict" }>): Reduced {
  const { proposal } = goal;
  if (proposal === undefined || proposal.of !== event.of || proposal.verdict !== undefined)
    return refused("The goal was changed while this was looked at, so it is not decided.");
  const problem = problemNow(goal, proposal.as);
  if (problem !== undefined) return refused(problem);
  const verdict: Verdict = { ...event.verdict, reason: headOf(event.verdict.reason, REASON_UNITS) };
  const decided: Goal = { ...goal, proposal: { ...proposal, verdict } };
  if (verdict.kind !== "rejected") {
    const { next: _, rejections: __, objection: ___, ...rest } = decided;
    // A goal that is reached is closed by the end of this turn, which still counts.
    return changed({ ...rest, status: proposal.as, evidence: proposal.evidence });
  }
  const rejections = (goal.rejections ?? 0) + 1;
  if (rejections < MOST_REJECTIONS) return changed({ ...decided, rejections, objection: verdict.reason });
  const { next: _, objection: __, ...rest } = decided;
  const evidence = `it was said to be ${proposal.as === "complete" ? "reached" : "blocked"}, and the check refused that ${MOST_REJECTIONS} times: ${verdict.reason}`;
  return changed({ ...rest, rejections, status: "blocked", evidence });
}
