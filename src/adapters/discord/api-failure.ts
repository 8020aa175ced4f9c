/** What a failed call of the library means: whether Discord said no, and if not, whether the request can have arrived. Pure. */

import { DiscordAPIError, HTTPError, RateLimitError } from "@discordjs/rest";
import { isUnsent, reasonsOf } from "../unsent.ts";

export type DiscordFailure =
  /** Not done, and not to be tried for so long. `isGlobal`: nor is anything else of the bot's. */
  | { readonly kind: "rate_limited"; readonly afterMs: number; readonly isGlobal?: true }
  /** One of Discord's own error codes; 0 where only the HTTP status says what is wrong. */
  | { readonly kind: "refused"; readonly code: number; readonly status: number; readonly detail: string }
  /** Discord does not take the token: not done, and nothing is until this process is started with another one. */
  | { readonly kind: "token_refused" }
  /** No answer of Discord's: a status of 500 or more, after which the call may have been done. */
  | { readonly kind: "http"; readonly status: number }
  /** Sent, but no answer came: it may have been done. */
  | { readonly kind: "unknown"; readonly why: string }
  /** Never sent. */
  | { readonly kind: "unreachable"; readonly why: string };

/** A timer may be early, and the server's clock another. */
const ROOM_MS = 50;

/** Of a call with any token. @param secrets stand in nothing of what is told. */
export function failureOf(
  error: unknown,
  secrets: readonly string[],
): Exclude<DiscordFailure, { readonly kind: "token_refused" }> {
  if (error instanceof RateLimitError) {
    const afterMs = Math.max(error.timeToReset, error.retryAfter, error.sublimitTimeout, 0);
    return {
      kind: "rate_limited",
      afterMs: Math.ceil(afterMs) + ROOM_MS,
      ...(error.global ? { isGlobal: true } : {}),
    };
  }
  if (error instanceof DiscordAPIError) {
    const code = typeof error.code === "number" ? error.code : 0;
    return { kind: "refused", code, status: error.status, detail: shortly(error.message, secrets) };
  }
  if (error instanceof HTTPError) {
    return error.status >= 500
      ? { kind: "http", status: error.status }
      : { kind: "refused", code: 0, status: error.status, detail: shortly(error.message, secrets) };
  }
  const why = shortly(reasonsOf(error), secrets);
  return { kind: isUnsent(error) ? "unreachable" : "unknown", why };
}

function shortly(text: string, secrets: readonly string[]): string {
  return secrets.reduce((safe, secret) => safe.replaceAll(secret, "…"), text).slice(0, 300);
}
