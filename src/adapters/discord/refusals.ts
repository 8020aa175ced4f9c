/** What a failed write to Discord means for the reply: each error code is a decision. Pure. */

import { RESTJSONErrorCodes as Codes } from "discord-api-types/v10";
import { notSearched, type BobbinError } from "../../core/errors.ts";
import { BARRED, type Written } from "../../core/ports/surface.ts";
import type { DiscordFailure } from "./api-failure.ts";

/** Where nothing was sent at all. */
const UNREACHABLE_MS = 2_000;
/** Discord takes no reply to a forum's post before the author's own message is there. */
const TOO_EARLY_MS = 1_000;
/** Three edits in six seconds are taken of messages older than an hour. */
const OLD_EDIT_MS = 6_000;

/** Nobody can write here, or we may not: the reply ends, and nothing is tried again. */
const NO_THREAD: ReadonlySet<number> = new Set([
  Codes.UnknownChannel,
  Codes.UnknownGuild,
  Codes.MissingAccess,
  Codes.MissingPermissions,
  Codes.CannotExecuteActionOnThisChannelType,
  Codes.CannotSendMessagesToThisUser,
  Codes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds,
  Codes.ThreadLocked,
]);

export const isArchived = (failure: DiscordFailure): boolean =>
  isCode(failure, Codes.InvalidActionOnArchivedThread);

export const isUnknownChannel = (failure: DiscordFailure): boolean => isCode(failure, Codes.UnknownChannel);

export const isThreadThere = (failure: DiscordFailure): boolean =>
  isCode(failure, Codes.ThreadAlreadyCreatedForMessage);

export const isUnknownMessage = (failure: DiscordFailure): boolean => isCode(failure, Codes.UnknownMessage);

/** Whoever it is has left the server, or there is nobody of that id. */
export const isUnknownMember = (failure: DiscordFailure): boolean =>
  isCode(failure, Codes.UnknownMember, Codes.UnknownUser);

export const isForbidden = (failure: DiscordFailure): boolean =>
  isCode(failure, Codes.MissingAccess, Codes.MissingPermissions);

/** So many threads of the server are open that Discord opens no other one: that passes. */
export const isFull = (failure: DiscordFailure): boolean => isCode(failure, Codes.MaximumActiveThreads);

/** Only whoever may manage threads can write there: the thread is closed, as people see it. */
export const isLocked = (failure: DiscordFailure): boolean => isCode(failure, Codes.ThreadLocked);

/** Why a look for a post found out nothing. */
export function unsearched({ kind }: DiscordFailure): BobbinError {
  return notSearched(kind, kind === "token_refused");
}

export function decisionOn(failure: DiscordFailure): Exclude<Written, { readonly kind: "ok" }> {
  switch (failure.kind) {
    case "rate_limited":
      return { kind: "later", afterMs: failure.afterMs };
    case "unreachable":
      return { kind: "later", afterMs: UNREACHABLE_MS };
    case "unknown":
      return { kind: "unknown", why: failure.why };
    case "http":
      return { kind: "unknown", why: `HTTP ${failure.status}` };
    case "token_refused":
      return BARRED;
    case "refused":
      return onCode(failure);
    default:
      return failure satisfies never;
  }
}

function onCode(
  failure: DiscordFailure & { readonly kind: "refused" },
): Exclude<Written, { readonly kind: "ok" }> {
  const { code, status, detail } = failure;
  if (code === Codes.UnknownMessage) return { kind: "gone", what: "message" };
  if (NO_THREAD.has(code)) return { kind: "gone", what: "thread" };
  if (code === Codes.CannotSendAMessageInAForumChannel) return { kind: "later", afterMs: TOO_EARLY_MS };
  if (code === Codes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached)
    return { kind: "later", afterMs: OLD_EDIT_MS };
  if (code === Codes.InvalidFormBodyOrContentType && /max_length|in length/i.test(detail))
    return { kind: "too_long" };
  return { kind: "refused", why: `${code === 0 ? `HTTP ${status}` : code} ${detail}` };
}

function isCode(failure: DiscordFailure, ...codes: readonly number[]): boolean {
  return failure.kind === "refused" && codes.includes(failure.code);
}
