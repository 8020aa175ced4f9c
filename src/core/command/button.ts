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

/** Undefined for one that first asks for a text (`edit`), and for one that carries nothing of ours. */
export function clickOf(action: ButtonAction, value: string | undefined): Clicked | undefined {
  switch (action) {
    case "stop":
    case "retry":
      return {
        command: { name: action },
        about: value === undefined || value === "" ? {} : { run: value as RunId },
      };
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
