/** Reads the events of a run to their end, for a caller who wants only what came of it. */

import type { EntryBody } from "../entry.ts";
import type { BobbinError } from "../errors.ts";
import type { EndReason, RunEvent } from "../events.ts";
import type { Usage } from "../usage.ts";

export interface Drained {
  /**
   * What the run added to the conversation, in order: replies, results as the model received them, and messages that
   * joined. A log that is rebuilt from them is what `run` would store after the user message.
   */
  readonly messages: readonly EntryBody[];
  /** The first. */
  readonly error?: BobbinError;
  readonly reason: EndReason;
  readonly usage: Usage;
  readonly rounds: number;
  readonly durationMs: number;
}

/** @throws Error when the events end without `end`: they were not those of a run, or someone else read some of them. */
export async function drain(events: AsyncIterable<RunEvent>): Promise<Drained> {
  const messages: EntryBody[] = [];
  let error: BobbinError | undefined;
  for await (const event of events) {
    switch (event.kind) {
      case "round":
        if (event.state === "done") messages.push(...event.entries);
        break;
      case "steer":
        messages.push(...event.messages);
        break;
      case "error":
        error ??= event.error;
        break;
      case "end": {
        const { reason, usage, rounds, durationMs } = event;
        return { messages, ...(error === undefined ? {} : { error }), reason, usage, rounds, durationMs };
      }
      default:
        break;
    }
  }
  throw new Error("the events ended without an end");
}
