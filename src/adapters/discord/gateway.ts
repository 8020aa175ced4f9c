/**
 * Discord's gateway: stays connected, resumes by itself, and tells whether it really hears. What comes goes on as it came; there is no
 * cache that could drop a message of a channel that it does not know.
 */

import {
  SimpleIdentifyThrottler,
  WebSocketManager,
  WebSocketShardEvents,
  type IIdentifyThrottler,
} from "@discordjs/ws";
import { GatewayCloseCodes, GatewayIntentBits, type GatewayDispatchPayload } from "discord-api-types/v10";
import { BobbinError } from "../../core/errors.ts";
import { growingMs, pause, untilAborted } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { TOKEN_REFUSED, type DiscordApi } from "./api.ts";
import type { IdentifyPace } from "./identify-pace.ts";

export interface DiscordGatewayDeps {
  readonly api: DiscordApi;
  readonly pace: IdentifyPace;
  /** Must not throw, and does no work but to parse, store and wake. */
  heard(packet: GatewayDispatchPayload): void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface DiscordGatewayOptions {
  readonly token: string;
  /** Whether the portal lets the bot read messages that do not mention it; without it the intent would be refused. */
  readonly mayReadContent: boolean;
}

const BASE =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.GuildMessageReactions |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.DirectMessageReactions;
/** After these Discord takes no further try, and each one would cost an identify. */
const FATAL: Readonly<Record<number, string>> = {
  [GatewayCloseCodes.AuthenticationFailed]: TOKEN_REFUSED,
  [GatewayCloseCodes.InvalidShard]: "Discord does not take the shards of the bot.",
  [GatewayCloseCodes.ShardingRequired]: "Discord wants more shards of the bot.",
  [GatewayCloseCodes.InvalidAPIVersion]: "Discord does not know this version of its API any more.",
  [GatewayCloseCodes.InvalidIntents]: "Discord does not know the intents of the bot.",
  [GatewayCloseCodes.DisallowedIntents]: "Discord does not allow the intents of the bot.",
};
/** Longer than two beats, which come every 41 seconds. */
const SILENCE_MS = 100_000;
const ZOMBIE = "Reason: Zombie connection";

interface ShardState {
  isReady: boolean;
  /** A beat was not answered, and none was since. */
  isDeaf: boolean;
  /** Ticks. */
  heardAt: number;
}

export class DiscordGateway {
  readonly #deps: DiscordGatewayDeps;
  readonly #token: string;
  readonly #stopping = new AbortController();
  readonly #shards = new Map<number, ShardState>();
  readonly #entered = Promise.withResolvers<void>();
  #mayReadContent: boolean;
  #manager: WebSocketManager | undefined;
  #fatal: string | undefined;
  #why = "Discord's gateway is not connected yet.";
  #running: Promise<void> | undefined;

  constructor(deps: DiscordGatewayDeps, options: DiscordGatewayOptions) {
    this.#deps = deps;
    this.#token = options.token;
    this.#mayReadContent = options.mayReadContent;
  }

  /** Resolves when it is connected for the first time, or stopped; rejects when Discord does not take the bot. */
  start(): Promise<void> {
    this.#running ??= this.#run();
    return this.#entered.promise;
  }

