/**
 * What people, the model and the clock may do to a goal: one pure step from a goal and an event to the goal after it, or to
 * the sentence that says why not. Whoever stores the step does so only if the goal is still the one that it was made from.
 */

import { blocked, complete, wait } from "./by-model.ts";
import { edit, create, lose, pause, raise, resume, stop } from "./by-people.ts";
import { begin } from "./begin.ts";
import type { Creation, GoalEvent, Reduced } from "./event.ts";
import type { Goal } from "./goal.ts";
import { decide, propose } from "./proposal.ts";
import { isCurrent, LEFT_STANDING } from "./ref.ts";
import { heard, woken } from "./wake.ts";
import { changed, close, ifOwned, refused } from "./step.ts";
import { afterTurn } from "./turn.ts";

export function reduceGoal(goal: Goal | undefined, event: GoalEvent, now: number): Reduced {
  if (event.kind === "set") return create(goal, event, now);
  if (goal === undefined || goal.closed !== undefined) return refused("There is no goal in this thread.");
  return step(goal, event, now);
}

function step(goal: Goal, event: Exclude<GoalEvent, Creation>, now: number): Reduced {
  const at = { ...goal, updatedAt: now };
  if ("ref" in event && event.ref !== undefined && !isCurrent(event.ref, goal)) return refused(LEFT_STANDING);
  switch (event.kind) {
    case "edit":
      return ifOwned(goal, event.by, () => edit(at, event, now));
    case "pause":
      return pause(at);
    case "resume":
      return ifOwned(goal, event.by, () => resume(at, now, event.by));
    case "clear":
      return ifOwned(goal, event.by, () => changed(close(at, "cleared")));
    case "raise":
      return ifOwned(goal, event.by, () => raise(at, event, now));
    case "stop":
      return changed(stop(at));
    case "reset":
      return changed(close(at, "reset"));
    case "leave":
      return changed(close(at, "left"));
    case "gone":
      return changed(close(at, "gone"));
    case "lost":
      return lose(at, event);
    case "mute":
      return pause(at);
    case "told":
      if (event.revision <= goal.told || event.revision > goal.revision)
        return refused("It was told already.");
      return changed({ ...at, told: event.revision });
    case "complete":
      return complete(at, event.evidence);
    case "blocked":
      return blocked(at, event);
    case "propose":
      return propose(at, event);
    case "verdict":
      return decide(at, event);
    case "wait":
      return wait(at, event, now);
    case "heard":
      return heard(at, event.by);
    case "woken":
      return woken(at, event, now);
    case "begin":
      return begin(goal, now);
    case "turn":
      if (event.turn.of.id !== goal.id) return refused("The turn was one of another goal.");
      return changed(afterTurn(at, event.turn, now));
    default:
      return event satisfies never;
  }
}
