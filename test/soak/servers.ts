// What the servers hold of the product: asked of them, never of the product.
import { readFileSync } from "node:fs";
import { withRedis } from "../support/services/redis-server.ts";
import { rowsOf } from "../chaos/journal.ts";
import type { Figures } from "./figures.ts";

interface Backend {
  readonly pid: number;
  readonly name: string;
}

const OURS = "pid <> pg_backend_pid() and backend_type = 'client backend'";
const BACKENDS = `select pid, application_name as name from pg_stat_activity where ${OURS}`;
const ROWS = `
select relname as name, n_live_tup as live, n_dead_tup as dead, pg_total_relation_size(relid) as bytes
from pg_stat_user_tables order by relname`;

/** @param placeOf whose connection it is, by its name. */
export async function postgresFigures(url: string, placeOf: (name: string) => string): Promise<Figures> {
  const backends = await rowsOf<Backend>(url, BACKENDS);
  const owned = Map.groupBy(backends, ({ name }) => placeOf(name));
  return {
    connections: backends.length,
    ...Object.fromEntries([...owned].map(([place, all]) => [`connections of ${place}`, all.length])),
    // Prepared statements live there, and nobody else can see them. How many connections there are is judged above.
    "memory of a connection, MB":
      backends.reduce((sum, { pid }) => sum + privateOf(pid), 0) / 1e6 / Math.max(1, backends.length),
  };
}

export interface TableRow {
  readonly name: string;
  readonly live: number;
  readonly dead: number;
  readonly bytes: number;
}

export const tableRows = (url: string): Promise<readonly TableRow[]> => rowsOf<TableRow>(url, ROWS);

/** What only this process has of it, bytes. 0 for one that has just ended. */
function privateOf(pid: number): number {
  try {
    const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(found?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

export async function redisFigures(url: string): Promise<Figures> {
  return withRedis(url, async (redis) => {
    const clients = String(await redis.call("CLIENT", "LIST"))
      .trim()
      .split("\n");
    const channels = (await redis.call("PUBSUB", "CHANNELS")) as readonly unknown[];
    const info = await redis.info("memory");
    const keys: string[] = [];
    for (let cursor = "0"; ;) {
      const [next, found] = await redis.scan(cursor, "COUNT", 1_000);
      keys.push(...found);
      if (next === "0") break;
      cursor = next;
    }
    const livesMs = redis.pipeline();
    for (const key of keys) livesMs.pttl(key);
    // What is left of a budget or a lease goes by itself: at rest only what stays for ever may be a leak.
    const expiring = ((await livesMs.exec()) ?? []).filter(([, ms]) => Number(ms) !== FOR_EVER).length;
    const patterns = Map.groupBy(keys, patternOf);
    return {
      // Without the one that asks.
      connections: clients.length - 1,
      channels: channels.length,
      "memory, MB": Number(/^used_memory:(\d+)/m.exec(info)?.[1] ?? 0) / 1e6,
      keys: keys.length - expiring,
      "keys that expire": expiring,
      ...Object.fromEntries([...patterns].map(([pattern, all]) => [`keys ${pattern}`, all.length])),
    };
  });
}

/** What PTTL says of a key that does not expire. */
const FOR_EVER = -1;

/** Without what is in it of one thread, channel or job. */
export function patternOf(key: string): string {
  return key
    .replaceAll(/slack:T\w+:[A-Z]\w+:\d+\.\d+/g, "SESSION")
    .replaceAll(/chat\.postMessage:[A-Z]\w+/g, "chat.postMessage:CHANNEL")
    .replaceAll(/:\d+(?=$|:)/g, ":N")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
}
