/**
 * A goal works with its owner's rights: before a turn of its own begins it is looked whether they still may talk to the bot there, and whether
 * the thread is still one. Else the goal stands still with the reason, and no model is asked.
 */

import type { Access } from "../access/access.ts";
import { isStoreTrouble } from "../errors.ts";
import type { GoalEvent } from "../goal/event.ts";
import { standingOfGoal } from "../goal/describe.ts";
import { dueAtOf, type Goal, type PauseReason } from "../goal/goal.ts";
import type { GoalPolicies } from "../goal/policy.ts";
import { withTimeLimit } from "../pause.ts";
import type { Clock } from "../ports/clock.ts";
import type { Goals } from "../ports/goals.ts";
import type { Log } from "../ports/log.ts";
import type { StandingOf } from "../ports/standings.ts";
import type { Surface, Voice } from "../ports/surface.ts";
import { threadOf, type SessionId } from "../thread.ts";
import type { ServeStep } from "./serve-session.ts";

export interface OnlyWhileAllowedDeps {
  readonly step: ServeStep;
  /** The same for what people wrote alone. */
  readonly people: ServeStep;
  readonly goals: Pick<Goals, "read" | "apply">;
  readonly standingOf: StandingOf;
  readonly access: Pick<Access, "ofCommand">;
  readonly policies: GoalPolicies;
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  readonly clock: Clock;
  readonly log: Log;
}

/** The session is held meanwhile, and people's messages wait. */
const PLATFORM_MS = 5_000;
/** Looks at a goal that is another one each time. */
const LOOKS = 3;

export function onlyWhileAllowed(deps: OnlyWhileAllowedDeps): ServeStep {
  const { step, people, goals, standingOf, access, policies, clock, log } = deps;

  async function whyNot(session: SessionId, goal: Goal): Promise<GoalEvent | undefined> {
    const { where, id, owner } = goal;
    const lost = (reason: PauseReason): GoalEvent => ({ kind: "lost", reason, of: { id, owner: owner.id } });
    if (!policies.at(session, where).allow) return lost("not_allowed");
    const standing = await withTimeLimit(
      clock,
      PLATFORM_MS,
      "the standing of a goal",
      standingOf(session, goal),
    );
    switch (standing.kind) {
      case "gone":
        return { kind: "gone" };
      case "archived":
      case "owner_left":
        return lost(standing.kind);
      case "fine":
        return access.ofCommand("goal", standing.owner, threadOf(session), where).kind === "allow"
          ? undefined
          : lost("no_access");
      default:
        return standing satisfies never;
    }
  }

  /** Once, and best effort: the goal itself says it to whoever looks. */
  async function tell(session: SessionId, goal: Goal): Promise<void> {
    try {
      const key = `goal-lost-${goal.id}-${goal.generation}`;
      const page = { markdown: standingOfGoal(goal, goal.updatedAt), buttons: [] };
      const until = clock.ticks() + PLATFORM_MS;
      const posted = deps.surfaceOf(session, "notice").post(key, page, () => clock.ticks() < until);
      const said = await withTimeLimit(clock, PLATFORM_MS, "why a goal stands still", posted);
      if (said.kind !== "ok") log.debug("why a goal stands still was not told", { session, ...said });
    } catch (error) {
      log.debug("why a goal stands still was not told", { session, error });
    }
  }

  async function mayGoOn(session: SessionId): Promise<boolean> {
    for (let looks = 0; looks < LOOKS; looks++) {
      const goal = await goals.read(session);
      if (goal === undefined || dueAtOf(goal) === undefined) return true;
      const event = await whyNot(session, goal);
      if (event === undefined) return true;
      const applied = await goals.apply(session, event);
      // It is another one by now, of which nothing was asked yet.
      if (applied.kind === "refused") continue;
      log.info("a goal does not go on", { session, goal: goal.id, event });
      // A post would open an archived thread again, and reaches nobody where there is none.
      if (event.kind === "lost" && event.reason !== "archived") await tell(session, applied.goal);
      return false;
    }
    return false;
  }

  return async (session, lease, leaving) => {
    const isAllowed = await mayGoOn(session).catch((error: unknown) => {
      if (isStoreTrouble(error)) throw error;
      log.warn("whether a goal may go on is not known now; it is looked at again", { session, error });
      return false;
    });
    // What people wrote meanwhile is answered all the same.
    return (isAllowed ? step : people)(session, lease, leaving);
  };
}
