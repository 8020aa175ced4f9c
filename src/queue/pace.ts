/** The pace of all processes that share a Redis, by its clock. */

import type { Log } from "../core/ports/log.ts";
import type { Pace } from "../core/ports/pace.ts";
import type { RedisConnections } from "./connection.ts";
import { HOLD, TAKE } from "./scripts.ts";

export function createRedisPace({
  redis,
  log,
}: {
  readonly redis: RedisConnections;
  readonly log: Log;
}): Pace {
  const keyOf = (key: string): string => `${redis.prefix}:pace:${key}`;

  async function ask(script: string, key: string, ...args: readonly number[]): Promise<number> {
    try {
      return Number(await redis.commands.eval(script, 1, keyOf(key), ...args));
    } catch (error) {
      log.debug("the others could not be asked for their pace", { key, error });
      return 0;
    }
  }

  return {
    take: (key, { everyMs, burst }) => ask(TAKE, key, everyMs, burst),
    async hold(key, { everyMs, burst }, forMs) {
      await ask(HOLD, key, everyMs, burst, Math.ceil(forMs));
    },
  };
}
