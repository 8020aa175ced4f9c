/**
 * When the gateway may be entered anew. Discord allows a thousand identifies a day and resets the token of a bot that wants more, so
 * each one looks at what is left, and one that follows others soon waits longer and longer.
 */

import { Routes, type RESTGetAPIGatewayBotResult } from "discord-api-types/v10";
import { pause, withTimeLimit } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { DiscordApi } from "./api.ts";

/** Internal: shorter where a local Discord takes identifies sooner than the real one. */
export interface IdentifyTimes {
  /** Between two identifies, ms. Default 5,500. */
  readonly apartMs?: number;
  /** How long a start waits at most, however often it failed, ms. Default five minutes. */
  readonly longestWaitMs?: number;
}

export interface IdentifyPaceDeps {
  readonly api: DiscordApi;
  /** Told of each identify before it is made, so that whoever starts next keeps its distance from it. */
  entering(): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface IdentifyPaceOptions extends IdentifyTimes {
  /** How often readers were started shortly before this one, in whatever process. */
  readonly restarts: number;
  /** How long ago the last of them was started, ms. */
  readonly gapMs?: number;
}

/** So many in a row wait for nothing: a deployment, a hand-over and a network that broke. */
const FREE = 4;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** What lies longer ago than this was another trouble. */
const FORGOTTEN_MS = 10 * 60_000;
/**
 * Discord takes one identify in 5 s, by when they arrive: one that was long on its way would have the next one refused. A process
 * knows by itself only of its own.
 */
const APART_MS = 5_500;
/** How long it may take to keep that the gateway is entered, ms. */
const TELL_MS = 1_000;
/** So many are left for people who have to find out what is wrong. */
const RESERVE = 20;

export class IdentifyPace {
  readonly #deps: IdentifyPaceDeps;
  readonly #restarts: number;
  readonly #longestWaitMs: number;
  readonly #startedAt: number;
  /** Ticks before which Discord would refuse. */
  readonly #notBefore: number;
  /** Ticks. */
  #times: number[] = [];
  #why: string | undefined;

  constructor(deps: IdentifyPaceDeps, options: IdentifyPaceOptions) {
    const { restarts, apartMs = APART_MS, gapMs = apartMs, longestWaitMs = LONGEST_WAIT_MS } = options;
    this.#deps = deps;
    this.#restarts = restarts;
    this.#longestWaitMs = longestWaitMs;
    this.#startedAt = deps.clock.ticks();
    this.#notBefore = this.#startedAt + apartMs - gapMs;
  }

  /** One sentence on why nothing happens, or nothing. */
  get why(): string | undefined {
    return this.#why;
  }

  /** @returns false when the signal aborted before there was a turn. */
  async turn(shards: number, signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#deps;
    const now = clock.ticks();
    this.#times = this.#times.filter((at) => now - at < FORGOTTEN_MS);
    const restarts = now - this.#startedAt < FORGOTTEN_MS ? this.#restarts : 0;
    const before = restarts + Math.floor(this.#times.length / Math.max(1, shards));
    const growingMs = before < FREE ? 0 : Math.min(this.#longestWaitMs, FIRST_WAIT_MS * 2 ** (before - FREE));
    const waitMs = Math.max(growingMs, this.#notBefore - now);
    this.#times.push(now);
    if (waitMs > 0) {
      this.#why = `Discord was entered ${before} times within minutes; the next time waits.`;
      log.info("Discord's gateway is not entered again at once", { before, waitMs });
      if (!(await pause(clock, waitMs, signal))) return false;
    }
    const isLeft = await this.#untilLeft(shards, signal);
    this.#why = undefined;
    if (isLeft) await this.#tell();
    return isLeft;
  }

  /** A store that is away keeps nobody out: then the next start may be refused once. */
  async #tell(): Promise<void> {
    const { entering, clock, log } = this.#deps;
    await withTimeLimit(clock, TELL_MS, "the store", entering()).catch((error: unknown) => {
      log.info("it could not be kept that Discord's gateway is entered", { error });
    });
  }

  async #untilLeft(shards: number, signal: AbortSignal): Promise<boolean> {
    const { api, clock, log } = this.#deps;
    for (;;) {
      const answer = await api.call("GET", Routes.gatewayBot());
      // Where that cannot be known, entering fails by itself.
      if (answer.kind !== "ok") return !signal.aborted;
      const { remaining, reset_after: resetMs } = (answer.data as RESTGetAPIGatewayBotResult)
        .session_start_limit;
      if (remaining >= shards + RESERVE) return !signal.aborted;
      this.#why = `Discord lets the bot enter its gateway only ${remaining} times more today; it waits.`;
      log.error("nearly all entries to Discord's gateway are used up; waiting for new ones", {
        remaining,
        resetMs,
      });
      if (!(await pause(clock, Math.max(1_000, resetMs), signal))) return false;
    }
  }
}
