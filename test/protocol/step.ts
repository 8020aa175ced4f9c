// What the actors of the model offer to the search.
import type { State } from "./state.ts";

/** One atomic step of somebody. */
export interface Step {
  readonly name: string;
  readonly next: State;
  /** What must never be, and has just happened. */
  readonly wrong?: string;
}
