/**
 * Slack's Web API for one token: one call, one answer, and what went wrong as a kind that says what may have happened. What
 * only reads is asked again after a failure, anything else is sent once, since a second call could post twice. A method that
 * Slack has closed is answered here, without a request, until it opens again.
 */

import type { Dispatcher } from "undici";
import { pause } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { MayBegin } from "../../core/ports/surface.ts";
import { CLOSED_S, failureOf, refusalOf, type SlackFailure } from "./api-failure.ts";
import { fieldsOf } from "./payload.ts";
import { createWebRequest, SLACK_API_URL, type WebAnswer } from "./web-request.ts";

export type SlackData = Readonly<Record<string, unknown>>;

export type SlackAnswer =
  /** `scopes`: what the token may do, separated by commas. */
  { readonly kind: "ok"; readonly data: SlackData; readonly scopes?: string } | SlackFailure;

export interface SlackApi {
  /** `method` is a name such as `chat.postMessage`, never an address. Fails as an answer; none holds the token. */
  call(method: string, args: SlackData, mayBegin?: MayBegin): Promise<SlackAnswer>;
}

export interface SlackApiDeps {
  readonly clock: Clock;
}

export interface SlackApiOptions {
  /** Absent for the few methods that take none. */
  readonly token?: string;
  /** Default Slack's own, `https://slack.com/api/`. */
  readonly apiUrl?: string;
  /** How long one request may take with its answer, ms. Default 15,000. */
  readonly timeoutMs?: number;
  /** Connections that others use too. Default its own. */
  readonly dispatcher?: Dispatcher;
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
  "users.conversations",
  "users.info",
]);
const NAME = /^[a-z][A-Za-z]*(?:\.[A-Za-z]+)+$/;
/** How long to wait before a read is asked again, ms, each time. */
const AGAIN_MS = [200, 600] as const;

export function createSlackApi(deps: SlackApiDeps, options: SlackApiOptions): SlackApi {
  const { clock } = deps;
  const { token, apiUrl = SLACK_API_URL, timeoutMs = 15_000 } = options;
  if (token === "") throw new RangeError("a Slack token is needed");
  if (!(timeoutMs > 0)) throw new RangeError("timeoutMs has to be more than 0");
  const request = createWebRequest(apiUrl, token, timeoutMs, options.dispatcher);
  /** Ticks until which Slack takes no call, by what it counts together. */
  const closed = new Map<string, number>();

  async function once(method: string, args: SlackData, mayBegin?: MayBegin): Promise<SlackAnswer> {
    try {
      return readAnswer(await request(method, args, mayBegin));
    } catch (error) {
      return failureOf(error, token);
    }
  }

  async function again(method: string, args: SlackData): Promise<SlackAnswer> {
    for (const ms of AGAIN_MS) {
      const answer = await once(method, args);
      if (!isPassing(answer)) return answer;
      // Not all at the same moment when many were cut off together.
      await pause(clock, ms * (1 + Math.random()));
    }
    return once(method, args);
  }

  return {
    async call(method, args, mayBegin) {
      if (!NAME.test(method)) throw new RangeError(`not a method of Slack's: ${JSON.stringify(method)}`);
      const counted = countedAs(method, args);
      const waitMs = (closed.get(counted) ?? 0) - clock.ticks();
      if (waitMs > 0) return { kind: "rate_limited", afterMs: Math.ceil(waitMs) };
      closed.delete(counted);
      const answer = await (READS.has(method) ? again(method, args) : once(method, args, mayBegin));
      if (answer.kind === "rate_limited") closed.set(counted, clock.ticks() + answer.afterMs);
      return answer;
    },
  };
}

/** Posts are counted for each channel, everything else for each method. */
function countedAs(method: string, args: SlackData): string {
  const { channel } = args;
  return method === "chat.postMessage" && typeof channel === "string" ? `${method} ${channel}` : method;
}

/** Whether the next moment may bring another answer. */
function isPassing(answer: SlackAnswer): boolean {
  return answer.kind === "http"
    ? answer.status >= 500
    : answer.kind === "unknown" || answer.kind === "unreachable";
}

function readAnswer({ status, retryAfterS, scopes, text }: WebAnswer): SlackAnswer {
  if (status === 429) return { kind: "rate_limited", afterMs: (retryAfterS ?? CLOSED_S) * 1_000 };
  if (status !== 200) return { kind: "http", status };
  const data = fieldsOf(jsonIn(text));
  return data["ok"] === true ? { kind: "ok", data, scopes } : refusalOf(data, retryAfterS);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
