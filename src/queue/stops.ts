/** The stop signal over one Redis channel: a stop is rare, and a subscription for each run would be two round trips. */

import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { Stops } from "../core/ports/stops.ts";
import { createLocalTopics } from "../core/topics.ts";
import type { RedisChannels } from "./channels.ts";

export interface RedisStopsDeps {
  readonly channels: RedisChannels;
  readonly clock: Clock;
  readonly log: Log;
}

const CHANNEL = "stops";
const TRY_AGAIN_MS = 1_000;

/**
 * @see Stops. A signal that cannot be sent is logged and never rejects: the ledger has the stop already. The channel is
 * listened to from the first watch on.
 */
export function createRedisStops({ channels, clock, log }: RedisStopsDeps): Stops {
  const topics = createLocalTopics<undefined>();
  let isListening = false;
  const tellAll = (): void => topics.publishToAll(undefined);

  function listen(): void {
    isListening = true;
    channels
      .subscribe(CHANNEL, (session) => topics.publish(session, undefined), tellAll)
      .then(tellAll, (error: unknown) => {
        log.warn("stop signals cannot be heard; stops work at round borders", { error });
        clock.after(TRY_AGAIN_MS, () => {
          if (channels.isClosed) return;
          listen();
        });
      });
  }

  return {
    async signal(session) {
      try {
        await channels.publish(CHANNEL, session);
      } catch (error) {
        log.warn("a stop signal could not be sent; the run ends at its next border", { session, error });
      }
    },
    watch(session, heard) {
      if (!isListening) listen();
      return topics.subscribe(session, () => heard());
    },
  };
}
