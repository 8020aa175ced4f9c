/** What may be done to a goal, and what comes of it. */

import type { Author, Where } from "../inbound.ts";
import type { Goal, PauseReason, WaitKind } from "./goal.ts";
import type { Limits } from "./limits.ts";
import type { GoalRef } from "./ref.ts";
import type { Verdict } from "./verdict.ts";
import type { GoalTurn } from "./turn.ts";

/** Who asks. */
export interface Asker {
  readonly id: string;
  readonly isAdmin: boolean;
  /** As others see them; who resumes the goal of somebody who left takes it over. */
  readonly name?: string;
}

export interface Creation {
  readonly kind: "set";
  /** `replace`: also in place of an open one. */
  readonly mode: "new" | "replace";
  readonly by: Asker;
  readonly id: string;
  readonly owner: Author;
  readonly objective: string;
  readonly doneWhen?: readonly string[];
  readonly limits: Limits;
  /** What the platform says of the place. */
  readonly where?: Where;
}

/** What a person asks of the goal. `ref`: what the button carried that they clicked; the goal has to be still that one. */
interface ByPerson {
  readonly by: Asker;
  readonly ref?: GoalRef;
}

export type GoalEvent =
  | Creation
  /** Without `doneWhen` those lines stay as they are; an empty one takes them away. */
  | ({
      readonly kind: "edit";
      readonly objective: string;
      readonly doneWhen?: readonly string[];
    } & ByPerson)
  | ({ readonly kind: "pause" | "resume" | "clear" } & ByPerson)
  /** `most`: what it may have then. */
  | ({ readonly kind: "raise"; readonly more: Partial<Limits>; readonly most?: Limits } & ByPerson)
  /** Typed by a person: everything of the thread that runs or waits is taken back. */
  | { readonly kind: "stop" | "reset" }
  /** The bot is no longer there. */
  | { readonly kind: "leave" }
  /** Nothing can be written in the thread any more. */
  | { readonly kind: "gone" }
  /** It may not go on, for now. `of`: the goal that this was found of, and whose it was. */
  | {
      readonly kind: "lost";
      readonly reason: PauseReason;
      readonly of?: { readonly id: string; readonly owner: string };
    }
  /** The bot is to be quiet in the thread. */
  | { readonly kind: "mute" }
  /** In the turn under way the model was told of this revision. */
  | { readonly kind: "told"; readonly revision: number }
  | { readonly kind: "complete"; readonly evidence: string }
  /** `key`: the same word for the same obstacle. */
  | { readonly kind: "blocked"; readonly key: string; readonly evidence: string }
  /** The same, where somebody looks first. `of`: the call that it was made by. `key`: for blocked. */
  | {
      readonly kind: "propose";
      readonly as: "complete" | "blocked";
      readonly of: string;
      readonly evidence: string;
      readonly key?: string;
    }
  | { readonly kind: "verdict"; readonly of: string; readonly verdict: Verdict }
  /** `from`, `token` and `of`: see `Wait`. */
  | {
      readonly kind: "wait";
      readonly wait: WaitKind;
      readonly untilMs?: number;
      readonly from?: string;
      readonly token?: string;
      readonly of?: string;
      readonly reason: string;
    }
  /** Somebody wrote in the thread. `by`: who; anybody unless said. */
  | { readonly kind: "heard"; readonly by?: readonly string[] }
  /** What it waits for has come. `text`: as the model reads it, with what others sent as data. */
  | ({ readonly kind: "woken"; readonly text: string } & (
      | { readonly wait: "reaction"; readonly by: string }
      | { readonly wait: "webhook"; readonly token: string }
    ))
  /** The turn that was planned begins, if it is still to begin. */
  | { readonly kind: "begin" }
  | { readonly kind: "turn"; readonly turn: GoalTurn };

export type Reduced =
  /** `replaced`: the goal before, closed. */
  | { readonly kind: "changed"; readonly goal: Goal; readonly replaced?: Goal }
  /** Read by whoever asked. `goal`: what is kept of it all the same. */
  | { readonly kind: "refused"; readonly why: string; readonly goal?: Goal };
