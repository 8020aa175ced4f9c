/** The times of one try, and its usage beside them. */

import type { Clock } from "../../core/ports/clock.ts";
import type { ModelRecord } from "../../core/ports/model.ts";
import type { CallUsage } from "../../core/usage.ts";
import type { Reply } from "./reply.ts";
import { usageOf } from "./usage.ts";

export class Stopwatch {
  readonly #clock: Clock;
  readonly #start: number;
  #first: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.ticks();
  }

  /** Something of the reply came; only the first time counts. */
  firstToken(): void {
    this.#first ??= this.#clock.ticks();
  }

  /** Undefined when the provider reported none. */
  usage(reply: Reply, record: ModelRecord): CallUsage | undefined {
    if (reply.usage === undefined) return undefined;
    const end = this.#clock.ticks();
    const usage = usageOf(reply.usage, record.price);
    const generated = (usage.output ?? 0) + (usage.reasoning ?? 0);
    const seconds = this.#first === undefined ? 0 : (end - this.#first) / 1000;
    return {
      ...usage,
      model: reply.model ?? record.name,
      ...(reply.provider !== undefined && { provider: reply.provider }),
      ...(this.#first !== undefined && { firstTokenMs: this.#first - this.#start }),
      durationMs: end - this.#start,
      ...(generated > 0 && seconds > 0 && { tokensPerSecond: generated / seconds }),
    };
  }
}
