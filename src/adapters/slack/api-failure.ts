/** What a failed call of the SDK means: whether Slack said no, and if not, whether the request can have arrived. Pure. */

import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from "@slack/web-api";

export type SlackFailure =
  /** Not done, and not to be tried for so long. */
  | { readonly kind: "rate_limited"; readonly afterMs: number }
  /** Slack's own error code. `detail`: what it says about the arguments, or the scope that is missing. */
  | { readonly kind: "refused"; readonly code: string; readonly detail?: string }
  /** No answer of Slack's: an HTTP status other than 200 and 429. With 5xx the call may have been done. */
  | { readonly kind: "http"; readonly status: number }
  /** Sent, but no answer came, or one that cannot be read: it may have been done. */
  | { readonly kind: "unknown"; readonly why: string }
  /** Never sent. */
  | { readonly kind: "unreachable"; readonly why: string };

/** What Slack's error codes look like; anything else in their place is the page of a proxy. */
const CODE = /^[A-Za-z0-9_.:-]{1,100}$/;
/** Failures before the first byte was sent. */
const UNSENT: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "EAI_FAIL",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** Where Slack says too many without saying for how long. */
const CLOSED_MS = 30_000;

export function failureOf(error: unknown, token: string): SlackFailure {
  if (error instanceof WebAPIRateLimitedError) {
    return { kind: "rate_limited", afterMs: error.retryAfter * 1_000 };
  }
  if (error instanceof WebAPIHTTPError) return { kind: "http", status: error.statusCode };
  if (error instanceof WebAPIPlatformError) return refusal(error.data);
  const cause = error instanceof WebAPIRequestError ? error.original : error;
  const why = reasonsOf(cause).join(": ").replaceAll(token, "…").slice(0, 300);
  return { kind: codesOf(cause).some((code) => UNSENT.has(code)) ? "unreachable" : "unknown", why };
}

function refusal(data: WebAPIPlatformError["data"]): SlackFailure {
  const code: unknown = data.error;
  if (typeof code !== "string" || !CODE.test(code)) {
    return { kind: "unknown", why: "the answer was not one of Slack's" };
  }
  if (code === "ratelimited" || code === "rate_limited") {
    const { retryAfter } = data.response_metadata ?? {};
    return { kind: "rate_limited", afterMs: retryAfter === undefined ? CLOSED_MS : retryAfter * 1_000 };
  }
  const needed: unknown = "needed" in data ? data.needed : undefined;
  const said = [
    ...(typeof needed === "string" ? [`needs ${needed}`] : []),
    ...(data.response_metadata?.messages ?? []),
  ];
  const detail = said.join("; ").slice(0, 500);
  return detail === "" ? { kind: "refused", code } : { kind: "refused", code, detail };
}

/** An error and its causes; a connection that was tried at several addresses has one for each. */
function chainOf(error: unknown, depth = 0): readonly unknown[] {
  if (!(error instanceof Error) || depth > 5) return [error];
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const causes = error.cause === undefined ? inner : [error.cause, ...inner];
  return [error, ...causes.flatMap((cause) => chainOf(cause, depth + 1))];
}

function codesOf(error: unknown): readonly string[] {
  return chainOf(error).flatMap((link) =>
    link instanceof Error && "code" in link && typeof link.code === "string" ? [link.code] : [],
  );
}

function reasonsOf(error: unknown): readonly string[] {
  const words = chainOf(error).map((link) => (link instanceof Error ? link.message : String(link)));
  return [...new Set([...codesOf(error), ...words])].filter((word) => word !== "");
}
