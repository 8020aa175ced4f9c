/** Asks Slack once about each token, for `doctor`: whose it is, and what the app may do. Changes nothing. */

import { toBobbinError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { createSlackApi, type SlackAnswer } from "./api.ts";
import { REQUEST_PATH } from "./http-receiver.ts";
import { identify, type TokenName } from "./identify.ts";
import { textOf } from "./payload.ts";
import { SCOPES, SCOPES_OF_EVENTS } from "./scopes.ts";

export interface SlackFinding {
  readonly state: "ok" | "warn" | "fail";
  /** One plain sentence without a token. */
  readonly sentence: string;
  /** What to do about it. */
  readonly next?: string;
}

export interface ProbeOptions {
  readonly apiUrl: string | undefined;
}

const INSTALL = "then install the app in the workspace again.";
const TIMEOUT_MS = 5_000;

/** One bot token: whose it is, and what it may do. Never throws. @param name which of several it is. */
export async function probeSlackBot(
  deps: { readonly clock: Clock; readonly log: Log },
  token: string,
  { apiUrl }: ProbeOptions,
  name?: TokenName,
): Promise<readonly SlackFinding[]> {
  const elsewhere = apiUrl === undefined ? {} : { apiUrl };
  const api = createSlackApi(deps, { token, timeoutMs: TIMEOUT_MS, ...elsewhere });
  try {
    const bot = await identify(api, name);
    const answer = await api.call("auth.test", {});
    const team = answer.kind === "ok" ? (textOf(answer.data["team"]) ?? "") : "";
    const sentence = `Slack knows the bot as @${bot.name} in the workspace ${team}.`;
    const missing = missingScopes(answer).map((finding) =>
      // Of several workspaces each may lack another one.
      name === undefined ? finding : { ...finding, sentence: `In ${bot.space}: ${finding.sentence}` },
    );
    return [{ state: "ok", sentence }, ...missing];
  } catch (error) {
    const { message, retryable } = toBobbinError(error);
    const next = name?.fix ?? "Correct SLACK_BOT_TOKEN, or the way from this machine to Slack.";
    return [{ state: retryable ? "warn" : "fail", sentence: message, next }];
  }
}

/** How Slack reaches us. Never throws. @param appToken without one events come over HTTP. */
export async function probeSlackWay(
  deps: { readonly clock: Clock; readonly log: Log },
  appToken: string | undefined,
  publicUrl: string | undefined,
  { apiUrl }: ProbeOptions,
): Promise<SlackFinding> {
  if (appToken === undefined) return overHttp(publicUrl);
  const elsewhere = apiUrl === undefined ? {} : { apiUrl };
  const api = createSlackApi(deps, { token: appToken, timeoutMs: TIMEOUT_MS, ...elsewhere });
  return overSocket(await api.call("apps.connections.open", {}));
}

function missingScopes(answer: SlackAnswer): readonly SlackFinding[] {
  const told = answer.kind === "ok" ? (answer.scopes ?? "") : "";
  const granted = told.split(",").map((scope) => scope.trim());
  // A server that is not Slack's may tell nothing.
  if (told === "") return [];
  return Object.entries(SCOPES)
    .filter(([scope]) => !granted.includes(scope))
    .map(([scope, harm]): SlackFinding => {
      const events = Object.entries(SCOPES_OF_EVENTS).flatMap(([event, needs]) =>
        needs === scope ? [event] : [],
      );
      const subscribe = events.length === 0 ? "" : ` subscribe to ${events.join(" and ")},`;
      return {
        state: scope === "chat:write" || scope === "app_mentions:read" ? "fail" : "warn",
        sentence: `Slack has not granted the scope ${scope}: Bobbin ${harm}.`,
        next: `Add the scope ${scope} as in manifest.yml,${subscribe} ${INSTALL}`,
      };
    });
}

function overHttp(publicUrl: string | undefined): SlackFinding {
  const url = `${publicUrl?.replace(/\/$/, "") ?? "https://<this server>"}${REQUEST_PATH}`;
  return {
    state: "ok",
    sentence: `Slack's events are expected over HTTP; its request addresses have to be ${url}`,
  };
}

function overSocket(answer: SlackAnswer): SlackFinding {
  switch (answer.kind) {
    case "ok":
      return { state: "ok", sentence: "Slack takes a connection in socket mode." };
    case "refused":
      return {
        state: "fail",
        sentence: `Slack takes no connection in socket mode (${answer.code}).`,
        next: "Make an app-level token with the scope connections:write, set SLACK_APP_TOKEN to it, and switch socket mode on.",
      };
    case "rate_limited":
      return { state: "warn", sentence: "Slack takes no further connection for a while." };
    case "http":
      return { state: "warn", sentence: `Slack answers with the status ${answer.status}.` };
    case "unknown":
    case "unreachable":
      return { state: "warn", sentence: `Slack cannot be reached (${answer.why}).` };
    default:
      return answer satisfies never;
  }
}
