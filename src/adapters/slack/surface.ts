/** A thread of Slack as a place to post. Every write is one request; what is to be done after it failed is the answer. */

import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Budget, Pacer, Urgency } from "../../core/ports/pacer.ts";
import type { MayBegin, PageContent, Surface, Voice, Written } from "../../core/ports/surface.ts";
import { createTurns } from "../../core/reply/turns.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { SlackAnswer, SlackApi, SlackData } from "./api.ts";
import { methodBudget, postBudget } from "./budgets.ts";
import { createFindPost, metadataOf } from "./find-post.ts";
import {
  FOOTER_SIZE,
  formatPage,
  hasKind,
  measure,
  NEWER_KINDS,
  PAGE_SIZE,
  withoutKinds,
  type NewerKind,
  type SlackMessage,
} from "./format.ts";
import type { LetBe } from "./let-be.ts";
import { textOf } from "./payload.ts";
import { decisionOn, hasBadBlocks, hasUnknownBlocks, isFrozen } from "./refusals.ts";
import type { SlackStatus } from "./status.ts";
import { removeStray, saysThread } from "./stray.ts";

export interface SlackSurfaceDeps {
  readonly api: SlackApi;
  /** Shared by all threads of the install. */
  readonly status: SlackStatus;
  /** What this install's Slack was found not to have; shared by all its threads. */
  readonly look: SlackLook;
  /** Shared by all processes. */
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whether each kind of blocks is known there. */
export type SlackLook = Readonly<Record<NewerKind, LetBe>>;

export interface SlackSurfaceOptions {
  /** Who writes. Default the reply. */
  readonly voice?: Voice;
  /** Whether a person with this id may be mentioned in replies. Default: nobody. */
  mayMention?(user: string): boolean;
  /** Least time between two progress writes of a short page, ms. Default 1,500. */
  readonly editEveryMs?: number;
}

/** How far the clocks of this machine and of Slack may be apart, ms. */
export const CLOCKS_APART_MS = 10 * 60_000;
/** Nobody is pinged by a model, and no link becomes a card. */
export const SILENT = { unfurl_links: false, unfurl_media: false, link_names: false, parse: "none" } as const;

type Sendable = Extract<SlackMessage, { readonly kind: "message" }>;

export function createSlackSurface(
  deps: SlackSurfaceDeps,
  session: SessionId,
  options: SlackSurfaceOptions = {},
): Surface {
  const { api, status, pacer, clock } = deps;
  const { editEveryMs = 1_500, voice = "reply" } = options;
  const { space, channel, root } = threadOf(session);
  if (root === undefined) throw new RangeError(`not a thread of Slack: ${session}`);
  if (!(editEveryMs >= 1_000)) throw new RangeError("editEveryMs has to be 1000 or more");
  const log = deps.log.with({ session });
  const mayMention = (user: string): boolean => options.mayMention?.(user) ?? false;
  const turns = createTurns(pacer, session, voice);
  const budgets = {
    post: postBudget(space, channel),
    edit: methodBudget(space, "chat.update"),
    remove: methodBudget(space, "chat.delete"),
  };
  const posts = createFindPost(api, { channel, root });
  /** Kinds of blocks that Slack did not take of this answer, or takes of none. */
  const lacks = new Set<NewerKind>();
  /** Keys of posts whose answer never came, with the wall-clock time of their first try. */
  const begun = new Map<string, number>();

  /** Makes the call when it has its turn; what Slack refuses for its haste is known to all. */
  async function inTurn(
    budget: Budget,
    urgency: Urgency,
    call: () => Promise<SlackAnswer>,
  ): Promise<SlackAnswer | Extract<Written, { readonly kind: "later" }>> {
    const waitMs = await turns.take(budget, urgency);
    if (waitMs > 0) return { kind: "later", afterMs: waitMs, isTurn: true };
    const answer = await call();
    if (answer.kind === "rate_limited") await pacer.hold(budget, answer.afterMs);
    return answer;
  }

  /** Sends with blocks, and once as plain text where Slack does not like them. */
  async function send(
    method: string,
    args: SlackData,
    message: Sendable,
    mayBegin?: MayBegin,
  ): Promise<SlackAnswer> {
    const { text, plain } = message;
    for (const kind of NEWER_KINDS) if (deps.look[kind].isOn) lacks.add(kind);
    const wished = withoutKinds(message.blocks, lacks);
    let answer = await api.call(method, { ...args, text, blocks: wished }, mayBegin);
    const isForGood = hasUnknownBlocks(answer);
    if (answer.kind === "ok")
      for (const kind of NEWER_KINDS) if (hasKind(wished, kind)) deps.look[kind].taken();
    for (const kinds of suspectsIn(wished)) {
      if (!hasBadBlocks(answer)) return answer;
      log.debug("Slack may not know all kinds of blocks here; others are tried", { ...answer, kinds });
      const blocks = withoutKinds(wished, new Set(kinds));
      answer = await api.call(method, { ...args, text, blocks }, mayBegin);
      // Only then they were at fault, and not the rest of the page.
      if (answer.kind !== "ok") continue;
      for (const kind of kinds) {
        lacks.add(kind);
        deps.look[kind].refused(session, isForGood);
      }
    }
    if (!hasBadBlocks(answer)) return answer;
    log.warn("Slack refused the blocks of a page; it is sent as text", { ...answer });
    return api.call(method, { ...args, text: plain }, mayBegin);
  }

  async function post(
    key: string,
    page: PageContent,
    mayBegin?: MayBegin,
    urgency: Urgency = "final",
  ): Promise<Written> {
    const message = formatPage(page, { mayMention, key });
    if (message.kind !== "message") return unsendable(message.kind);
    const args = {
      channel,
      thread_ts: root,
      ...SILENT,
      metadata: metadataOf(key),
    };
    const answer = await inTurn(budgets.post, urgency, () => {
      if (!begun.has(key)) begun.set(key, clock.now());
      return send("chat.postMessage", args, message, mayBegin);
    });
    if (answer.kind === "later") return answer;
    if (answer.kind !== "ok") {
      const decision = decisionOn(answer);
      if (decision.kind === "gone") log.warn("nothing can be posted in this thread", { ...answer });
      return decision;
    }
    const ts = textOf(answer.data["ts"]);
    if (ts === undefined) return { kind: "unknown", why: "the answer names no message" };
    begun.delete(key);
    if (saysThread(answer.data)) return { kind: "ok", message: ts };
    log.info("the thread's root is gone: the post is taken back", { message: ts });
    return removeStray(clock, () => remove(ts));
  }

  async function edit(
    ts: string,
    page: PageContent,
    mayBegin?: MayBegin,
    urgency: Urgency = "final",
  ): Promise<Written> {
    const message = formatPage(page, { mayMention });
    if (message.kind !== "message") return unsendable(message.kind);
    const args = { channel, ts, link_names: false, parse: "none" };
    const answer = await inTurn(budgets.edit, urgency, () => send("chat.update", args, message, mayBegin));
    if (answer.kind === "later") return answer;
    if (answer.kind === "ok") return { kind: "ok", message: ts };
    if (!isFrozen(answer)) return decisionOn(answer);
    log.info("a page can not be edited any more: another takes its place", { ...answer });
    await remove(ts);
    return { kind: "gone", what: "frozen" };
  }

  async function remove(ts: string, mayBegin?: MayBegin, urgency: Urgency = "final"): Promise<Written> {
    const answer = await inTurn(budgets.remove, urgency, () =>
      api.call("chat.delete", { channel, ts }, mayBegin),
    );
    if (answer.kind === "later") return answer;
    return answer.kind === "ok" ? { kind: "ok", message: ts } : decisionOn(answer);
  }

  return {
    limits: { pageSize: PAGE_SIZE, footerSize: FOOTER_SIZE, measure, editEveryMs },
    post,
    edit,
    remove,
    async find(key, known) {
      const since = begun.get(key) ?? known?.since;
      const found = await posts.find(key, since === undefined ? undefined : since - CLOCKS_APART_MS);
      if (found.kind === "stray") await removeStray(clock, () => remove(found.ts));
      return found.kind === "found" ? found.ts : undefined;
    },
    leave: () => turns.leave(),
    show: (presence, title) => status.show(session, presence, title),
    rename: async (title) => (await status.rename(session, title), true),
  };
}

/** What may be at fault where Slack refuses the blocks: each kind by itself, then all together. */
function suspectsIn(blocks: Sendable["blocks"]): readonly (readonly NewerKind[])[] {
  const kinds = NEWER_KINDS.filter((kind) => hasKind(blocks, kind));
  return kinds.length > 1 ? [...kinds.map((kind) => [kind]), kinds] : kinds.map((kind) => [kind]);
}

function unsendable(kind: "too_long" | "blank"): Written {
  return kind === "too_long" ? { kind } : { kind: "refused", why: "the page shows nothing" };
}
