/** Redis channels over one shared subscriber connection. What is said while it is away is not heard later. */

import type { Redis } from "ioredis";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { RedisConnections } from "./connection.ts";

export interface RedisChannelsDeps {
  readonly redis: RedisConnections;
  readonly clock: Clock;
  readonly log: Log;
}

interface Listener {
  heard(text: string): void;
  again(): void;
}

interface Channel {
  readonly listeners: Set<Listener>;
  /** Resolves when Redis has confirmed the subscription. */
  readonly confirmed: Promise<unknown>;
}

/** A subscriber sends nothing by itself, so a dead socket would go unnoticed for hours. */
const PING_EVERY_MS = 20_000;

/** Opens its connection at the first subscription. It ends with the connections it was made from, or by `close`. */
export class RedisChannels {
  readonly #deps: RedisChannelsDeps;
  readonly #channels = new Map<string, Channel>();
  /** Channels are not kept apart by databases, so the number is in the name. */
  readonly #prefix: string;
  #subscriber: Redis | undefined;
  #cancelPing: () => void = () => {};
  #isClosed = false;

  constructor(deps: RedisChannelsDeps) {
    this.#deps = deps;
    this.#prefix = `${deps.redis.prefix}:${deps.redis.commands.options.db ?? 0}:`;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Rejects when Redis does not answer in time. */
  async publish(name: string, text: string): Promise<void> {
    await this.#deps.redis.commands.publish(this.#prefix + name, text);
  }

  /**
   * Resolves when every text published from now on is heard, while the connection lasts; it is made again by itself.
   * Rejects, and hears nothing, when Redis does not answer in time. `heard` must not throw.
   * @param again called each time that texts are heard again after some may have been missed; must not throw.
   */
  async subscribe(
    name: string,
    heard: (text: string) => void,
    again: () => void = () => {},
  ): Promise<() => void> {
    const key = this.#prefix + name;
    const subscriber = this.#connection();
    let channel = this.#channels.get(key);
    if (channel === undefined) {
      channel = { listeners: new Set(), confirmed: subscriber.subscribe(key) };
      this.#channels.set(key, channel);
    }
    const joined = channel;
    // One entry per subscription, also when the same function is given twice.
    const listener: Listener = { heard, again };
    joined.listeners.add(listener);
    const leave = (): void => {
      if (!joined.listeners.delete(listener) || joined.listeners.size > 0) return;
      if (this.#channels.get(key) === joined) this.#channels.delete(key);
      subscriber.unsubscribe(key).catch((error: unknown) => {
        this.#deps.log.debug("a channel could not be left", { error });
      });
    };
    try {
      await joined.confirmed;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Hears nothing more. May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#cancelPing();
    this.#channels.clear();
    if (this.#subscriber !== undefined) this.#deps.redis.release(this.#subscriber);
    this.#subscriber = undefined;
  }

  #connection(): Redis {
    if (this.#subscriber !== undefined) return this.#subscriber;
    const subscriber = this.#deps.redis.open("subscriber");
    this.#subscriber = subscriber;
    subscriber.on("message", (key: string, text: string) =>
      this.#tell(key, (listener) => listener.heard(text)),
    );
    let isBack = false;
    subscriber.on("ready", () => {
      if (isBack) for (const key of this.#channels.keys()) this.#hearAgain(subscriber, key);
      isBack = true;
    });
    this.#pingLater(subscriber);
    return subscriber;
  }

  /** The client subscribes again by itself; when that is certain nobody says but the answer to a subscription. */
  #hearAgain(subscriber: Redis, key: string): void {
    subscriber.subscribe(key).then(
      () => this.#tell(key, (listener) => listener.again()),
      // It is away again, and will be back again.
      (error: unknown) => this.#deps.log.debug("a channel could not be joined again", { error }),
    );
  }

  #tell(key: string, tell: (listener: Listener) => void): void {
    for (const listener of this.#channels.get(key)?.listeners ?? []) {
      try {
        tell(listener);
      } catch (error) {
        this.#deps.log.error("a listener of a channel threw", { error });
      }
    }
  }

  #pingLater(subscriber: Redis): void {
    this.#cancelPing = this.#deps.clock.after(PING_EVERY_MS, () => {
      if (subscriber.status === "end") return;
      this.#pingLater(subscriber);
      if (subscriber.status !== "ready") return;
      subscriber.ping().catch(() => {
        if (subscriber.status === "ready") subscriber.disconnect(true);
      });
    });
  }
}
