/** How a thread is doing, in a few words. Pure. */

import { END_REASONS } from "../end-reason.ts";
import type { ThreadState } from "../ports/person-threads.ts";

export function describeState(state: ThreadState): string {
  switch (state.kind) {
    case "working":
      return "Working";
    case "queued":
      return "Waiting for its turn";
    case "new":
      return "Nothing answered yet";
    case "ended":
      if (state.reason === "stop") return "Done";
      return state.reason === "waiting"
        ? "Waiting for your answer"
        : `Ended early: ${END_REASONS[state.reason].why}`;
    default:
      return state satisfies never;
  }
}
