/**
 * Slack's way in: Bolt over a socket, or over our HTTP server. Each delivery is parsed and stored before it is acknowledged, so
 * that what Slack believes to be delivered is there after a crash. There are no listeners: what is to be done lies in the store.
 */

import { App, type Receiver } from "@slack/bolt";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { HttpReceiver } from "./http-receiver.ts";
import { fieldsOf } from "./payload.ts";
import type { Receive } from "./receive.ts";
import { sdkLogger } from "./sdk-log.ts";
import { Socket, type SocketOptions } from "./socket.ts";

export type SlackInlet =
  | ({ readonly kind: "socket" } & SocketOptions)
  | { readonly kind: "http"; readonly signingSecret: string; readonly bodyBytes?: number };

export interface SlackConnectionDeps {
  readonly receive: Receive;
  readonly clock: Clock;
  readonly log: Log;
}

export interface SlackConnectionOptions {
  readonly inlet: SlackInlet;
  readonly apiUrl?: string;
  /** How long `stop` waits for deliveries and answers that are under way, ms. Default 3,000. */
  readonly stopMs?: number;
}

/** What the two ways have in common. */
type Inlet = Receiver & { check?(): string | undefined; readonly heardAt?: number | undefined };

export class SlackConnection {
  readonly #deps: SlackConnectionDeps;
  readonly #inlet: Inlet;
  readonly #http: HttpReceiver | undefined;
  readonly #app: App;
  readonly #stopMs: number;
  /** Deliveries that are taken, and answers that are given. */
  readonly #open = new Set<Promise<unknown>>();
  #stopping: Promise<void> | undefined;

  constructor(deps: SlackConnectionDeps, options: SlackConnectionOptions) {
    const { inlet, apiUrl } = options;
    this.#deps = deps;
    this.#stopMs = options.stopMs ?? 3_000;
    if (inlet.kind === "http") this.#inlet = this.#http = new HttpReceiver(deps, inlet);
    else this.#inlet = new Socket(deps, inlet);
    this.#app = new App({
      receiver: this.#inlet,
      // Bolt calls nothing, so it is given no token: what is done for a workspace is done with that one's own, elsewhere.
      authorize: () => Promise.resolve({}),
      convoStore: false,
      ignoreSelf: false,
      logger: sdkLogger(deps.log),
      clientOptions: {
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        timeout: 15_000,
        allowAbsoluteUrls: false,
        ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
      },
    });
    this.#storeBeforeAck();
    this.#app.error((error) => Promise.reject(error));
    // Bolt acknowledges events by itself; what comes with an `ack` here is a click, a shortcut or a command.
    this.#app.use(async (delivery) => {
      if ("ack" in delivery && delivery.ack !== undefined) await delivery.ack();
    });
  }

  /** What answers below `/slack`; absent over a socket. */
  get http(): Pick<HttpReceiver, "answer"> | undefined {
    return this.#http;
  }

  /** @throws BobbinError when Slack refuses the app's token. */
  async start(): Promise<void> {
    await this.#app.start();
  }

  /** One sentence on what is missing, or nothing. */
  check(): string | undefined {
    return this.#inlet.check?.();
  }

  /** When Slack was last heard over the socket, ms since 1970; undefined before that, and over HTTP. */
  get heardAt(): number | undefined {
    return this.#inlet.heardAt;
  }

  /** Takes nothing new, and lets what is under way end for a bounded time. May be called twice. */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    const late = Promise.withResolvers<undefined>();
    const cancel = this.#deps.clock.after(this.#stopMs, () => late.resolve(undefined));
    const underWay = (): Promise<unknown> => Promise.race([Promise.allSettled(this.#open), late.promise]);
    // Over a closed socket nothing can be acknowledged any more, and Slack would send it all again.
    await underWay();
    await this.#app.stop();
    await underWay();
    cancel();
  }

  #storeBeforeAck(): void {
    const process = this.#app.processEvent.bind(this.#app);
    this.#app.processEvent = (delivery) => {
      const ack: typeof delivery.ack = async (response: unknown) => {
        const taken = await this.#deps.receive(fieldsOf(delivery.body));
        try {
          await delivery.ack(taken.response ?? response);
        } finally {
          // It is stored: the person is answered, also when the acknowledgement got lost.
          if (taken.after !== undefined) {
            this.#own(taken.after()).catch((error: unknown) => {
              this.#deps.log.error("an answer for one person failed", { error });
            });
          }
        }
      };
      return this.#own(process({ ...delivery, ack }));
    };
  }

  async #own<T>(work: Promise<T>): Promise<T> {
    this.#open.add(work);
    try {
      return await work;
    } finally {
      this.#open.delete(work);
    }
  }
}
