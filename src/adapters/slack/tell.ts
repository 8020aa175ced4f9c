/** An answer that only one person sees: in the thread they asked in, or over the address that came with a click. */

import type { Log } from "../../core/ports/log.ts";
import type { SlackApi } from "./api.ts";
import { formatPage } from "./format.ts";
import type { AskedAt } from "./parse.ts";
import type { Payload } from "./payload.ts";

export interface Tell {
  /** Neither throws: an answer that cannot be given is logged, what was asked for is done all the same. */
  at(place: AskedAt, markdown: string, answerTo?: string): Promise<void>;
  /** In place of the picker that was used. */
  instead(answerTo: string, markdown: string): Promise<boolean>;
}

const LIMIT_MS = 10_000;

export function createTell(deps: { readonly api: SlackApi; readonly log: Log }): Tell {
  const { api, log } = deps;

  async function over(answerTo: string, body: Payload): Promise<boolean> {
    try {
      const response = await fetch(answerTo, {
        method: "POST",
        headers: { "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify(body),
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

  return {
    async at({ channel, user, thread }, markdown, answerTo) {
      const message = messageOf(markdown);
      const place = { channel, user, ...(thread === undefined ? {} : { thread_ts: thread }) };
      const answer = await api.call("chat.postEphemeral", { ...place, ...message });
      if (answer.kind === "ok") return;
      // Where the bot is no member it cannot post, but a click brought an address along.
      if (answer.kind === "refused" && answerTo !== undefined) {
        const threaded = thread === undefined ? {} : { thread_ts: thread };
        if (
          await over(answerTo, {
            response_type: "ephemeral",
            replace_original: false,
            ...threaded,
            ...message,
          })
        )
          return;
      }
      log.warn("an answer for one person could not be posted", {
        channel,
        why: answer.kind === "refused" ? answer.code : answer.kind,
      });
    },
    instead: (answerTo, markdown) =>
      over(answerTo, { response_type: "ephemeral", replace_original: true, ...messageOf(markdown) }),
  };
}

function messageOf(markdown: string): Payload {
  const page = formatPage({ markdown, buttons: [] });
  return page.kind === "message" ? { text: page.text, blocks: page.blocks } : { text: "Done." };
}
