/** An answer that only one person sees: in the thread they asked in, or over the address that came with a click. */

import type { Log } from "../../core/ports/log.ts";
import type { GoalThreadAsked } from "../../core/command/goal-thread.ts";
import type { SlackApi } from "./api.ts";
import { choiceMenu, type Choosing } from "./choices.ts";
import { formatPage } from "./format.ts";
import type { Payload } from "./payload.ts";
import type { AskedAt } from "./parse.ts";

/** Where the person asked. */
export interface AnswerPlace {
  readonly at: AskedAt;
  /** The address that came with a click. */
  readonly answerTo?: string;
  /** What was clicked asked for nothing else, and the answer takes its place. */
  readonly isReplaced?: boolean;
  /** The thread that is opened first: what came of that is the answer. */
  readonly goal?: GoalThreadAsked;
  /** Stands below the answer as a menu. */
  readonly choosing?: Choosing;
}

/**
 * `over`: told, or it never can be, or nobody knows whether it was; `later`: surely not told yet. Never throws: an answer that
 * cannot be given is logged, what was asked for is done all the same.
 */
export type Tell = (place: AnswerPlace, markdown: string) => Promise<"over" | "later">;

const LIMIT_MS = 10_000;

export function createTell(deps: { readonly api: SlackApi; readonly log: Log }): Tell {
  const { api, log } = deps;

  async function over(answerTo: string, body: Payload): Promise<boolean> {
    try {
      const response = await fetch(answerTo, {
        method: "POST",
        headers: { "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify({ response_type: "ephemeral", ...body }),
        redirect: "error",
        signal: AbortSignal.timeout(LIMIT_MS),
      });
      await response.body?.cancel();
      if (response.ok) return true;
      log.warn("an answer to a click was refused", { status: response.status });
    } catch (error) {
      log.warn("an answer to a click did not arrive", { error });
    }
    return false;
  }

  return async ({ at, answerTo, isReplaced, choosing }, markdown) => {
    const { channel, user, thread } = at;
    const message = messageOf(markdown, choosing);
    const threaded = thread === undefined ? {} : { thread_ts: thread };
    if (isReplaced && answerTo !== undefined) {
      if (await over(answerTo, { replace_original: true, ...message })) return "over";
    }
    const answer = await api.call("chat.postEphemeral", { channel, user, ...threaded, ...message });
    if (answer.kind === "ok") return "over";
    if (answer.kind === "rate_limited" || answer.kind === "unreachable") return "later";
    // Where the bot is no member it cannot post, but a click brought an address along.
    if (answer.kind === "refused" && answerTo !== undefined) {
      if (await over(answerTo, { replace_original: false, ...threaded, ...message })) return "over";
    }
    log.warn("an answer for one person could not be posted", {
      channel,
      why: answer.kind === "refused" ? answer.code : answer.kind,
    });
    return "over";
  };
}

function messageOf(markdown: string, choosing: Choosing | undefined): Payload {
  const page = formatPage({ markdown, buttons: [] });
  if (page.kind !== "message") return { text: "Done." };
  const menu = choosing === undefined ? [] : choiceMenu(choosing);
  return { text: page.text, blocks: [...page.blocks, ...menu] };
}
