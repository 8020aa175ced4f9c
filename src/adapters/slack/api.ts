/**
 * Slack's Web API for one token: one call, one answer, and what went wrong as a kind that says what may have happened. The
 * SDK's own retries are off where a second call would post twice, and its pause of all methods after a 429 is off always: a
 * method that Slack has closed is answered here, without a request, until it opens again.
 */

import { WebClient } from "@slack/web-api";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { failureOf, type SlackFailure } from "./api-failure.ts";
import { sdkLogger } from "./sdk-log.ts";

export type SlackData = Readonly<Record<string, unknown>>;

export type SlackAnswer = { readonly kind: "ok"; readonly data: SlackData } | SlackFailure;

export interface SlackApi {
  /** `method` is a name such as `chat.postMessage`, never an address. Fails as an answer; none holds the token. */
  call(method: string, args: SlackData): Promise<SlackAnswer>;
}

export interface SlackApiDeps {
  readonly clock: Clock;
  readonly log: Log;
}

export interface SlackApiOptions {
  readonly token: string;
  /** Default Slack's own, `https://slack.com/api/`. */
  readonly apiUrl?: string;
  /** How long one request may take with its answer, ms. Default 15,000. */
  readonly timeoutMs?: number;
}

/** What only reads may be asked again at once. */
const READS: ReadonlySet<string> = new Set([
  "apps.connections.open",
  "auth.test",
  "bots.info",
  "conversations.history",
  "conversations.info",
  "conversations.list",
  "conversations.members",
  "conversations.replies",
  "team.info",
  "users.info",
]);
const NAME = /^[a-z][A-Za-z]*(?:\.[A-Za-z]+)+$/;
/** Where Slack closes a method and does not say for how long, s. */
const CLOSED_S = "30";

export function createSlackApi(deps: SlackApiDeps, options: SlackApiOptions): SlackApi {
  const { clock } = deps;
  const { token, apiUrl, timeoutMs = 15_000 } = options;
  if (token === "") throw new RangeError("a Slack token is needed");
  if (!(timeoutMs > 0)) throw new RangeError("timeoutMs has to be more than 0");

  const clientWith = (retries: number): WebClient =>
    new WebClient(token, {
      // An options object of its own for each: the SDK writes into what it is given.
      retryConfig: { retries, minTimeout: 200, maxTimeout: 2_000, factor: 3, randomize: true },
      rejectRateLimitedCalls: true,
      timeout: timeoutMs,
      allowAbsoluteUrls: false,
      fetch: request,
      logger: sdkLogger(deps.log),
      ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
    });
  const writer = clientWith(0);
  const reader = clientWith(2);
  /** Ticks until which Slack takes no call, by what it counts together. */
  const closed = new Map<string, number>();

  return {
    async call(method, args) {
      if (!NAME.test(method)) throw new RangeError(`not a method of Slack's: ${JSON.stringify(method)}`);
      const counted = countedAs(method, args);
      const waitMs = (closed.get(counted) ?? 0) - clock.ticks();
      if (waitMs > 0) return { kind: "rate_limited", afterMs: Math.ceil(waitMs) };
      closed.delete(counted);
      try {
        const client = READS.has(method) ? reader : writer;
        return { kind: "ok", data: { ...(await client.apiCall(method, { ...args })) } };
      } catch (error) {
        const failure = failureOf(error, token);
        if (failure.kind === "rate_limited") closed.set(counted, clock.ticks() + failure.afterMs);
        return failure;
      }
    },
  };
}

/** Posts are counted for each channel, everything else for each method. */
function countedAs(method: string, args: SlackData): string {
  const { channel } = args;
  return method === "chat.postMessage" && typeof channel === "string" ? `${method} ${channel}` : method;
}

/**
 * A redirect is an answer, not a failure of the network after which nobody knows; and a 429 always says how long, since the
 * SDK makes an error without a kind of one that does not.
 */
async function request(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  if (response.status !== 429 || Number.parseInt(response.headers.get("retry-after") ?? "", 10) >= 0) {
    return response;
  }
  await response.body?.cancel();
  return new Response(null, { status: 429, headers: { "retry-after": CLOSED_S } });
}
