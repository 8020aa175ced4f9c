/** What a click on a button asks for, the same for every surface. Pure. */

import { RAISES, readGoalRef, type GoalRef } from "../goal/ref.ts";
import type { RunId } from "../ids.ts";
import type { ButtonAction } from "../ports/surface.ts";
import type { Command } from "./command.ts";

/** Every action, for surfaces that read it back from an id of their own. */
export const BUTTON_ACTIONS = [
  "stop",
  "retry",
  "start",
  "details",
  "good",
  "bad",
  "pause",
  "resume",
  "raise",
  "edit",
  "clear",
] as const satisfies readonly ButtonAction[];

/** What a click is about: a button that was left standing says so, and changes nothing. */
export interface About {
  readonly run?: RunId;
  readonly goal?: GoalRef;
  /** A goal that was proposed, by its id. */
  readonly proposal?: string;
}

export interface Clicked {
  readonly command: Command;
  readonly about: About;
}

const PROPOSAL = /^[a-z0-9]{1,40}$/;

/** Told to who presses a button that another version of the bot put there, or that carries nothing any more. */
export const UNKNOWN_BUTTON = "This button has no use any more. Write what you want in the thread.";

/** Undefined for one that first asks for a text (`edit`), and for one that carries nothing of ours. */
export function clickOf(name: string, value: string | undefined): Clicked | undefined {
  const action = BUTTON_ACTIONS.find((each) => each === name);
  switch (action) {
    case undefined:
      return undefined;
    case "stop":
    case "retry":
    case "details":
      return { command: { name: action }, about: aboutRun(value) };
    case "good":
    case "bad":
      return { command: { name: "feedback", value: action }, about: aboutRun(value) };
    case "start":
      if (!PROPOSAL.test(value ?? "")) return undefined;
      return { command: { name: "goal" }, about: { proposal: value ?? "" } };
    case "pause":
    case "resume":
    case "clear":
    case "raise": {
      const goal = readGoalRef(value ?? "");
      if (goal === undefined) return undefined;
      const asked = action === "raise" ? `budget ${RAISES[goal.window ?? "tokens"]}` : action;
      return { command: { name: "goal", value: asked }, about: { goal } };
    }
    case "edit":
      return undefined;
    default:
      return action satisfies never;
  }
}

function aboutRun(value: string | undefined): About {
  return value === undefined || value === "" ? {} : { run: value as RunId };
}
