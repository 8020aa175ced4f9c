/** Live events within one process. */

import type { Live } from "../../core/ports/live.ts";
import { createLocalTopics } from "../../core/topics.ts";

/** @see Live. Every watcher gets a copy of its own, as it would from another process. */
export function createLocalLive(): Live {
  const topics = createLocalTopics<string>();
  return {
    publish: async (topic, event) => topics.publish(topic, JSON.stringify(event) ?? "null"),
    subscribe: async (topic, heard) => topics.subscribe(topic, (text) => heard(JSON.parse(text))),
  };
}
