/** Over Redis where a URL is set, else within this process. */

import {
  localCoordination,
  type Coordination,
  type CoordinationDeps,
  type CoordinationTimes,
} from "./coordination.ts";

/**
 * Without a URL nothing of Redis is loaded, and the process starts sooner. Waits for a Redis that is not there yet.
 * @throws BobbinError when it is unfit (too old, evicts keys).
 */
export async function openCoordination(
  deps: CoordinationDeps,
  { redisUrl }: { readonly redisUrl: string | undefined },
  signal: AbortSignal,
  times?: CoordinationTimes,
): Promise<Coordination> {
  if (redisUrl === undefined) return localCoordination(deps);
  const { redisCoordination } = await import("./redis-coordination.ts");
  return redisCoordination(deps, redisUrl, signal, times);
}
