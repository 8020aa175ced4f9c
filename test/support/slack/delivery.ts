// How Slack brings something to the app: one attempt, then for events up to three more until one is acknowledged. Whatever
// can go wrong on the way can be ordered here: lost, repeated, out of order, to every gateway at once.
import type { JsonObject } from "./message.ts";

export interface Payload {
  readonly kind: "event" | "interactive" | "command";
  readonly body: JsonObject;
}

export interface Attempt {
  /** 0 for the first. */
  readonly retry: number;
  readonly reason: string | undefined;
}

export type AttemptResult =
  | { readonly kind: "acknowledged"; readonly answer: unknown }
  | { readonly kind: "failed"; readonly reason: string };

/** One way to the app: the sockets, or its request URL. */
export interface Transport {
  /** Never rejects. @param everywhere to each gateway, where there are several. */
  attempt(payload: Payload, attempt: Attempt, everywhere: "one" | "every"): Promise<AttemptResult>;
}

export type Outcome =
  | { readonly kind: "acknowledged"; readonly answer: unknown; readonly attempts: number }
  | { readonly kind: "given up"; readonly reason: string };

export interface DeliveryOptions {
  /** Waits before the second, third and fourth attempt. Default at once, a minute, five minutes. */
  readonly retryDelaysMs?: readonly number[];
}

export interface SpoilOptions {
  /** How many attempts. Default 1. */
  readonly times?: number;
  /** Only attempts for which this is true; the bot's own messages come as events too. */
  readonly when?: (payload: Payload) => boolean;
}

interface Entry {
  readonly payload: Payload;
  attempts: number;
  /** Unset while it is under way. */
  outcome: Outcome | undefined;
}

export type Delivered = Readonly<Entry>;

export class Delivery {
  /** Everything that was ever to be delivered, in the order in which it happened. */
  readonly log: readonly Delivered[];
  readonly #log: Entry[] = [];
  readonly #transport: () => Transport;
  readonly #delaysMs: readonly number[];
  readonly #waits = new Set<() => void>();
  readonly #faults: { kind: "lost" | "unacknowledged"; left: number; when: (payload: Payload) => boolean }[] =
    [];
  #held: { payload: Payload; resolve: (outcome: Outcome | Promise<Outcome>) => void }[] | undefined;
  #everywhere: "one" | "every" = "one";
  #areDoubled = false;
  #isClosed = false;

  constructor(transport: () => Transport, options: DeliveryOptions = {}) {
    this.#transport = transport;
    this.#delaysMs = options.retryDelaysMs ?? [0, 60_000, 300_000];
    this.log = this.#log;
  }

  /** Never rejects. Only events are tried again, as on Slack. */
  send(payload: Payload): Promise<Outcome> {
    const held = payload.kind === "event" ? this.#held : undefined;
    if (!held)
      return payload.kind === "event" && this.#areDoubled ? this.#runTwice(payload) : this.#run(payload);
    return new Promise((resolve) => void held.push({ payload, resolve }));
  }

  /** The next attempts come to nothing: lost on the way, or brought and the acknowledgement lost. */
  spoil(kind: "lost" | "unacknowledged", { times = 1, when = () => true }: SpoilOptions = {}): void {
    this.#faults.push({ kind, left: times, when });
  }

  /** Everything about the message with this ts: both copies of a mention, and what was repeated. */
  about(ts: string): readonly Delivered[] {
    return this.#log.filter(
      ({ payload }) => (payload.body["event"] as JsonObject | undefined)?.["ts"] === ts,
    );
  }

  /** Keeps events back from now on. */
  hold(): void {
    this.#held ??= [];
  }

  /**
   * Lets the held events go, one after the other has been sent out, in the order that `arrange` makes of them (a payload may be left
   * out or stand there twice). From now on nothing is held.
   */
  release(arrange: (held: readonly Payload[]) => readonly Payload[] = (held) => held): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    const ordered = arrange(held.map(({ payload }) => payload));
    for (const payload of ordered) {
      const outcome = this.#run(payload);
      for (const one of held) if (one.payload === payload) one.resolve(outcome);
    }
    for (const { payload, resolve } of held) {
      if (!ordered.includes(payload)) resolve({ kind: "given up", reason: "left out" });
    }
  }

  /** From now on every event is brought twice, both at the same time and each until it is acknowledged. */
  double(): void {
    this.#areDoubled = true;
  }

  /** Every payload goes to one gateway, or to each of them. */
  deliverTo(gateways: "one" | "every"): void {
    this.#everywhere = gateways;
  }

  /** Brings it once more, with the same event id, as if the acknowledgement had been lost. */
  repeat(payload: Payload): Promise<Outcome> {
    return this.#run(payload);
  }

  /** Events that are waiting for their next attempt get it now. */
  retryNow(): void {
    for (const wake of this.#waits) wake();
  }

  /** How many events wait for another attempt. */
  get waiting(): number {
    return this.#waits.size;
  }

  close(): void {
    this.#isClosed = true;
    this.retryNow();
  }

  async #runTwice(payload: Payload): Promise<Outcome> {
    const [one, other] = await Promise.all([this.#run(payload), this.#run(payload)]);
    return one.kind === "acknowledged" ? one : other;
  }

  async #run(payload: Payload): Promise<Outcome> {
    const entry: Entry = { payload, attempts: 0, outcome: undefined };
    this.#log.push(entry);
    const delays = payload.kind === "event" ? this.#delaysMs : [];
    let reason: string | undefined;
    for (let retry = 0; retry <= delays.length; retry++) {
      if (retry > 0) await this.#wait(delays[retry - 1] ?? 0);
      if (this.#isClosed) break;
      entry.attempts++;
      const result = await this.#attempt(payload, { retry, reason });
      if (result.kind === "acknowledged") {
        return (entry.outcome = { ...result, attempts: entry.attempts });
      }
      reason = result.reason;
    }
    return (entry.outcome = { kind: "given up", reason: reason ?? "the local Slack was closed" });
  }

  async #attempt(payload: Payload, attempt: Attempt): Promise<AttemptResult> {
    const fault = this.#faults.find(({ left, when }) => left > 0 && when(payload));
    if (fault) fault.left--;
    if (fault?.kind === "lost") return { kind: "failed", reason: "http_error" };
    const result = await this.#transport().attempt(payload, attempt, this.#everywhere);
    return fault?.kind === "unacknowledged" ? { kind: "failed", reason: "http_timeout" } : result;
  }

  async #wait(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waits.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, delayMs);
      this.#waits.add(wake);
    });
  }
}
