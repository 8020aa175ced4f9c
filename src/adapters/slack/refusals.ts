/** What a failed write to Slack means for the reply: each error code is a decision. Pure. */

import { notSearched, type BobbinError } from "../../core/errors.ts";
import { BARRED, type Written } from "../../core/ports/surface.ts";
import type { SlackFailure } from "./api-failure.ts";

/** Where nothing was sent at all. */
const UNREACHABLE_MS = 2_000;

/** Our own word for a token that no key of ours opens. */
export const TOKEN_SEALED = "token_sealed";
/** What Slack says of a token that it will not take again. */
const TOKEN_REFUSED: ReadonlySet<string> = new Set([
  "account_inactive",
  "invalid_auth",
  "not_authed",
  "token_expired",
  "token_revoked",
]);

/** The blocks are at fault, and the same as text may do. */
const BAD_BLOCKS: ReadonlySet<string> = new Set([
  "block_mismatch",
  "invalid_attachments",
  "invalid_blocks",
  "invalid_blocks_format",
  "unsupported_block_type",
]);

/** The message stands, but nobody may change it any more: another one has to take over. */
const FROZEN: ReadonlySet<string> = new Set(["cant_update_message", "edit_window_closed", "is_inactive"]);

const TOO_LONG: ReadonlySet<string> = new Set([
  "msg_blocks_too_long",
  "msg_too_long",
  "markdown_text_too_long",
]);

const NO_THREAD: ReadonlySet<string> = new Set([
  "cannot_reply_to_message",
  "channel_is_archived",
  "channel_not_found",
  "invalid_thread_ts",
  "is_archived",
  "not_in_channel",
  "restricted_action_non_threadable_channel",
  "restricted_action_read_only_channel",
  "restricted_action_thread_locked",
  "thread_not_found",
]);

/** Slack's own trouble, after which the call may have been done. */
const TROUBLE: ReadonlySet<string> = new Set([
  "fatal_error",
  "internal_error",
  "request_timeout",
  "service_unavailable",
  "team_added_to_org",
]);

/** And they would be on any other page. */
export function hasUnknownBlocks(failure: { readonly kind: string; readonly code?: string }): boolean {
  return failure.kind === "refused" && failure.code === "unsupported_block_type";
}

export function hasBadBlocks(failure: { readonly kind: string; readonly code?: string }): boolean {
  return failure.kind === "refused" && BAD_BLOCKS.has(failure.code ?? "");
}

export function isFrozen(failure: { readonly kind: string; readonly code?: string }): boolean {
  return failure.kind === "refused" && FROZEN.has(failure.code ?? "");
}

/** It is streamed yet, and can be edited only after that. */
const STREAMED = "streaming_state_conflict";
/** A stream that was begun is over: it was told to end, somebody pressed Stop, or Slack ended it. */
const STREAM_OVER: ReadonlySet<string> = new Set(["message_not_in_streaming_state", "stopped_by_user"]);
/** Slack streams nothing for this app, and never will before somebody changes one of them. */
const NO_STREAMS: ReadonlySet<string> = new Set([
  "feature_disabled",
  "method_deprecated",
  "missing_scope",
  "not_agent_app",
  "not_allowed_token_type",
  "not_authorized",
  "unknown_method",
]);

export function isStreamedYet(written: Written): boolean {
  return written.kind === "refused" && written.why.startsWith(STREAMED);
}

export function isStreamOver(failure: { readonly kind: string; readonly code?: string }): boolean {
  return failure.kind === "refused" && STREAM_OVER.has(failure.code ?? "");
}

export function hasNoStreams(failure: { readonly kind: string; readonly code?: string }): boolean {
  return failure.kind === "refused" && NO_STREAMS.has(failure.code ?? "");
}

export function isTokenRefused(failure: { readonly kind: string; readonly code?: string }): boolean {
  return failure.kind === "refused" && TOKEN_REFUSED.has(failure.code ?? "");
}

/** Nothing can be called there now, and the app is still installed. */
function isBarred(failure: SlackFailure): boolean {
  return isTokenRefused(failure) || (failure.kind === "refused" && failure.code === TOKEN_SEALED);
}

/** Why a look for a post found out nothing. */
export function unsearched(failure: SlackFailure): BobbinError {
  return notSearched(JSON.stringify(failure), isBarred(failure));
}

export function decisionOn(failure: SlackFailure): Exclude<Written, { readonly kind: "ok" }> {
  switch (failure.kind) {
    case "rate_limited":
      return { kind: "later", afterMs: failure.afterMs };
    case "unreachable":
      return { kind: "later", afterMs: UNREACHABLE_MS };
    case "unknown":
      return { kind: "unknown", why: failure.why };
    case "http":
      return failure.status >= 500 || failure.status === 408
        ? { kind: "unknown", why: `HTTP ${failure.status}` }
        : { kind: "refused", why: `HTTP ${failure.status}` };
    case "refused":
      return isBarred(failure) ? BARRED : onCode(failure.code, failure.detail);
    default:
      return failure satisfies never;
  }
}

function onCode(code: string, detail: string | undefined): Exclude<Written, { readonly kind: "ok" }> {
  if (code === "message_not_found") return { kind: "gone", what: "message" };
  if (NO_THREAD.has(code)) return { kind: "gone", what: "thread" };
  if (TOO_LONG.has(code)) return { kind: "too_long" };
  if (TROUBLE.has(code)) return { kind: "unknown", why: code };
  return { kind: "refused", why: detail === undefined ? code : `${code} (${detail})` };
}