  /** One sentence on what is missing, or nothing. */
  check(): string | undefined {
    if (this.#fatal !== undefined) return this.#fatal;
    const states = [...this.#shards.values()];
    if (states.some(({ isDeaf }) => isDeaf)) return "Discord's gateway does not answer heartbeats.";
    if (states.length === 0 || states.some(({ isReady }) => !isReady))
      return this.#deps.pace.why ?? this.#why;
    const silentMs = this.#deps.clock.ticks() - Math.min(...states.map(({ heardAt }) => heardAt));
    return silentMs > SILENCE_MS ? "Discord's gateway has been silent for too long." : undefined;
  }

  /** May be called twice. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#entered.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#deps;
    for (let failures = 0; !this.#stopping.signal.aborted && this.#fatal === undefined; failures++) {
      try {
        await this.#enter();
        return;
      } catch (error) {
        await this.#leave();
        if (this.#fatal !== undefined || this.#stopping.signal.aborted) break;
        this.#why = `Discord's gateway cannot be entered (${error instanceof Error ? error.message : "no reason given"}).`;
        log.warn("Discord's gateway could not be entered; it is tried again", { error });
        await pause(clock, growingMs(failures), this.#stopping.signal);
      }
    }
    await this.#leave();
  }

  /** Resolves when this manager is through, for whatever reason. Rejects to be called again. */
  async #enter(): Promise<void> {
    const { api, pace } = this.#deps;
    const stopping = this.#stopping.signal;
    const ended = Promise.withResolvers<"again" | "over">();
    const manager = new WebSocketManager({
      token: this.#token,
      rest: api.rest,
      intents: BASE | (this.#mayReadContent ? GatewayIntentBits.MessageContent : 0),
      // As many as Discord recommends.
      shardCount: null,
      buildIdentifyThrottler: async (owner) => paced(owner, pace, stopping),
    });
    this.#manager = manager;
    this.#shards.clear();
    this.#listen(manager, ended.resolve);
    stopping.addEventListener("abort", () => ended.resolve("over"), { once: true });
    const connected = manager.connect().then(() => undefined);
    // A refusal also closes the shard, which is told with its code.
    connected.catch(() => undefined);
    const first = await Promise.race([connected, ended.promise]);
    const outcome = first ?? (this.#entered.resolve(), await ended.promise);
    await this.#leave();
    if (outcome === "again") return this.#enter();
  }

  async #leave(): Promise<void> {
    const manager = this.#manager;
    this.#manager = undefined;
    if (manager === undefined) return;
    manager.removeAllListeners();
    manager.on(WebSocketShardEvents.Error, () => undefined);
    await manager.destroy({ code: 1000, reason: "Bobbin leaves" });
  }

  #listen(manager: WebSocketManager, end: (how: "again" | "over") => void): void {
    const { clock, log, heard } = this.#deps;
    const stateOf = (id: number): ShardState => {
      const state = this.#shards.get(id) ?? { isReady: false, isDeaf: false, heardAt: clock.ticks() };
      this.#shards.set(id, state);
      return state;
    };
    const ready = (id: number): void =>
      void Object.assign(stateOf(id), { isReady: true, heardAt: clock.ticks() });
    manager.on(WebSocketShardEvents.Ready, ({ shardId }) => ready(shardId));
    manager.on(WebSocketShardEvents.Resumed, ({ shardId }) => ready(shardId));
    manager.on(WebSocketShardEvents.HeartbeatComplete, ({ shardId }) => {
      Object.assign(stateOf(shardId), { isDeaf: false, heardAt: clock.ticks() });
    });
    manager.on(WebSocketShardEvents.Dispatch, ({ data, shardId }) => {
      stateOf(shardId).heardAt = clock.ticks();
      try {
        heard(data);
      } catch (error) {
        // One event that nobody can read is no reason to miss the next.
        log.error("an event of Discord's was not understood", { type: data.t, error });
      }
    });
    manager.on(WebSocketShardEvents.Debug, ({ message, shardId }) => {
      if (message.includes(ZOMBIE)) stateOf(shardId).isDeaf = true;
    });
    manager.on(WebSocketShardEvents.Error, ({ error, shardId }) => {
      log.info("Discord's gateway had an error", { shard: shardId, error });
    });
    manager.on(WebSocketShardEvents.Closed, ({ code, shardId }) => {
      stateOf(shardId).isReady = false;
      this.#why = `Discord's gateway has closed the connection (${code}); it is entered again.`;
      const fatal = FATAL[code];
      if (fatal === undefined) {
        log.info("Discord's gateway has closed a connection", { code, shard: shardId });
        return;
      }
      if (code === GatewayCloseCodes.DisallowedIntents && this.#mayReadContent) {
        log.warn("the Message Content Intent is off: only messages that mention the bot can be read");
        this.#mayReadContent = false;
        end("again");
        return;
      }
      log.error("Discord has thrown the bot out of its gateway", { code, why: fatal });
      this.#fatal = fatal;
      if (code === GatewayCloseCodes.AuthenticationFailed) this.#deps.api.refused();
      this.#entered.reject(new BobbinError("platform_refused", fatal));
      this.#entered.promise.catch(() => undefined);
      end("over");
    });
  }
}

/** Before each identify there is a look at what is left, and a pause where there were many. */
async function paced(
  manager: WebSocketManager,
  pace: IdentifyPace,
  stopping: AbortSignal,
): Promise<IIdentifyThrottler> {
  const { session_start_limit: limit, shards } = await manager.fetchGatewayInformation();
  const inner = new SimpleIdentifyThrottler(limit.max_concurrency);
  return {
    async waitForIdentify(shard, signal) {
      const turn = await pace.turn(shards, AbortSignal.any([signal, stopping]));
      if (!turn) {
        // Left: the library would take an error for a reason to connect again, so it waits for the end of its socket.
        await untilAborted(new Promise(() => undefined), signal);
        throw new Error("there was no turn to identify");
      }
      await inner.waitForIdentify(shard, signal);
    },
  };
}
