/**
 * Socket mode, as a receiver of Bolt's. The SDK keeps one connection; when to open the next is decided here, because its own
 * way waits for seconds after each refresh, gives up on some errors with a rejection that nobody holds, and stops too early.
 */

import { channel } from "node:diagnostics_channel";
import { SocketModeReceiver, type App, type Receiver } from "@slack/bolt";
import { BobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { failureOf } from "./api-failure.ts";
import { sdkLogger } from "./sdk-log.ts";

export interface SocketOptions {
  /** xapp-… */
  readonly appToken: string;
  readonly apiUrl?: string;
  /** How long one request for an address, and how long a connection may take to greet, ms. Default 15,000. */
  readonly connectMs?: number;
  /** After so long without a pong the connection counts as dead, ms. Default 5,000; there are three pings in it. */
  readonly pongMs?: number;
  /** First and longest wait before another attempt, ms. Default 500 and 30,000. */
  readonly pauseMs?: { readonly first: number; readonly longest: number };
  /** How long `stop` waits for Slack to close its end, ms. Default 1,000. */
  readonly closeMs?: number;
}

type State = { readonly kind: "connected" } | { readonly kind: "away"; readonly why: string };

/** Codes with which Slack says that this token will never do. */
const REFUSED: ReadonlySet<string> = new Set([
  "not_authed",
  "invalid_auth",
  "account_inactive",
  "token_revoked",
  "not_allowed_token_type",
  "user_removed_from_team",
  "team_disabled",
]);

const CONNECT_MS = 15_000;
const PONG = channel("undici:websocket:pong");

export class Socket implements Receiver {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #options: SocketOptions;
  readonly #receiver: SocketModeReceiver;
  #state: State = { kind: "away", why: "It has not connected yet." };
  #heardAt: number | undefined;
  #stopping: Promise<void> | undefined;
  readonly #stopped = Promise.withResolvers<undefined>();
  #keeping: Promise<void> | undefined;

  constructor(deps: { readonly clock: Clock; readonly log: Log }, options: SocketOptions) {
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#options = options;
    const { appToken, apiUrl, connectMs = CONNECT_MS, pongMs = 5_000 } = options;
    this.#receiver = new SocketModeReceiver({
      appToken,
      autoReconnectEnabled: false,
      clientPingTimeout: pongMs,
      logger: sdkLogger(deps.log),
      installerOptions: {
        clientOptions: {
          retryConfig: { retries: 0 },
          rejectRateLimitedCalls: true,
          timeout: connectMs,
          ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
        },
      },
      processEventErrorHandler: ({ error, event }) => {
        const { body, retryNum } = event;
        this.#log.error("a delivery of Slack's was not taken; Slack sends events again", {
          type: String(body["type"]),
          retry: retryNum,
          error,
        });
        return Promise.resolve(false);
      },
    });
    this.#guardMessages();
  }

  init(app: App): void {
    this.#receiver.init(app);
  }

  /**
   * Resolves with the first connection, after which it is kept up until `stop`. Waits for a Slack that cannot be reached.
   * @throws BobbinError when Slack refuses the token.
   */
  start(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#keeping ??= this.#keep(first);
    return first.promise;
  }

  /** Bounded, whatever Slack does. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  /** Nothing when all is well, else one sentence. */
  check(): string | undefined {
    const state = this.#state;
    if (state.kind === "connected") return undefined;
    const heard =
      this.#heardAt === undefined ? "" : ` It was last heard at ${new Date(this.#heardAt).toISOString()}.`;
    return `Slack is not connected. ${state.why}${heard}`;
  }

  /** When anything last came over the connection (an event, or the answer to a ping), ms since 1970. */
  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  async #keep(first: PromiseWithResolvers<void>): Promise<void> {
    const heard = (): void => void (this.#heardAt = this.#clock.now());
    PONG.subscribe(heard);
    try {
      for (let failures = 0; !this.#isStopping;) {
        try {
          const { closed } = await this.#connect();
          failures = 0;
          this.#state = { kind: "connected" };
          first.resolve();
          this.#log.info("connected to Slack");
          if (this.#isStopping) this.#close();
          await closed;
          this.#state = { kind: "away", why: "The connection was closed." };
        } catch (error) {
          if (this.#isStopping) break;
          const trouble = toTrouble(error, this.#options.appToken);
          this.#state = { kind: "away", why: trouble.error.message };
          this.#log.warn("Slack cannot be connected yet; Bobbin tries again", { error: trouble.error });
          if (!trouble.error.retryable) first.reject(trouble.error);
          await this.#pause(failures++, trouble);
        }
      }
    } finally {
      PONG.unsubscribe(heard);
      first.reject(new BobbinError("platform_unavailable", "The connection to Slack was stopped."));
    }
  }

  get #isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /** `closed` resolves at the end of the connection that was opened. */
  async #connect(): Promise<{ readonly closed: Promise<void> }> {
    const { client } = this.#receiver;
    const closed = new Promise<void>((resolve) => void client.once("disconnected", () => resolve()));
    // The address is asked for within one such time; what is left is for a socket that opens and never greets.
    const cancel = this.#clock.after(2 * (this.#options.connectMs ?? CONNECT_MS), () => this.#close());
    try {
      await client.start();
    } finally {
      cancel();
    }
    return { closed };
  }

  /** A second call ends at once what is still closing. */
  #close(): void {
    this.#receiver.client.disconnect().catch(() => undefined);
  }

  async #stop(): Promise<void> {
    this.#stopped.resolve(undefined);
    const closeMs = this.#options.closeMs ?? 1_000;
    const late = Promise.withResolvers<undefined>();
    const cancels = [
      this.#clock.after(closeMs, () => this.#close()),
      this.#clock.after(2 * closeMs, () => late.resolve(undefined)),
    ];
    this.#close();
    await Promise.race([this.#keeping, late.promise]);
    for (const cancel of cancels) cancel();
  }

  #pause(failures: number, trouble: Trouble): Promise<undefined> {
    const { first, longest } = this.#options.pauseMs ?? { first: 500, longest: 30_000 };
    const pauseMs = Math.max(trouble.afterMs, Math.min(first * 2 ** failures, longest));
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const cancel = this.#clock.after(pauseMs, () => resolve(undefined));
    return Promise.race([promise, this.#stopped.promise]).finally(cancel);
  }

  /**
   * The SDK reads a message in a promise that nobody holds, and throws on one without an event in it, such as
   * `app_rate_limited`.
   */
  #guardMessages(): void {
    const { client } = this.#receiver;
    const readers = client.listeners("ws_message");
    client.removeAllListeners("ws_message");
    client.on("ws_message", (...message: readonly unknown[]) => {
      this.#heardAt = this.#clock.now();
      for (const read of readers) {
        const reading: unknown = read(...message);
        Promise.resolve(reading).catch((error: unknown) => {
          this.#log.warn("a message of Slack's could not be read", { error });
        });
      }
    });
  }
}

interface Trouble {
  readonly error: BobbinError;
  /** How long Slack takes no further attempt, ms. */
  readonly afterMs: number;
}

function toTrouble(thrown: unknown, token: string): Trouble {
  const failure = failureOf(thrown ?? new Error("The connection ended before Slack greeted."), token);
  switch (failure.kind) {
    case "refused":
      return {
        error: new BobbinError(
          REFUSED.has(failure.code) ? "platform_refused" : "platform_unavailable",
          `Slack refuses the connection (${failure.code}). Check SLACK_APP_TOKEN, and that socket mode is on for the app.`,
          { retryable: !REFUSED.has(failure.code), cause: thrown },
        ),
        afterMs: 0,
      };
    case "rate_limited":
      return {
        error: away("Slack takes no further connection for a while.", thrown),
        afterMs: failure.afterMs,
      };
    case "http":
      return { error: away(`Slack answers with the status ${failure.status}.`, thrown), afterMs: 0 };
    case "unknown":
    case "unreachable":
      return { error: away(`Slack cannot be reached (${failure.why}).`, thrown), afterMs: 0 };
    default:
      return failure satisfies never;
  }
}

function away(sentence: string, cause: unknown): BobbinError {
  return new BobbinError("platform_unavailable", sentence, { retryable: true, cause });
}
