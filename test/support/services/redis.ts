// Redis for tests: a corner of the server that the whole run shares, or a server of one's own to break.
import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { startRedis, withRedis, type RedisServer, type RedisServerOptions } from "./redis-server.ts";

export interface FreshRedis extends AsyncDisposable {
  /** On our own server, a database that no other test uses; on the one of REDIS_URL, the database that it names. */
  readonly url: string;
  /** Use it for every key and every channel: channels are not kept apart by databases. Letters and digits. */
  readonly prefix: string;
}

/** An empty corner of the shared Redis. Disposing removes its keys. */
export async function freshRedis(): Promise<FreshRedis> {
  const { redisUrl, redisDatabases } = inject("services");
  const prefix = `t${randomBytes(6).toString("hex")}`;
  if (redisDatabases === 0) {
    return { url: redisUrl, prefix, [Symbol.asyncDispose]: () => removeKeys(redisUrl, prefix) };
  }
  // Database 0 only counts; the others are handed out in turn, and come round again long after they were emptied.
  const taken = await withRedis(redisUrl, (redis) => redis.incr("databases-handed-out"));
  const url = `${redisUrl}/${1 + (taken % (redisDatabases - 1))}`;
  return {
    url,
    prefix,
    [Symbol.asyncDispose]: () => withRedis(url, async (redis) => void (await redis.flushdb())),
  };
}

/** A server for one test, which may stop it, start it again, freeze and empty it. */
export function ownRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  return startRedis(options);
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  await withRedis(url, async (redis) => {
    let cursor = "0";
    do {
      const [next, keys] = await redis.scan(cursor, "MATCH", `*${prefix}*`, "COUNT", 500);
      if (keys.length > 0) await redis.del(...keys);
      cursor = next;
    } while (cursor !== "0");
  });
}
