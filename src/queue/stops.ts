/** The stop signal over a Redis channel per session. */

import type { Log } from "../core/ports/log.ts";
import type { Stops } from "../core/ports/stops.ts";
import type { RedisChannels } from "./channels.ts";

export interface RedisStopsDeps {
  readonly channels: RedisChannels;
  readonly log: Log;
}

/** @see Stops. A signal that cannot be sent is logged and never rejects: the ledger has the stop already. */
export function createRedisStops({ channels, log }: RedisStopsDeps): Stops {
  return {
    async signal(session) {
      try {
        await channels.publish(`stop:${session}`, "");
      } catch (error) {
        log.warn("a stop signal could not be sent; the run ends at its next border", { session, error });
      }
    },
    watch: (session, heard) => channels.subscribe(`stop:${session}`, () => heard()),
  };
}
