/**
 * A goal works with its owner's rights: before a turn of its own begins it is looked whether they still may talk to the bot there, and whether
 * the thread is still one. Else the goal stands still with the reason, and no model is asked.
 */

import type { Access } from "../access/access.ts";
import type { GoalEvent } from "../goal/event.ts";
import { standingOfGoal } from "../goal/describe.ts";
import { dueAtOf, type Goal } from "../goal/goal.ts";
import type { GoalPolicies } from "../goal/policy.ts";
import type { Goals } from "../ports/goals.ts";
import type { Log } from "../ports/log.ts";
import type { StandingOf } from "../ports/standings.ts";
import type { Surface } from "../ports/surface.ts";
import { threadOf, type SessionId } from "../thread.ts";
import type { ServeStep } from "./serve-session.ts";

export interface OnlyWhileAllowedDeps {
  readonly step: ServeStep;
  readonly goals: Pick<Goals, "read" | "apply">;
  readonly standingOf: StandingOf;
  readonly access: Pick<Access, "ofCommand">;
  readonly policies: GoalPolicies;
  surfaceOf(session: SessionId): Surface;
  readonly log: Log;
}

export function onlyWhileAllowed(deps: OnlyWhileAllowedDeps): ServeStep {
  const { step, goals, standingOf, access, policies, log } = deps;

  async function whyNot(session: SessionId, goal: Goal): Promise<GoalEvent | undefined> {
    const { where } = goal;
    if (!policies.at(session, where).allow) return { kind: "lost", reason: "not_allowed" };
    const standing = await standingOf(session, goal);
    switch (standing.kind) {
      case "gone":
        return { kind: "gone" };
      case "archived":
      case "owner_left":
        return { kind: "lost", reason: standing.kind };
      case "fine":
        return access.ofCommand("goal", standing.owner, threadOf(session), where).kind === "allow"
          ? undefined
          : { kind: "lost", reason: "no_access" };
      default:
        return standing satisfies never;
    }
  }

  /** Once, and best effort: the goal itself says it to whoever looks. */
  async function tell(session: SessionId, goal: Goal): Promise<void> {
    try {
      const key = `goal-lost-${goal.id}-${goal.generation}`;
      const said = await deps
        .surfaceOf(session)
        .post(key, { markdown: standingOfGoal(goal, goal.updatedAt), buttons: [] });
      if (said.kind !== "ok") log.debug("why a goal stands still was not told", { session, ...said });
    } catch (error) {
      log.debug("why a goal stands still was not told", { session, error });
    }
  }

  return async (session, lease, leaving) => {
    const goal = await goals.read(session);
    if (goal !== undefined && dueAtOf(goal) !== undefined) {
      const event = await whyNot(session, goal);
      if (event !== undefined) {
        const applied = await goals.apply(session, event);
        log.info("a goal does not go on", { session, goal: goal.id, event });
        // A post would open an archived thread again, and reaches nobody where there is none.
        const isTold = event.kind === "lost" && event.reason !== "archived";
        if (applied.kind === "changed" && isTold) await tell(session, applied.goal);
      }
    }
    // What people wrote meanwhile is answered all the same.
    return step(session, lease, leaving);
  };
}
