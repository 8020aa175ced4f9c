// The pacers of several processes over one real Redis, with the time of a simulation.
import { createLocalPacer } from "../../../src/adapters/local/pacer.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Pacer } from "../../../src/core/ports/pacer.ts";
import { RedisConnections } from "../../../src/queue/connection.ts";
import { createRedisPacer } from "../../../src/queue/pacer.ts";
import { silentLog } from "../silent-log.ts";
import type { CrowdClock } from "./crowd-clock.ts";

export interface SharedPacers extends Disposable {
  pacerOf(process: number, clock: CrowdClock): Pacer;
}

export async function openSharedPacers(
  corner: { readonly url: string; readonly prefix?: string },
  processes: number,
): Promise<SharedPacers> {
  const deps = { clock: createSystemClock(), log: silentLog };
  const connections = Array.from({ length: processes }, () => new RedisConnections(deps, corner));
  await Promise.all(connections.map((redis) => redis.connected(new AbortController().signal)));
  return {
    pacerOf(process, clock) {
      const redis = connections[process];
      if (redis === undefined) throw new RangeError("there is no such process");
      const alone = createLocalPacer(clock);
      const pacer = createRedisPacer({ redis, alone, log: silentLog }, { now: () => clock.now() });
      return {
        take: (...asked) => clock.outside(pacer.take(...asked)),
        leave: (...left) => clock.outside(pacer.leave(...left)),
        hold: (...held) => clock.outside(pacer.hold(...held)),
      };
    },
    [Symbol.dispose]() {
      for (const redis of connections) redis.close();
    },
  };
}
