/** What a failed call means: whether Slack said no, and if not, whether the request can have arrived. Pure. */

import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from "@slack/web-api";
import { codesOf, isUnsent, reasonsOf } from "../unsent.ts";
import { fieldsOf, listOf, textOf, type Payload } from "./payload.ts";
import { NOT_SENT } from "./web-request.ts";

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
/** Where Slack says too many without saying for how long, s. */
export const CLOSED_S = 30;

/** What was thrown on the way, by the SDK or without it. */
export function failureOf(error: unknown, token: string | undefined): SlackFailure {
  if (error instanceof WebAPIRateLimitedError) {
    return { kind: "rate_limited", afterMs: error.retryAfter * 1_000 };
  }
  if (error instanceof WebAPIHTTPError) return { kind: "http", status: error.statusCode };
  if (error instanceof WebAPIPlatformError) {
    const { retryAfter } = error.data.response_metadata ?? {};
    return refusalOf({ ...error.data }, retryAfter);
  }
  const cause = error instanceof WebAPIRequestError ? error.original : error;
  const said = reasonsOf(cause);
  const why = (token === undefined ? said : said.replaceAll(token, "…")).slice(0, 300);
  return { kind: isUnsent(cause) || codesOf(cause).includes(NOT_SENT) ? "unreachable" : "unknown", why };
}

/**
 * An answer that is not `ok`.
 * @param retryAfterS what came with it about when to ask again.
 */
export function refusalOf(answer: Payload, retryAfterS = CLOSED_S): SlackFailure {
  const code = textOf(answer["error"]);
  if (code === undefined || !CODE.test(code)) {
    return { kind: "unknown", why: "the answer was not one of Slack's" };
  }
  if (code === "ratelimited" || code === "rate_limited") {
    return { kind: "rate_limited", afterMs: retryAfterS * 1_000 };
  }
  const needed = textOf(answer["needed"]);
  const messages = listOf(fieldsOf(answer["response_metadata"])["messages"]);
  const said = [
    ...(needed === undefined ? [] : [`needs ${needed}`]),
    ...messages.filter((message) => typeof message === "string"),
  ];
  const detail = said.join("; ").slice(0, 500);
  return detail === "" ? { kind: "refused", code } : { kind: "refused", code, detail };
}
