/** Asks a Redis once whether it answers, how old it is and whether it may throw keys away, for `doctor`. */
import { Redis } from "ioredis";

export type RedisProbe =
  | {
      readonly kind: "answers";
      readonly version: string;
      readonly isOldEnough: boolean;
      /** `undefined`: the server does not tell, as many hosted ones. */
      readonly maxmemoryPolicy: string | undefined;
    }
  /** It may come. `why` is one sentence without the URL and its password. */
  | { readonly kind: "silent"; readonly why: string }
  /** It is there, and asking again as we do will not help. `why` as above. */
  | { readonly kind: "refuses"; readonly why: string };

const oldest: readonly [number, number] = [6, 2];

/** Never throws; one connection, closed before it returns. */
export async function probeRedis(url: string, { timeoutMs = 5_000 } = {}): Promise<RedisProbe> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The event carries what went wrong; the rejection of connect() only says that the connection is closed.
  let failure: unknown;
  redis.on("error", (error: unknown) => (failure ??= error));
  try {
    await redis.connect();
    const version = fieldOf(await redis.info("server"), "redis_version") ?? "0.0.0";
    const [major = 0, minor = 0] = version.split(".").map(Number);
    const isOldEnough = major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
    return { kind: "answers", version, isOldEnough, maxmemoryPolicy: await policyOf(redis) };
  } catch (error) {
    return judge(failure ?? error);
  } finally {
    redis.disconnect();
  }
}

async function policyOf(redis: Redis): Promise<string | undefined> {
  try {
    return fieldOf(await redis.info("memory"), "maxmemory_policy");
  } catch {
    return undefined;
  }
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}

function judge(error: unknown): Exclude<RedisProbe, { kind: "answers" }> {
  const message = error instanceof Error ? error.message : "";
  if (/NOAUTH|WRONGPASS|AUTH/.test(message))
    return { kind: "refuses", why: "It refuses the user or the password." };
  if (/NOPERM/.test(message)) return { kind: "refuses", why: "The user may not ask for what Bobbin needs." };
  if (/DB index/.test(message)) return { kind: "refuses", why: "It has no database of that number." };
  return { kind: "silent", why: silenceOf(error) };
}

function silenceOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : "";
  if (code === "ECONNREFUSED") return "Nothing listens at that address.";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "The host name is not known.";
  if (code === "ETIMEDOUT" || /time/i.test(message)) return "It does not answer in time.";
  return `The connection failed${code ? ` (${code})` : ""}.`;
}
