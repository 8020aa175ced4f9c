/** What went wrong, as one of the closed set: from a status, from an error object in a stream, from what was thrown. */

import { APIError } from "openai";
import { BobbinError, type ErrorCode } from "../../core/errors.ts";
import { cleanText, headOf } from "../../core/text.ts";
import { numberOf, objectOf, parseJson, textOf, type JsonObject } from "./json.ts";

/** How much of the provider's own words is kept for an admin. */
const DETAIL_UNITS = 300;

/** Each provider says it in its own words; the code is OpenAI's alone. */
const TOO_LONG =
  /context[_ ]length|context[_ ]window|context size|maximum context|prompt is too long|input is too long|too many (input )?tokens|reduce the length of|exceeds? the (model'?s )?(maximum|max) (input|number of) tokens/i;
/** Some tell a request that is over the whole limit of a minute as a throttle: only a smaller one is ever taken. */
const OVER_LIMIT = /\brequest too large\b/i;
const THROTTLED = /throttl|wait before trying again|try again (later|in \d)/i;
const NO_CREDIT = /insufficient_quota|insufficient (funds|credits|balance)|billing/i;
const NO_KEY = /invalid_api_key|authentication|unauthori[sz]ed|permission_denied/i;
const TOO_MANY = /rate_?limit|too_many_requests|resource_exhausted/i;
const REFUSED = /invalid_request|invalid_prompt|not_found|unsupported/i;

interface Told {
  readonly status?: number | undefined;
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
  readonly mayRetry?: boolean | undefined;
}

/** An error object in a body or a stream that began with 200, sorted like an HTTP error with its code. */
export function failureOfObject(error: unknown, secret: string): BobbinError {
  const object = objectOf(error);
  const code = object?.["code"];
  const status = numberOf(code) ?? numberOf(object?.["status"]) ?? numberOf(Number(textOf(code) ?? NaN));
  const words = [textOf(code), textOf(object?.["type"]), textOf(object?.["status"])].filter(Boolean);
  return classify(
    {
      status: status !== undefined && status >= 400 && status < 600 ? status : undefined,
      code: words.join(" "),
      message: messageIn(object, error),
    },
    secret,
  );
}

/** From what a request threw: ours passes, an HTTP error by its status, the rest is a connection that failed. */
export function failureOfThrown(thrown: unknown, secret: string): BobbinError {
  for (
    let cause: unknown = thrown, depth = 0;
    cause instanceof Error && depth < 5;
    cause = cause.cause, depth++
  ) {
    if (cause instanceof BobbinError) return cause;
  }
  if (thrown instanceof APIError && thrown.status !== undefined) return failureOfStatus(thrown, secret);
  const code = networkCode(thrown);
  return new BobbinError("model_unavailable", "the connection to the provider failed", {
    retryable: true,
    facts: code === undefined ? {} : { network: code },
  });
}

export function cutOff(): BobbinError {
  return new BobbinError("model_cut", "the provider's stream ended before the reply did", {
    retryable: true,
  });
}

export function garbage(what: string): BobbinError {
  return new BobbinError("model_garbage", what, { retryable: true });
}

export function timedOut(phase: "connect" | "answer" | "bytes" | "data", limitMs: number): BobbinError {
  return new BobbinError("model_timeout", "the provider did not answer in time", {
    retryable: true,
    facts: { phase, limitMs },
  });
}

/** How long the provider asks to wait, in ms, where it does. */
export function retryAfterOf(error: BobbinError): number | undefined {
  return numberOf(error.facts["retryAfterMs"]);
}

/**
 * Whether the client itself asks again at once. Silence is not among it: it has cost its whole limit already, and the run has
 * one of its own.
 */
export function isTriedAgain(error: BobbinError): boolean {
  return error.retryable && (error.code !== "model_timeout" || error.facts["phase"] === "connect");
}

function failureOfStatus(error: APIError, secret: string): BobbinError {
  const body = objectOf(error.error);
  const nested = objectOf(body?.["error"]) ?? body;
  const words = [textOf(error.code), textOf(error.type), textOf(nested?.["code"]), textOf(nested?.["type"])];
  const should = error.headers?.get("x-should-retry");
  return classify(
    {
      status: error.status,
      code: words.filter(Boolean).join(" "),
      message: messageIn(nested, error.message),
      retryAfterMs: retryAfter(error.headers),
      mayRetry: should === "true" ? true : should === "false" ? false : undefined,
    },
    secret,
  );
}

function classify(told: Told, secret: string): BobbinError {
  const [code, retryable, reason] = kindOf(told);
  const facts: Record<string, string | number> = {};
  if (told.status !== undefined) facts["status"] = told.status;
  if (reason !== undefined) facts["reason"] = reason;
  if (told.retryAfterMs !== undefined) facts["retryAfterMs"] = told.retryAfterMs;
  if (told.code !== "") facts["providerCode"] = masked(told.code, secret);
  const detail = masked(told.message, secret);
  if (detail !== "") facts["detail"] = detail;
  const answer = told.status === undefined ? "sent an error" : `answered ${told.status}`;
  return new BobbinError(code, `the provider ${answer}`, {
    retryable: retryable && told.mayRetry !== false,
    facts,
  });
}

function kindOf({ status, code, message }: Told): readonly [ErrorCode, boolean, string?] {
  const isTheirs = status !== undefined && status >= 500;
  if (isTooLong({ status, code, message })) return ["context_length", false];
  if (status === 402 || (!isTheirs && NO_CREDIT.test(code))) return ["model_auth", false, "no_credit"];
  if (status === 401 || status === 403) return ["model_auth", false];
  if (status === 429) return ["model_rate_limited", true];
  if (isTheirs || status === 408 || status === 409 || status === 425) return ["model_unavailable", true];
  const isThrottled = (status === undefined && TOO_MANY.test(code)) || THROTTLED.test(`${code} ${message}`);
  if (isThrottled && (status === undefined || status === 400)) return ["model_rate_limited", true];
  if (status !== undefined) return ["model_refused", false];
  if (NO_KEY.test(code)) return ["model_auth", false];
  if (REFUSED.test(code)) return ["model_refused", false];
  return ["model_unavailable", true];
}

/** The status first: a throttle speaks of too many tokens as well, and passes where a thread that is too long does not. */
function isTooLong({ status, code, message }: Told): boolean {
  const words = `${code} ${message}`;
  switch (status) {
    case 413:
      return true;
    case 429:
      return OVER_LIMIT.test(message);
    case undefined:
      return TOO_LONG.test(words) && !TOO_MANY.test(code) && !THROTTLED.test(words);
    case 400:
    case 422:
      return TOO_LONG.test(words) && !THROTTLED.test(words);
    default:
      return false;
  }
}

function messageIn(object: JsonObject | undefined, other: unknown): string {
  // OpenRouter keeps the upstream's own words one level down.
  const raw = textOf(objectOf(object?.["metadata"])?.["raw"]);
  const message = textOf(object?.["message"]) ?? textOf(other) ?? "";
  if (raw === undefined) return message;
  return `${message}: ${textOf(objectOf(objectOf(parseJson(raw))?.["error"])?.["message"]) ?? raw}`;
}

/** No key leaves with an error: the known one, also where the provider shows only parts of one, and what looks like one. */
function masked(text: string, secret: string): string {
  const known = secret.length >= 4 ? text.replaceAll(secret, "***") : text;
  const safe = known
    .replaceAll(/\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.-]{4,}/gi, "***")
    .replaceAll(/\b(bearer|basic)\s+\S+/gi, "$1 ***");
  return headOf(cleanText(safe), DETAIL_UNITS).trim();
}

function retryAfter(headers: Headers | undefined): number | undefined {
  const inMs = Number(headers?.get("retry-after-ms") ?? NaN);
  if (Number.isFinite(inMs) && inMs >= 0) return inMs;
  const value = headers?.get("retry-after") ?? undefined;
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  // As a date it is measured against the server's own clock, which the answer carries.
  const until = Date.parse(value) - Date.parse(headers?.get("date") ?? "");
  return Number.isFinite(until) ? Math.max(0, until) : undefined;
}

function networkCode(thrown: unknown): string | undefined {
  for (let cause: unknown = thrown, depth = 0; depth < 5; depth++) {
    const object = objectOf(cause);
    if (object === undefined) return undefined;
    const code = textOf(object["code"]);
    if (code !== undefined) return code;
    cause = object["cause"];
  }
  return undefined;
}
