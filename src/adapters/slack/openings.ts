/** A new thread in a channel of Slack's: a message at the top, which is its root. It is found again by the key that it carries. */

import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Opened, Openings } from "../../core/ports/openings.ts";
import type { Budget, Pacer } from "../../core/ports/pacer.ts";
import type { MayBegin } from "../../core/ports/surface.ts";
import { threadOf } from "../../core/thread.ts";
import type { SlackAnswer, SlackApi, SlackData } from "./api.ts";
import { postBudget } from "./budgets.ts";
import { findRoot, metadataOf } from "./find-post.ts";
import { formatPage } from "./format.ts";
import { sessionAt, threadUrl, type SlackBot } from "./identity.ts";
import { textOf } from "./payload.ts";
import { decisionOn, hasBadBlocks } from "./refusals.ts";
import { CLOCKS_APART_MS, SILENT } from "./surface.ts";

export interface SlackOpeningsDeps {
  /** The way to call Slack in that space, and who the bot is there, if it is there. */
  apiOf(space: string): SlackApi;
  botIn(space: string): Promise<SlackBot | undefined>;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly log: Log;
}

const AGAIN_MS = 1_000;
const NO_ENTRY = "I may not write at the top of this channel.";

export function createSlackOpenings({ apiOf, botIn, pacer, log }: SlackOpeningsDeps): Openings {
  async function post(
    api: SlackApi,
    channel: string,
    args: SlackData,
    texts: { readonly text: string; readonly plain: string; readonly blocks: unknown },
    mayBegin: MayBegin,
  ): Promise<SlackAnswer> {
    const { text, plain, blocks } = texts;
    const common = { channel, ...SILENT, ...args };
    const answer = await api.call("chat.postMessage", { ...common, text, blocks }, mayBegin);
    if (!hasBadBlocks(answer)) return answer;
    return api.call("chat.postMessage", { ...common, text: plain }, mayBegin);
  }

  const leave = (budget: Budget, key: string): void => void pacer.leave(budget, key).catch(() => undefined);

  return {
    refusal: () => undefined,
    async open(beside, { key, page, sinceMs, isAgain }, mayBegin): Promise<Opened> {
      const { channel, space } = threadOf(beside);
      const api = apiOf(space);
      const budget = postBudget(space, channel);
      const at = (ts: string | undefined): Opened => {
        const session = sessionAt(space, channel, ts);
        return session === undefined ? { kind: "later", afterMs: AGAIN_MS } : { kind: "opened", session };
      };
      if (isAgain) {
        const found = await findRoot(api, channel, key, sinceMs - CLOCKS_APART_MS);
        // Whoever asked before may have been told to wait, and nothing is to be posted now.
        if (found.kind !== "nowhere") leave(budget, key);
        if (found.kind === "found") return at(found.ts);
        // Not to know is no reason to post once more.
        if (found.kind === "unknown") return { kind: "later", afterMs: found.afterMs };
      }
      const message = formatPage(page, { key });
      if (message.kind !== "message") return { kind: "never", why: "Its first message cannot be shown." };
      const waitMs = await pacer.take(budget, { who: key, urgency: "reply" });
      if (waitMs > 0) return { kind: "later", afterMs: waitMs, isTurn: true };
      const answer = await post(api, channel, { metadata: metadataOf(key) }, message, mayBegin);
      if (answer.kind === "ok") return at(textOf(answer.data["ts"]));
      if (answer.kind === "rate_limited") await pacer.hold(budget, answer.afterMs);
      const decision = decisionOn(answer);
      if (decision.kind === "later") return decision;
      if (decision.kind === "unknown") return { kind: "later", afterMs: AGAIN_MS };
      log.warn("a thread could not be opened", { channel, ...answer });
      return { kind: "never", why: NO_ENTRY };
    },
    leave(beside, key) {
      const { channel, space } = threadOf(beside);
      leave(postBudget(space, channel), key);
    },
    async addressOf(session) {
      const bot = await botIn(threadOf(session).space);
      return bot && threadUrl(bot, session);
    },
  };
}
