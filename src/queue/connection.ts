/**
 * The connections to Redis: the one place for their options. Each role fails in its own way when Redis is away, and none of
 * them ever ends the process.
 */

import { Redis, type RedisOptions } from "ioredis";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import { BLOCK_S } from "./lock-times.ts";

/**
 * `commands`: short requests that somebody waits for; they fail at once when Redis is away. `worker`: BullMQ's, whose
 * requests wait until it is back. `subscriber`: hears channels, and hears them again after a reconnect.
 */
export type RedisRole = "commands" | "worker" | "subscriber";

export interface RedisConnectionsOptions {
  readonly url: string;
  /**
   * Begins every key and channel; `{bobbin}` unless said. The braces keep all keys of a queue in one slot of a cluster.
   */
  readonly prefix?: string;
  /**
   * How long a request of `commands` or `subscriber` may take, in ms; 2,000 unless said. Who hears nothing for half of this
   * longer sits on a dead socket, and connects anew.
   */
  readonly commandTimeoutMs?: number;
}

export interface RedisConnectionsDeps {
  readonly clock: Clock;
  readonly log: Log;
}

type ConnectionOptions = Omit<RedisOptions, "replyMapping">;

const CONNECT_TIMEOUT_MS = 5_000;
const LONGEST_RETRY_MS = 2_000;
/** An outage of an hour is not ten thousand lines. */
const LOG_EVERY_MS = 30_000;

/** Holds the connections of a process. Building it connects in the background and never fails; see `checkRedis`. */
export class RedisConnections {
  readonly prefix: string;
  readonly commands: Redis;
  readonly #deps: RedisConnectionsDeps;
  readonly #options: RedisConnectionsOptions;
  /** Each with the duplicates that BullMQ makes of it, which it does not always end. */
  readonly #opened = new Map<Redis, Redis[]>();
  readonly #backListeners = new Set<() => void>();

  /** @throws TypeError when the url is none of Redis. */
  constructor(deps: RedisConnectionsDeps, options: RedisConnectionsOptions) {
    if (!/^rediss?:\/\//.test(options.url)) {
      throw new TypeError("the Redis URL has to begin with redis:// or rediss://");
    }
    this.#deps = deps;
    this.#options = options;
    this.prefix = options.prefix ?? "{bobbin}";
    this.commands = this.open("commands");
  }

  /** Whether Redis answers just now, as far as we know: for health. */
  get isConnected(): boolean {
    return this.commands.status === "ready";
  }

  /** Resolves when short requests can be made, or when `signal` aborts: until it is connected they fail at once. */
  connected(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.commands.off("ready", end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      if (this.isConnected || signal.aborted) return end();
      this.commands.once("ready", end);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  /** Calls `heard` each time that Redis answers again after it was away. */
  onBack(heard: () => void): void {
    this.#backListeners.add(heard);
  }

  /**
   * A further connection. It lives until it is released or all are closed.
   * @param blockS how long a blocking read of BullMQ on a duplicate of it may last, s; `BLOCK_S` unless said.
   */
  open(role: RedisRole, blockS = BLOCK_S): Redis {
    const commandTimeoutMs = this.#options.commandTimeoutMs ?? 2_000;
    const redis = new Redis(this.#options.url, optionsOf(role, commandTimeoutMs));
    const duplicates: Redis[] = [];
    this.#opened.set(redis, duplicates);
    reportTrouble(redis, role, this.#deps, () => {
      if (role === "commands") for (const heard of this.#backListeners) heard();
    });
    const duplicate = redis.duplicate.bind(redis);
    redis.duplicate = (override) => {
      // What BullMQ duplicates is for blocking reads.
      const socketTimeout = blockS * 1_000 + silentMs(commandTimeoutMs);
      const made = duplicate({ ...override, socketTimeout });
      duplicates.push(made);
      reportTrouble(made, role, this.#deps);
      return made;
    };
    return redis;
  }

  /** Ends one connection and its duplicates now; what they still wait for is rejected. May be called twice. */
  release(redis: Redis): void {
    for (const each of [redis, ...(this.#opened.get(redis) ?? [])]) each.disconnect();
    this.#opened.delete(redis);
  }

  /** Ends all connections now. May be called twice. */
  close(): void {
    for (const redis of this.#opened.keys()) this.release(redis);
  }
}

/** A lease outlives so short a silence, and the connection after it. */
function silentMs(commandTimeoutMs: number): number {
  return 1.5 * commandTimeoutMs;
}

function optionsOf(role: RedisRole, commandTimeout: number): ConnectionOptions {
  const shared: ConnectionOptions = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: silentMs(commandTimeout),
    keepAlive: 10_000,
    connectionName: `bobbin-${role}`,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_RETRY_MS),
    // After a failover the old primary refuses writes until we connect anew.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  };
  switch (role) {
    case "commands":
      return { ...shared, commandTimeout, enableOfflineQueue: false, maxRetriesPerRequest: 0 };
    case "worker":
      return { ...shared, maxRetriesPerRequest: null };
    case "subscriber":
      return { ...shared, commandTimeout, maxRetriesPerRequest: null, autoResubscribe: true };
  }
}

/** Without a listener an error event would end the process: a restart of Redis must not. */
function reportTrouble(
  redis: Redis,
  role: RedisRole,
  { clock, log }: RedisConnectionsDeps,
  onBack: () => void = () => {},
): void {
  let isAway = false;
  let lastLine = -Infinity;
  const away = (error?: Error): void => {
    isAway = true;
    if (clock.ticks() - lastLine < LOG_EVERY_MS) return;
    lastLine = clock.ticks();
    log.warn("Redis cannot be reached; trying again", { role, ...(error && { error: error.message }) });
  };
  redis.on("error", away);
  redis.on("close", () => {
    // A connection that we ended ourselves is no trouble.
    if (redis.status !== "end" && !isAway) away();
  });
  redis.on("ready", () => {
    if (!isAway) return;
    isAway = false;
    log.info("Redis is back", { role });
    onBack();
  });
}
