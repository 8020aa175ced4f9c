/** Live events over a Redis channel per topic, as JSON. */

import type { Live } from "../core/ports/live.ts";
import type { Log } from "../core/ports/log.ts";
import type { RedisChannels } from "./channels.ts";

export interface RedisLiveDeps {
  readonly channels: RedisChannels;
  readonly log: Log;
}

/** @see Live. An event that cannot be sent is logged and never rejects: watchers read the rows. */
export function createRedisLive({ channels, log }: RedisLiveDeps): Live {
  return {
    async publish(topic, event) {
      try {
        await channels.publish(`live:${topic}`, JSON.stringify(event) ?? "null");
      } catch (error) {
        log.debug("a live event could not be sent", { topic, error });
      }
    },
    subscribe: (topic, heard) =>
      channels.subscribe(`live:${topic}`, (text) => {
        let event: unknown;
        try {
          event = JSON.parse(text);
        } catch {
          log.warn("a live event was no JSON and was dropped", { topic });
          return;
        }
        heard(event);
      }),
  };
}
