/**
 * Discord's sign that the bot is typing: while an answer was begun and nothing of it stands in its thread. Discord shows it for ten
 * seconds, or until the bot's next message there, and takes it away on no other word: so none is sent once a page stands, and the page waits
 * for one that is under way.
 */

import { Routes } from "discord-api-types/v10";
import type { Clock } from "../../core/ports/clock.ts";
import type { Pacer } from "../../core/ports/pacer.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import { REQUESTS } from "./budgets.ts";

export interface Typing {
  /** The answer has begun. Never throws, never waits. */
  begin(): void;
  /** Resolves when what is posted from now on takes the sign away, or when that is not worth waiting for. */
  rest(): Promise<void>;
  /** It was not to be posted just now, and the wait goes on. */
  again(): void;
  /** A page stands, or nothing is to come. Never waits. */
  end(): void;
}

/** The first page is the better sign, and mostly there by then, ms. */
const FIRST_MS = 200;
const AGAIN_MS = 8_000;
/** Nobody believes it for longer, ms. */
const MOST_MS = 5 * 60_000;
/** A page is worth more than a sign that ends in time, ms. */
const PATIENCE_MS = 500;

export function createTyping(
  deps: { readonly api: DiscordApi; readonly pacer: Pacer; readonly clock: Clock },
  session: SessionId,
): Typing {
  const { api, pacer, clock } = deps;
  const { channel } = threadOf(session);
  const who = `${session} typing`;
  let state: "off" | "on" | "resting" = "off";
  let until = 0;
  let inFlight: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;

  function beatIn(ms: number): void {
    cancelTimer?.();
    cancelTimer = clock.after(ms, () => {
      cancelTimer = undefined;
      inFlight ??= beat().finally(() => {
        inFlight = undefined;
        if (state === "on" && cancelTimer === undefined) beatIn(AGAIN_MS);
      });
    });
  }

  /** Never rejects. */
  async function beat(): Promise<void> {
    if (clock.ticks() >= until) return end();
    // It is the first that may be left out: whoever has no turn now tries the next time.
    if ((await pacer.take(REQUESTS, { who, urgency: "progress" })) > 0) return pacer.leave(REQUESTS, who);
    const answer = await api.call("POST", Routes.channelTyping(channel), { mayBegin: () => state === "on" });
    // There is no thread yet, or nothing may be written there.
    if (answer.kind === "refused" || answer.kind === "token_refused") end();
  }

  function end(): void {
    state = "off";
    cancelTimer?.();
    cancelTimer = undefined;
  }

  return {
    begin() {
      if (state !== "off") return;
      state = "on";
      until = clock.ticks() + MOST_MS;
      beatIn(FIRST_MS);
    },
    async rest() {
      if (state === "off") return;
      state = "resting";
      cancelTimer?.();
      cancelTimer = undefined;
      if (inFlight === undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(PATIENCE_MS, resolve);
      await Promise.race([inFlight, promise]);
      cancel();
    },
    again() {
      if (state !== "resting") return;
      state = "on";
      beatIn(FIRST_MS);
    },
    end,
  };
}
