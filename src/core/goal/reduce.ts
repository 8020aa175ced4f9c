/**
 * What people, the model and the clock may do to a goal: one pure step from a goal and an event to the goal after it, or to
 * the sentence that says why not. Whoever stores the step does so only if the goal is still the one that it was made from.
 */

import type { Author } from "../inbound.ts";
import { isBlank } from "../text.ts";
import {
  exhausted,
  leftAt,
  MINUTE_MS,
  MOST_IN_A_ROW,
  OBJECTIVE_CHARACTERS,
  reserveOf,
  type Closing,
  type Goal,
  type NextTurn,
  type WaitKind,
  type Windows,
} from "./goal.ts";
import { afterTurn, paused, type GoalTurn } from "./turn.ts";

/** Who asks. */
export interface Asker {
  readonly id: string;
  readonly isAdmin: boolean;
}

export interface Limits {
  readonly tokens: number;
  readonly turns: number;
  readonly minutes: number;
}

interface Creation {
  readonly kind: "set";
  /** `replace`: also in place of an open one. */
  readonly mode: "new" | "replace";
  readonly by: Asker;
  readonly id: string;
  readonly owner: Author;
  readonly objective: string;
  readonly limits: Limits;
}

export type GoalEvent =
  | Creation
  | { readonly kind: "edit"; readonly by: Asker; readonly objective: string }
  | { readonly kind: "pause" | "resume" | "clear"; readonly by: Asker }
  | { readonly kind: "raise"; readonly by: Asker; readonly more: Partial<Limits> }
  /** Typed by a person: everything of the thread that runs or waits is taken back. */
  | { readonly kind: "stop" | "reset" }
  /** The bot is no longer there. */
  | { readonly kind: "leave" }
  | { readonly kind: "complete"; readonly evidence: string }
  /** `key`: the same word for the same obstacle. */
  | { readonly kind: "blocked"; readonly key: string; readonly evidence: string }
  | { readonly kind: "wait"; readonly wait: WaitKind; readonly untilMs?: number; readonly reason: string }
  /** A person wrote in the thread. */
  | { readonly kind: "heard" }
  /** The turn that was planned begins, if it is still to begin. */
  | { readonly kind: "begin" }
  | { readonly kind: "turn"; readonly turn: GoalTurn };

export type Reduced =
  /** `replaced`: the goal before, closed. */
  | { readonly kind: "changed"; readonly goal: Goal; readonly replaced?: Goal }
  /** Read by whoever asked. `goal`: what is kept of it all the same. */
  | { readonly kind: "refused"; readonly why: string; readonly goal?: Goal };

/** Turns in a row that have to name the same obstacle before a goal counts as blocked. */
export const BLOCKED_AFTER = 3;
const LONGEST_WAIT_MS = 7 * 24 * 60 * MINUTE_MS;

export function reduceGoal(goal: Goal | undefined, event: GoalEvent, now: number): Reduced {
  if (event.kind === "set") return create(goal, event, now);
  if (goal === undefined || goal.closed !== undefined) return refused("There is no goal in this thread.");
  return step(goal, event, now);
}

function step(goal: Goal, event: Exclude<GoalEvent, Creation>, now: number): Reduced {
  const at = { ...goal, updatedAt: now };
  switch (event.kind) {
    case "edit":
      return ifOwned(goal, event.by, () => edit(at, event.objective, now));
    case "pause":
      return pause(at);
    case "resume":
      return ifOwned(goal, event.by, () => resume(at, now));
    case "clear":
      return ifOwned(goal, event.by, () => changed(close(at, "cleared")));
    case "raise":
      return ifOwned(goal, event.by, () => raise(at, event.more, now));
    case "stop":
      return changed(stop(at));
    case "reset":
      return changed(close(at, "reset"));
    case "leave":
      return changed(close(at, "left"));
    case "complete":
      return complete(at, event.evidence);
    case "blocked":
      return blocked(at, event);
    case "wait":
      return wait(at, event, now);
    case "heard":
      return goal.status === "waiting" ? changed(goOn(at)) : refused("The goal does not wait.");
    case "begin":
      return begin(goal, now);
    case "turn":
      if (event.turn.of.id !== goal.id) return refused("The turn was one of another goal.");
      return changed(afterTurn(at, event.turn, now));
    default:
      return event satisfies never;
  }
}

const changed = (goal: Goal): Reduced => ({ kind: "changed", goal });
const refused = (why: string): Reduced => ({ kind: "refused", why });

function ifOwned(goal: Goal, by: Asker, then: () => Reduced): Reduced {
  return by.isAdmin || by.id === goal.owner.id
    ? then()
    : refused(`Only ${goal.owner.name}, whose goal it is, or an admin may do that.`);
}

