// What an ending of a run says.
import type { RunEnding } from "../../src/core/ports/run-store.ts";

/** The run's answer is to be stored with its end. */
export function endsWithAnswer(ending: unknown): boolean {
  const { reason, round } = ending as RunEnding;
  return reason === "stop" && round !== undefined;
}
