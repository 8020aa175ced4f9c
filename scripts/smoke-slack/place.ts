/** The channel in which the smoke test writes: at Slack's pace, and with everything taken away again at the end. */

import { setTimeout as sleep } from "node:timers/promises";
import type { SlackAnswer, SlackApi, SlackData } from "../../src/adapters/slack/api.ts";
import { fieldsOf, listOf, textOf } from "../../src/adapters/slack/payload.ts";

export interface PlaceOptions {
  readonly channel: string;
  /** Between two posts, ms. */
  readonly paceMs: number;
}

export interface Place {
  readonly channel: string;
  /** Waits once where Slack says later. */
  call(method: string, args: SlackData): Promise<SlackAnswer>;
  /** As it is answered, also where Slack says later. */
  once(method: string, args: SlackData): Promise<SlackAnswer>;
  /** Without previews; remembered for the end. */
  post(args: SlackData): Promise<SlackAnswer>;
  /** For what was posted by another method. */
  remember(ts: string): void;
  remove(ts: string): Promise<SlackAnswer>;
  /** The messages of a thread, the root first; absent where Slack does not give them. */
  thread(root: string, args?: SlackData): Promise<readonly SlackData[] | undefined>;
  /** @returns how many messages could not be taken away. */
  clear(): Promise<number>;
}

const LONGEST_WAIT_MS = 90_000;
/** Taken away already, or never there. */
const GONE: ReadonlySet<string> = new Set(["message_not_found", "thread_not_found"]);

export function createPlace(api: SlackApi, { channel, paceMs }: PlaceOptions): Place {
  const posted: string[] = [];

  async function call(method: string, args: SlackData): Promise<SlackAnswer> {
    const answer = await api.call(method, args);
    if (answer.kind !== "rate_limited" || answer.afterMs > LONGEST_WAIT_MS) return answer;
    await sleep(answer.afterMs + 100);
    return api.call(method, args);
  }

  return {
    channel,
    call,
    once: (method, args) => api.call(method, args),
    async post(args) {
      await sleep(paceMs);
      const quiet = { unfurl_links: false, unfurl_media: false, link_names: false, parse: "none" };
      const answer = await call("chat.postMessage", { channel, ...quiet, ...args });
      const ts = tsOf(answer);
      if (ts !== undefined) posted.push(ts);
      return answer;
    },
    remember: (ts) => void posted.push(ts),
    remove: (ts) => call("chat.delete", { channel, ts }),
    async thread(root, args = {}) {
      const answer = await call("conversations.replies", { channel, ts: root, limit: 100, ...args });
      return answer.kind === "ok" ? listOf(answer.data["messages"]).map(fieldsOf) : undefined;
    },
    async clear() {
      let left = 0;
      // Replies before their roots, so that no empty root stays.
      for (const ts of posted.splice(0).toReversed()) {
        const answer = await call("chat.delete", { channel, ts });
        if (answer.kind !== "ok" && !(answer.kind === "refused" && GONE.has(answer.code))) left++;
      }
      return left;
    },
  };
}

export function tsOf(answer: SlackAnswer): string | undefined {
  return answer.kind === "ok" ? textOf(answer.data["ts"]) : undefined;
}

/** Whether Slack took it; undefined where it does not know the method or did not say. */
export function isTaken(answer: SlackAnswer): boolean | undefined {
  if (answer.kind === "ok") return true;
  return answer.kind === "refused" && answer.code !== "unknown_method" ? false : undefined;
}

/** In a few words, for the report. */
export function outcomeOf(answer: SlackAnswer): string {
  switch (answer.kind) {
    case "ok": {
      const warnings = [
        textOf(answer.data["warning"]),
        ...listOf(fieldsOf(answer.data["response_metadata"])["warnings"]).map(textOf),
      ].filter((word) => word !== undefined);
      return warnings.length === 0 ? "taken" : `taken, with a warning: ${[...new Set(warnings)].join(", ")}`;
    }
    case "refused":
      return answer.detail === undefined ? answer.code : `${answer.code} (${answer.detail})`;
    case "rate_limited":
      return `429 for ${Math.ceil(answer.afterMs / 1_000)} s`;
    case "http":
      return `status ${answer.status}`;
    case "unknown":
    case "unreachable":
      return `no answer (${answer.why})`;
    default:
      return answer satisfies never;
  }
}