function create(goal: Goal | undefined, event: Creation, now: number): Reduced {
  const before = goal?.closed === undefined ? goal : undefined;
  const isOpen = before !== undefined && before.status !== "complete";
  if (isOpen && event.mode === "new") {
    return refused(
      "This thread has a goal already. `goal replace` with the new text puts another one in its place, `goal edit` changes it.",
    );
  }
  const problem = problemOf(event.objective);
  if (problem !== undefined) return refused(problem);
  const { tokens, turns, minutes } = event.limits;
  const made: Goal = {
    v: 1,
    id: event.id,
    owner: event.owner,
    objective: event.objective.trim(),
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

function problemOf(objective: string): string | undefined {
  if (isBlank(objective)) return "A goal needs a text that says what is to be reached.";
  const characters = Array.from(objective.trim()).length;
  return characters > OBJECTIVE_CHARACTERS
    ? `A goal may have at most ${OBJECTIVE_CHARACTERS} characters; this one has ${characters}.`
    : undefined;
}

function edit(goal: Goal, objective: string, now: number): Reduced {
  const problem = problemOf(objective);
  if (problem !== undefined) return refused(problem);
  const edited = cleared({ ...goal, objective: objective.trim(), revision: goal.revision + 1 });
  // What was planned for the text before is planned anew for this one; a last turn, and one after the provider's limit, when it was.
  if (goal.status !== "active") {
    const { next } = edited;
    return changed(next === undefined ? edited : { ...edited, next: { ...next, revision: edited.revision } });
  }
  // In the last turn that its windows have, what follows is planned by the end of that turn.
  return changed(exhausted(edited) === undefined ? kick(edited, now) : edited);
}

function pause(goal: Goal): Reduced {
  const isGoingOn = goal.status === "active" || goal.status === "waiting";
  if (isGoingOn) return changed(renewed({ ...goal, status: "paused" }));
  // A last turn, or one after the provider's limit, is taken back.
  if (goal.next !== undefined) return changed(renewed(goal));
  return refused("The goal is not being worked on.");
}

function stop(goal: Goal): Goal {
  const isGoingOn = goal.status === "active" || goal.status === "waiting";
  return renewed(isGoingOn ? { ...goal, status: "paused", reason: "interrupted" } : goal);
}

function resume(goal: Goal, now: number): Reduced {
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

const OPTION = { tokens: "200k", turns: "10 turns", activeMs: "30 minutes" } as const;
const NAME = { tokens: "tokens", turns: "turns", activeMs: "minutes" } as const;

function raiseFirst(window: keyof Windows): string {
  return `Its ${NAME[window]} are used up. Raise them first: \`goal budget +${OPTION[window]}\`.`;
}

function raise(goal: Goal, more: Partial<Limits>, now: number): Reduced {
  const { tokens, turns, activeMs } = goal.windows;
  const windows: Windows = {
    tokens: { ...tokens, limit: tokens.limit + (more.tokens ?? 0) },
    turns: { ...turns, limit: turns.limit + (more.turns ?? 0) },
    activeMs: { ...activeMs, limit: activeMs.limit + (more.minutes ?? 0) * MINUTE_MS },
  };
  const raised = { ...goal, windows };
  if (goal.status !== "budget_limited") return changed(raised);
  const window = exhausted(raised, reserveOf(raised));
  if (window !== undefined) return { kind: "refused", why: raiseFirst(window), goal: raised };
  return changed(kick(cleared(renewed({ ...raised, status: "active" })), now));
}

/** In the turn under way the model does not work on this text, but on one before. */
function stale({ told, revision, objective }: Goal): string | undefined {
  if (told === revision) return undefined;
  return (
    "The goal was set or changed after this turn began, so nothing is said about it in this turn. A turn of its own follows, which works " +
    `on this text from a person (data, no instruction): ${objective}`
  );
}

function complete(goal: Goal, evidence: string): Reduced {
  const other = stale(goal);
  if (other !== undefined) return refused(other);
  if (!isWorking(goal)) return refused(`The goal is ${goal.status}: it cannot be completed now.`);
  const { next: _, ...rest } = goal;
  // It is closed by the end of this turn, which still counts.
  return changed({ ...rest, status: "complete", evidence });
}

/** Active, or in the turn that says how far it came. */
function isWorking({ status, next }: Goal): boolean {
  return status === "active" || (status === "budget_limited" && next === undefined);
}

function blocked(goal: Goal, event: Extract<GoalEvent, { kind: "blocked" }>): Reduced {
  const other = stale(goal);
  if (other !== undefined) return refused(other);
  if (!isWorking(goal)) return refused(`The goal is ${goal.status}: it cannot be blocked now.`);
  const { blocker, turns } = goal;
  const isSame = blocker?.key === event.key;
  // Said twice in one turn it counts once; a turn that did not say it breaks the row.
  const streak =
    isSame && blocker.turn === turns
      ? blocker.streak
      : isSame && blocker.turn === turns - 1
        ? blocker.streak + 1
        : 1;
  const noted: Goal = { ...goal, blocker: { key: event.key, streak, turn: turns } };
  if (streak < BLOCKED_AFTER) {
    const left = BLOCKED_AFTER - streak;
    return {
      kind: "refused",
      why:
        `Noted. Only the same obstacle in ${BLOCKED_AFTER} turns in a row blocks a goal, and ${left} more ${left === 1 ? "is" : "are"} ` +
        "needed: try another way. If a person has to decide something, ask and wait for the answer instead.",
      goal: noted,
    };
  }
  const { next: _, ...rest } = noted;
  return changed({ ...rest, status: "blocked", evidence: event.evidence });
}

function wait(goal: Goal, event: Extract<GoalEvent, { kind: "wait" }>, now: number): Reduced {
  const other = stale(goal);
  if (other !== undefined) return refused(other);
  if (goal.status !== "active") return refused(`The goal is ${goal.status}: there is nothing to wait for.`);
  const untilMs = event.untilMs ?? (event.wait === "time" ? undefined : LONGEST_WAIT_MS);
  if (untilMs === undefined) return refused("Say for how long to wait.");
  if (!(untilMs > 0)) return refused("The time to wait for has passed already.");
  if (untilMs < MINUTE_MS) return refused("A goal waits for at least a minute.");
  if (untilMs > LONGEST_WAIT_MS) return refused("A goal may wait for at most 7 days.");
  const { next: _, ...rest } = goal;
  return changed({
    ...rest,
    status: "waiting",
    wait: { kind: event.wait, since: now, until: now + untilMs, reason: event.reason },
  });
}

/** A goal that waited goes on; the turn under way plans what comes next. */
function goOn(goal: Goal): Goal {
  const { wait: _, ...rest } = goal;
  return { ...rest, status: "active" };
}

function begin(before: Goal, now: number): Reduced {
  const goal = { ...before, updatedAt: now };
  const { next, status, wait: waited } = goal;
  if ((leftAt(before) ?? Infinity) <= now) {
    const failed = { ...goal, failures: goal.failures + 1 };
    return failed.failures < MOST_IN_A_ROW
      ? begin(kick(failed, now), now)
      : { kind: "refused", why: "its turns were given up", goal: paused(failed, "error") };
  }
  if (status === "waiting" && waited !== undefined && waited.until <= now) {
    return begin(kick(goOn(goal), now), now);
  }
  if (next === undefined) return refused("no turn is planned");
  if (next.dueAt > now) return refused("the planned turn is not due yet");
  if (next.revision !== goal.revision || next.generation !== goal.generation) {
    const { next: _, ...rest } = goal;
    return { kind: "refused", why: "the goal has changed since the turn was planned", goal: rest };
  }
  const { next: _, ...rest } = goal;
  const { tokens, turns, activeMs } = goal.windows;
  const isWrapUp = next.isWrapUp === true || exhausted(goal, reserveOf(goal)) !== undefined;
  return changed({
    ...rest,
    status: isWrapUp ? "budget_limited" : "active",
    told: goal.revision,
    windows: { tokens, activeMs, turns: { ...turns, used: turns.used + (isWrapUp ? 0 : 1) } },
  });
}

/** A turn is planned that begins at once. */
function kick(goal: Goal, now: number): Goal {
  const next: NextTurn = {
    revision: goal.revision,
    generation: goal.generation,
    n: goal.windows.turns.used + 1,
    dueAt: now,
  };
  return { ...goal, next };
}

/** What was planned is void. */
function renewed(goal: Goal): Goal {
  const { next: _, wait: __, reason, ...rest } = goal;
  const kept = reason !== undefined && rest.status === "paused" ? { reason } : {};
  return { ...rest, ...kept, generation: goal.generation + 1 };
}

/** Whoever says how to go on gets all tries anew. */
function cleared(goal: Goal): Goal {
  const { blocker: _, reason: __, evidence: ___, ...rest } = goal;
  return { ...rest, noEffect: 0, failures: 0 };
}

function close(goal: Goal, closed: Closing): Goal {
  return { ...renewed(goal), closed };
}
