/** The stop signal within one process. */

import type { Stops } from "../../core/ports/stops.ts";
import { createLocalTopics } from "./topics.ts";

/** @see Stops */
export function createLocalStops(): Stops {
  const topics = createLocalTopics<undefined>();
  return {
    signal: async (session) => topics.publish(session, undefined),
    watch: async (session, heard) => topics.subscribe(session, () => heard()),
  };
}
