// Starts a Redis of our own in the temp folder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { until } from "../until.ts";
import { freePort } from "./free-port.ts";
import { ensureRedis } from "./programs.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

export interface RedisServer extends AsyncDisposable {
  /** The URL of database 0 on this server. It stays the same over `stop` and `start`. */
  readonly url: string;
  /** Ends the server: "shutdown" in order, "kill" as a crash. What it held is gone unless it keeps a log. */
  stop(mode?: "shutdown" | "kill"): Promise<void>;
  /** Starts it again on the same port and waits until it answers. */
  start(): Promise<void>;
  /** Empties all databases, as a Redis does that lost its memory. */
  flush(): Promise<void>;
  /** Makes the server stand still (and go on), as a stalled machine does: connections stay open, nothing is answered. */
  freeze(): void;
  thaw(): void;
}

export interface RedisServerOptions {
  /** "nothing" (as a cache) or "everything" (append-only file, synced at each write); "nothing" unless said. */
  readonly keeps?: "nothing" | "everything";
  /** `noeviction` unless said. */
  readonly maxmemoryPolicy?: string;
  /** 16 unless said. */
  readonly databases?: number;
}

/** Starts a server and waits until it answers. Rejects with what the server said. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { keeps = "nothing", maxmemoryPolicy = "noeviction", databases = 16 } = options;
  const program = await ensureRedis();
  const folder = mkdtempSync(join(tmpdir(), "bobbin-redis-"));
  const settings = {
    bind: "127.0.0.1",
    save: "",
    appendonly: keeps === "everything" ? "yes" : "no",
    appendfsync: "always",
    "maxmemory-policy": maxmemoryPolicy,
    databases: `${databases}`,
    dir: folder,
    "enable-debug-command": "local",
  };

  let server: ServerProcess | undefined;
  const launch = async (port: number): Promise<boolean> => {
    const args = Object.entries({ ...settings, port: `${port}` }).flatMap(([name, value]) => [
      `--${name}`,
      value,
    ]);
    const started = startServer(program, args, { stopSignal: "SIGTERM", folder });
    server = started;
    await until(async () => started.hasEnded() || (await answers(urlAt(port))), {
      what: "Redis answers",
    });
    return !started.hasEnded();
  };

  let port = await freePort();
  for (let attempt = 1; !(await launch(port)); attempt++) {
    if (attempt === 3) throw new Error(`Redis does not start:\n${server?.output() ?? ""}`);
    port = await freePort();
  }
  const url = urlAt(port);
  return {
    url,
    stop: async (mode = "shutdown") => server?.stop(mode === "kill" ? "SIGKILL" : "SIGTERM"),
    start: async () => {
      if (server && !server.hasEnded()) return;
      if (!(await launch(port))) throw new Error(`Redis does not start again:\n${server?.output() ?? ""}`);
    },
    flush: () => withRedis(url, async (redis) => void (await redis.flushall())),
    freeze: () => {
      if (server && !server.hasEnded()) process.kill(server.pid, "SIGSTOP");
    },
    thaw: () => {
      if (server && !server.hasEnded()) process.kill(server.pid, "SIGCONT");
    },
    async [Symbol.asyncDispose]() {
      await server?.stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function urlAt(port: number): string {
  return `redis://127.0.0.1:${port}`;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await withRedis(url, (redis) => redis.ping())) === "PONG";
  } catch {
    return false;
  }
}

/** Opens one connection that does not try again, hands it out, and closes it. */
export async function withRedis<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  redis.on("error", () => {});
  try {
    await redis.connect();
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}
