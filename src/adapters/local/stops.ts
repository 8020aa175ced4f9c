/** The stop signal within one process. */

import type { Stops } from "../../core/ports/stops.ts";
import { createLocalTopics } from "../../core/topics.ts";

/** @see Stops */
export function createLocalStops(): Stops {
  const topics = createLocalTopics<undefined>();
  return {
    signal: async (session) => topics.publish(session, undefined),
    watch: (session, heard) => topics.subscribe(session, () => heard()),
  };
}
