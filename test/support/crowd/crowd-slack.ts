// Slack as a crowd of replies meets it: its limits by a clock that is given, the time that a call takes, and what stands in the threads.
import type { SlackAnswer, SlackApi } from "../../../src/adapters/slack/api.ts";
import type { Clock } from "../../../src/core/ports/clock.ts";
import { ApiCall } from "../slack/api/call.ts";
import { RateLimits } from "../slack/rate-limits.ts";

export interface CrowdCall {
  readonly method: string;
  readonly at: number;
  readonly isRefused: boolean;
}

export interface CrowdMessage {
  text: string;
  writes: number;
}

export class CrowdSlack {
  readonly calls: CrowdCall[] = [];
  readonly messages = new Map<string, CrowdMessage>();
  readonly #clock: Clock;
  readonly #limits: RateLimits;
  readonly #callMs: () => number;
  #stamps = 0;

  /**
   * @param callMs how long the next call takes.
   * @param burst edits that it takes at once; a minute's worth unless said.
   */
  constructor(clock: Clock, callMs: () => number, burst?: number) {
    this.#clock = clock;
    this.#callMs = callMs;
    this.#limits = new RateLimits(burst === undefined ? {} : { burst }, () => clock.ticks());
  }

  /** The way of one process: what Slack has closed is left alone there, as by the real one. */
  api(): SlackApi {
    const closed = new Map<string, number>();
    return {
      call: async (method, args, mayBegin) => {
        const counted = method === "chat.postMessage" ? `${method} ${String(args["channel"])}` : method;
        const waitMs = (closed.get(counted) ?? 0) - this.#clock.ticks();
        if (waitMs > 0) return { kind: "rate_limited", afterMs: waitMs };
        if (mayBegin?.() === false) return { kind: "unreachable", why: "too late" };
        const answer = await this.#answer(method, args);
        if (answer.kind === "rate_limited") closed.set(counted, this.#clock.ticks() + answer.afterMs);
        return answer;
      },
    };
  }

  async #answer(method: string, args: Readonly<Record<string, unknown>>): Promise<SlackAnswer> {
    const waitS = this.#limits.take(new ApiCall(method, undefined, args));
    this.calls.push({ method, at: this.#clock.ticks(), isRefused: waitS !== undefined });
    await new Promise<void>((resolve) => void this.#clock.after(this.#callMs(), resolve));
    if (waitS !== undefined) return { kind: "rate_limited", afterMs: waitS * 1_000 };
    const root = args["thread_ts"];
    const ts = method === "chat.postMessage" ? `2.${String(++this.#stamps).padStart(6, "0")}` : args["ts"];
    if (typeof ts !== "string") return { kind: "ok", data: { ok: true } };
    if (method === "chat.delete") this.messages.delete(ts);
    else {
      const before = this.messages.get(ts)?.writes ?? 0;
      this.messages.set(ts, { text: String(args["text"]), writes: before + 1 });
    }
    return { kind: "ok", data: { ok: true, ts, message: { thread_ts: root } } };
  }
}
