/** Whether a Redis is fit to hold wake-ups and leases: asked at boot, before anything is taken from a platform, and by `doctor`. */

import { probeRedis } from "./probe.ts";

/** What is wrong as one sentence, and what to do about it as another. */
export type RedisCheck =
  /** `isPolicyKnown`: it says that it throws no keys away; a server that does not tell, as hosted ones, is taken at its word. */
  | { readonly kind: "fit"; readonly version: string; readonly isPolicyKnown: boolean }
  /** It would lose wake-ups, or does not let us in: do not start. */
  | { readonly kind: "unfit"; readonly sentence: string; readonly fix: string }
  /** It may come: the connections go on trying. */
  | { readonly kind: "unreachable"; readonly sentence: string; readonly fix: string };

export interface RedisCheckOptions {
  /** 5,000 unless said. */
  readonly timeoutMs?: number;
  /** What the sentences call it; `Redis` unless said. */
  readonly called?: string;
}

/** Never rejects; answers within `timeoutMs`. */
export async function checkRedis(url: string, options: RedisCheckOptions = {}): Promise<RedisCheck> {
  const { called = "Redis", ...probing } = options;
  const probe = await probeRedis(url, probing);
  if (probe.kind === "silent") {
    return {
      kind: "unreachable",
      sentence: `${called} does not answer. ${probe.why}`,
      fix: "Start Redis, or correct REDIS_URL. Without REDIS_URL the bot runs as one process that needs no Redis.",
    };
  }
  if (probe.kind === "refuses") {
    return { kind: "unfit", sentence: `${called} cannot be used. ${probe.why}`, fix: "Correct REDIS_URL." };
  }
  const { version, maxmemoryPolicy } = probe;
  if (!probe.isOldEnough) {
    const sentence = `${called} is ${version}, and Bobbin needs 6.2 or newer.`;
    return { kind: "unfit", sentence, fix: "Use Redis 6.2 or newer." };
  }
  if (maxmemoryPolicy !== undefined && maxmemoryPolicy !== "noeviction") {
    return {
      kind: "unfit",
      sentence: `${called} may throw away wake-ups and leases when its memory is full (maxmemory-policy is ${maxmemoryPolicy}).`,
      fix: "Set maxmemory-policy to noeviction, in redis.conf or with `redis-cli config set maxmemory-policy noeviction`.",
    };
  }
  return { kind: "fit", version, isPolicyKnown: maxmemoryPolicy !== undefined };
}
