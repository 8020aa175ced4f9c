/** Whether a Redis is fit to hold wake-ups and leases: asked once at boot, before anything is taken from a platform. */

import { probeRedis } from "./probe.ts";

/** What is wrong as one sentence, and what to do about it as another. */
export type RedisCheck =
  | { readonly kind: "fit"; readonly version: string }
  /** It would lose wake-ups, or does not let us in: do not start. */
  | { readonly kind: "unfit"; readonly sentence: string; readonly fix: string }
  /** It may come: the connections go on trying. */
  | { readonly kind: "unreachable"; readonly sentence: string; readonly fix: string };

/** Never rejects; answers within `timeoutMs` (5,000 unless said). */
export async function checkRedis(
  url: string,
  options: { readonly timeoutMs?: number } = {},
): Promise<RedisCheck> {
  const probe = await probeRedis(url, options);
  if (probe.kind === "silent") {
    return {
      kind: "unreachable",
      sentence: `Redis does not answer. ${probe.why}`,
      fix: "Start Redis, or correct REDIS_URL. Without REDIS_URL the bot runs as one process that needs no Redis.",
    };
  }
  if (probe.kind === "refuses") {
    return { kind: "unfit", sentence: `Redis cannot be used. ${probe.why}`, fix: "Correct REDIS_URL." };
  }
  if (!probe.isOldEnough) {
    return {
      kind: "unfit",
      sentence: `Redis ${probe.version} is too old.`,
      fix: "Use Redis 6.2 or newer.",
    };
  }
  // A server that does not tell is taken at its word: hosted ones hide it, and doctor says so.
  if (probe.maxmemoryPolicy !== undefined && probe.maxmemoryPolicy !== "noeviction") {
    return {
      kind: "unfit",
      sentence: `Redis may throw away wake-ups and leases when its memory is full (maxmemory-policy is ${probe.maxmemoryPolicy}).`,
      fix: "Set maxmemory-policy to noeviction, in redis.conf or with `redis-cli config set maxmemory-policy noeviction`.",
    };
  }
  return { kind: "fit", version: probe.version };
}
