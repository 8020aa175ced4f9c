/** What ends a goal's wait before its time. Pure. */

import type { Goal, Wait } from "./goal.ts";
import type { GoalEvent, Reduced } from "./event.ts";
import { changed, goOn, kick, refused } from "./step.ts";

/** Whether words of one of them end the wait: where it is for one person's reply, those of others do not. */
export function isAnswered({ kind, from }: Pick<Wait, "kind" | "from">, by: readonly string[]): boolean {
  return kind !== "reply" || from === undefined || by.includes(from);
}

/** @param by who wrote; anybody where it is not said. The turn under way, which answers them, plans what comes next. */
export function heard(goal: Goal, by?: readonly string[]): Reduced {
  const { status, wait } = goal;
  if (status !== "waiting") return refused("The goal does not wait.");
  if (wait !== undefined && by !== undefined && !isAnswered(wait, by))
    return refused("The goal waits for the reply of somebody else.");
  return changed(goOn(goal));
}

export function woken(goal: Goal, event: Extract<GoalEvent, { kind: "woken" }>, now: number): Reduced {
  const { status, wait } = goal;
  if (status !== "waiting" || wait?.kind !== event.wait) return refused("The goal does not wait for that.");
  if (wait.until <= now) return refused("The time for it is over.");
  const isMeant =
    event.wait === "webhook" ? wait.token === event.token : wait.from === undefined || wait.from === event.by;
  if (!isMeant) return refused("The goal waits for another one.");
  return changed({ ...kick(goOn(goal), now), woken: event.text });
}
