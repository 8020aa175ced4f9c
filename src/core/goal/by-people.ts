/** What people do to a goal. Pure. */

import { isBlank } from "../text.ts";
import type { Written } from "./done-when.ts";
import { exhausted, MINUTE_MS, reserveOf, type Goal, type Windows } from "./goal.ts";
import { RAISES } from "./ref.ts";
import { refusalOfLimits } from "./policy.ts";
import type { Asker, Creation, GoalEvent, Reduced } from "./event.ts";
import type { Limits } from "./limits.ts";
import { changed, cleared, close, ifOwned, kick, problemOf, refused, renewed } from "./step.ts";

export function create(goal: Goal | undefined, event: Creation, now: number): Reduced {
  const before = goal?.closed === undefined ? goal : undefined;
  const isOpen = before !== undefined && before.status !== "complete";
  if (isOpen && event.mode === "new") {
    return refused(
      "This thread has a goal already. `goal replace` with the new text puts another one in its place, `goal edit` changes it, and `goal budget` raises what it may use.",
    );
  }
  const problem = problemOf(event);
  if (problem !== undefined) return refused(problem);
  const { tokens, turns, minutes } = event.limits;
  const { doneWhen } = event;
  const made: Goal = {
    v: 1,
    id: event.id,
    owner: event.owner,
    ...(event.where === undefined ? {} : { where: event.where }),
    objective: event.objective.trim(),
    ...(doneWhen === undefined || doneWhen.length === 0 ? {} : { doneWhen }),
    revision: 1,
    generation: 1,
    status: "active",
    windows: {
      tokens: { used: 0, limit: tokens },
      turns: { used: 0, limit: turns },
      activeMs: { used: 0, limit: minutes * MINUTE_MS },
    },
    turns: 0,
    noEffect: 0,
    failures: 0,
    told: 0,
    seen: [],
    createdAt: now,
    updatedAt: now,
  };
  const kicked = kick(made, now);
  if (before === undefined) return changed(kicked);
  const replaced = close({ ...before, updatedAt: now }, isOpen ? "replaced" : "complete");
  const replace = (): Reduced => ({ kind: "changed", goal: kicked, replaced });
  return isOpen ? ifOwned(before, event.by, replace) : replace();
}

export function edit(goal: Goal, { objective, doneWhen }: Written, now: number): Reduced {
  // Only the lines are new.
  const text = isBlank(objective) && doneWhen !== undefined ? goal.objective : objective;
  const problem = problemOf({ objective: text, ...(doneWhen === undefined ? {} : { doneWhen }) });
  if (problem !== undefined) return refused(problem);
  const { doneWhen: linesBefore, reason, ...rest } = goal;
  const lines = doneWhen ?? linesBefore ?? [];
  // Called reached in the turn under way: that was said of the text before.
  const status = goal.status === "complete" ? "active" : goal.status;
  const edited: Goal = {
    ...cleared({ ...rest, status, objective: text.trim(), revision: goal.revision + 1 }),
    ...(lines.length === 0 ? {} : { doneWhen: lines }),
    // A new text does not take away why it stands still, nor what that allows who goes on with it.
    ...(reason !== undefined && goal.status === "paused" ? { reason } : {}),
  };
  // What was planned for the text before is planned anew for this one; a last turn, and one after the provider's limit, when it was.
  if (status !== "active") {
    const { next } = edited;
    return changed(next === undefined ? edited : { ...edited, next: { ...next, revision: edited.revision } });
  }
  // In the last turn that its windows have, what follows is planned by the end of that turn.
  return changed(exhausted(edited) === undefined ? kick(edited, now) : edited);
}

export function pause(goal: Goal): Reduced {
  const isGoingOn = goal.status === "active" || goal.status === "waiting";
  if (isGoingOn) return changed(renewed({ ...goal, status: "paused" }));
  // A last turn, or one after the provider's limit, is taken back; also a last turn that was begun, and is tried again when it was given up.
  if (goal.next !== undefined || goal.lastTurns !== undefined) return changed(renewed(goal));
  return refused("The goal is not being worked on.");
}

/** It may not go on by itself, for now. */
export function lose(goal: Goal, { reason, of }: Extract<GoalEvent, { kind: "lost" }>): Reduced {
  if (of !== undefined && (of.id !== goal.id || of.owner !== goal.owner.id))
    return refused("It was found of another goal, or of another one's.");
  const paused = pause(goal);
  if (paused.kind === "refused" || paused.goal.status !== "paused") return paused;
  return changed({ ...paused.goal, reason });
}

export function stop(goal: Goal): Goal {
  const isGoingOn = goal.status === "active" || goal.status === "waiting";
  return renewed(isGoingOn ? { ...goal, status: "paused", reason: "interrupted" } : goal);
}

/** An admin who goes on with what somebody left behind: from then on it works with the admin's rights. */
function takenOver(goal: Goal, by: Asker): Goal {
  const isLeft = goal.reason === "owner_left" || goal.reason === "no_access";
  if (!isLeft || by.id === goal.owner.id) return goal;
  return { ...goal, owner: { id: by.id, name: by.name ?? by.id } };
}

export function resume(before: Goal, now: number, by?: Asker): Reduced {
  const goal = by === undefined ? before : takenOver(before, by);
  switch (goal.status) {
    case "active":
      return refused("The goal is being worked on already.");
    case "waiting":
    case "paused":
    case "blocked":
    case "usage_limited":
    case "budget_limited": {
      const window = exhausted(goal, reserveOf(goal));
      if (window !== undefined) return refused(raiseFirst(window));
      return changed(kick(cleared(renewed({ ...goal, status: "active" })), now));
    }
    case "complete":
      return refused("The goal is reached. `goal` with a new text sets another one.");
    default:
      return goal.status satisfies never;
  }
}

const NAME = { tokens: "tokens", turns: "turns", activeMs: "minutes" } as const;

function raiseFirst(window: keyof Windows): string {
  return `Its ${NAME[window]} are used up. Raise them first: \`goal budget ${RAISES[window]}\`.`;
}

export function raise(
  goal: Goal,
  { more, most }: { readonly more: Partial<Limits>; readonly most?: Limits },
  now: number,
): Reduced {
  const { tokens, turns, activeMs } = goal.windows;
  const windows: Windows = {
    tokens: { ...tokens, limit: tokens.limit + (more.tokens ?? 0) },
    turns: { ...turns, limit: turns.limit + (more.turns ?? 0) },
    activeMs: { ...activeMs, limit: activeMs.limit + (more.minutes ?? 0) * MINUTE_MS },
  };
  const after: Limits = {
    tokens: windows.tokens.limit,
    turns: windows.turns.limit,
    minutes: windows.activeMs.limit / MINUTE_MS,
  };
  const tooMuch = most && refusalOfLimits(after, { most: { ...after, ...onlyRaised(most, more) } });
  if (tooMuch !== undefined) return refused(tooMuch);
  const raised = { ...goal, windows };
  if (goal.status !== "budget_limited") return changed(raised);
  const window = exhausted(raised, reserveOf(raised));
  if (window !== undefined) return { kind: "refused", why: raiseFirst(window), goal: raised };
  return changed(kick(cleared(renewed({ ...raised, status: "active" })), now));
}

/** A window that is larger than it may be by now, but is not raised, is no reason to refuse another one. */
function onlyRaised(most: Limits, more: Partial<Limits>): Partial<Limits> {
  return Object.fromEntries(Object.entries(most).filter(([key]) => more[key as keyof Limits] !== undefined));
}
