/**
 * One request to Slack's Web API, on undici's `request`: a sixth of the processor time of the SDK's client over the global
 * fetch. A redirect is an answer like any other and is not followed: the token goes nowhere else.
 */

import { Agent, EnvHttpProxyAgent, request, type Dispatcher } from "undici";

export interface WebAnswer {
  readonly status: number;
  /** `Retry-After`, s; undefined where it is not said or is no number. */
  readonly retryAfterS: number | undefined;
  /** What the token may do, separated by commas; Slack tells it with each answer. */
  readonly scopes: string;
  readonly text: string;
}

/**
 * Rejects when no whole answer came in time, and with `NOT_SENT` when `mayBegin` says no: it is asked when there is a connection,
 * right before the first byte.
 */
export type WebRequest = (
  method: string,
  args: Readonly<Record<string, unknown>>,
  mayBegin?: () => boolean,
) => Promise<WebAnswer>;

/** The code of the error of a request that was not to be sent any more. */
export const NOT_SENT = "NOT_SENT";

/**
 * @param apiUrl what a method's name is put behind. @param token none for the few methods that take none.
 * @param plain the connections, which those of several tokens may share.
 */
export function createWebRequest(
  apiUrl: string,
  token: string | undefined,
  timeoutMs: number,
  plain: Dispatcher = webDispatcher(apiUrl),
): WebRequest {
  const base = apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`;
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
    "user-agent": "bobbin",
  };
  return async (method, args, mayBegin) => {
    const answer = await request(base + method, {
      dispatcher: mayBegin === undefined ? plain : guarded(plain, mayBegin),
      method: "POST",
      headers,
      body: formOf(args),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const after = Number.parseInt(String(answer.headers["retry-after"]), 10);
    return {
      status: answer.statusCode,
      retryAfterS: after >= 0 ? after : undefined,
      scopes: String(answer.headers["x-oauth-scopes"] ?? ""),
      text: await answer.body.text(),
    };
  };
}

function guarded(dispatcher: Dispatcher, mayBegin: () => boolean): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const guard: Dispatcher.DispatchHandler = {
      onRequestStart(controller, context) {
        // Whoever asked is told in any case.
        handler.onRequestStart?.(controller, context);
        if (mayBegin()) return;
        controller.abort(Object.assign(new Error("it was too late to send this"), { code: NOT_SENT }));
      },
      onRequestUpgrade: (...all) => handler.onRequestUpgrade?.(...all),
      onResponseStart: (...all) => handler.onResponseStart?.(...all),
      onResponseData: (...all) => handler.onResponseData?.(...all),
      onResponseEnd: (...all) => handler.onResponseEnd?.(...all),
      onResponseError: (...all) => handler.onResponseError?.(...all),
    };
    return dispatch(options, guard);
  });
}

/** Slack's own. */
export const SLACK_API_URL = "https://slack.com/api/";

/** A proxy that the environment names leads out of the house, and never to this machine. */
export function webDispatcher(apiUrl: string = SLACK_API_URL): Dispatcher {
  const host = URL.parse(apiUrl)?.hostname ?? "";
  const isHere = host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
  return isHere ? new Agent() : new EnvHttpProxyAgent();
}

/** The one form that every method takes: what is no plain value goes as JSON in its field. */
function formOf(args: Readonly<Record<string, unknown>>): string {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || value === null) continue;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    fields.push(`${encodeURIComponent(name)}=${encodeURIComponent(text.toWellFormed())}`);
  }
  return fields.join("&");
}
