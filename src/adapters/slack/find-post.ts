/** The look-up of a post whose answer was lost: by the key that it carries, in the replies of its thread or at the top of its channel. */

import type { SlackApi, SlackData } from "./api.ts";
import { fieldsOf, listOf, textOf } from "./payload.ts";
import { unsearched } from "./refusals.ts";

/** Names the metadata of our posts. */
const EVENT_TYPE = "bobbin_page";
const PAGE_LIMIT = 200;
/** The answers after which asking again will not help, and a post that is doubled is the lesser evil. */
const HOPELESS: ReadonlySet<string> = new Set([
  "channel_not_found",
  "missing_scope",
  "not_in_channel",
  "thread_not_found",
]);

export function metadataOf(key: string): SlackData {
  return { event_type: EVENT_TYPE, event_payload: { key } };
}

export type FoundPost =
  | { readonly kind: "found"; readonly ts: string }
  /** In the channel itself, where it fell because the thread's root was deleted. */
  | { readonly kind: "stray"; readonly ts: string }
  | { readonly kind: "nowhere" };

export interface FindPost {
  /**
   * The message that carries the key. `sinceMs`: wall-clock time before which it was not posted, where that is known.
   * Rejects when Slack does not say; the next call goes on where this one stopped.
   */
  find(key: string, sinceMs?: number): Promise<FoundPost>;
  /** Whether this message stands in the channel itself and in no thread. Rejects when Slack does not say. */
  isStray(ts: string): Promise<boolean>;
  /** The id of the file of that name that is shared in the thread, if any; as `find` otherwise. */
  findFile(name: string, sinceMs?: number): Promise<string | undefined>;
}

export function createFindPost(
  api: SlackApi,
  thread: { readonly channel: string; readonly root: string },
): FindPost {
  /** How far the search for a key had come: in a restricted workspace one page a minute is all there is. */
  let reached: { readonly key: string; readonly cursor: string } | undefined;

  async function ask(method: string, args: SlackData): Promise<SlackData | undefined> {
    const common = { channel: thread.channel, limit: PAGE_LIMIT, include_all_metadata: true };
    const answer = await api.call(method, { ...common, ...args });
    if (answer.kind === "ok") return answer.data;
    if (answer.kind === "refused" && HOPELESS.has(answer.code)) return undefined;
    // A cursor is good for some time only.
    if (answer.kind === "refused") reached = undefined;
    throw unsearched(answer);
  }

  /** A post of the last minutes stands on the newest page. */
  async function findStray(key: string, since: SlackData): Promise<FoundPost> {
    const data = await ask("conversations.history", since);
    const ts = tsOf(messagesIn(data).find((message) => carries(message, key)));
    return ts === undefined ? { kind: "nowhere" } : { kind: "stray", ts };
  }

  /** Page by page until something is found: `undefined` after the last one, with what stands on it. */
  async function search<T>(
    key: string,
    since: SlackData,
    look: (messages: readonly SlackData[]) => T | undefined,
  ): Promise<{ readonly found: T | undefined; readonly messages: readonly SlackData[] }> {
    let cursor = reached?.key === key ? reached.cursor : "";
    for (;;) {
      reached = { key, cursor };
      const next = cursor === "" ? {} : { cursor };
      const data = await ask("conversations.replies", { ts: thread.root, ...since, ...next });
      const messages = messagesIn(data);
      const found = look(messages);
      cursor = textOf(fieldsOf(data?.["response_metadata"])["next_cursor"]) ?? "";
      if (found === undefined && cursor !== "") continue;
      reached = undefined;
      return { found, messages };
    }
  }

  return {
    async find(key, sinceMs) {
      const since = sinceOf(sinceMs);
      const { found: ts, messages } = await search(key, since, (all) =>
        tsOf(all.find((message) => carries(message, key))),
      );
      if (ts !== undefined) return { kind: "found", ts };
      const root = messages.find((message) => tsOf(message) === thread.root);
      const isThere = root !== undefined && root["subtype"] !== "tombstone";
      return isThere ? { kind: "nowhere" } : findStray(key, since);
    },
    async isStray(ts) {
      const data = await ask("conversations.history", { oldest: ts, latest: ts, inclusive: true, limit: 1 });
      // A reply that was sent to the channel as well stands there too, and says of which thread it is.
      return messagesIn(data).some(
        (message) => tsOf(message) === ts && (textOf(message["thread_ts"]) ?? ts) === ts,
      );
    },
    async findFile(name, sinceMs) {
      const { found } = await search(`file ${name}`, sinceOf(sinceMs), (messages) => {
        const shared = messages.flatMap((message) => listOf(message["files"]).map(fieldsOf));
        return textOf(shared.find((one) => one["name"] === name)?.["id"]);
      });
      return found;
    },
  };
}

function sinceOf(ms: number | undefined): SlackData {
  return ms === undefined ? {} : { oldest: (Math.max(0, ms) / 1_000).toFixed(6) };
}

export type FoundRoot =
  | { readonly kind: "found"; readonly ts: string }
  | { readonly kind: "nowhere" }
  | { readonly kind: "unknown"; readonly afterMs: number };

/** The message at the top of the channel that carries the key, of those that are newer than this, ms since 1970. */
export async function findRoot(
  api: SlackApi,
  channel: string,
  key: string,
  sinceMs: number,
): Promise<FoundRoot> {
  for (let cursor = ""; ;) {
    const next = cursor === "" ? {} : { cursor };
    const args = { channel, limit: PAGE_LIMIT, include_all_metadata: true, ...sinceOf(sinceMs), ...next };
    const answer = await api.call("conversations.history", args);
    if (answer.kind === "refused" && HOPELESS.has(answer.code)) return { kind: "nowhere" };
    if (answer.kind !== "ok")
      return { kind: "unknown", afterMs: answer.kind === "rate_limited" ? answer.afterMs : 1_000 };
    const ts = tsOf(messagesIn(answer.data).find((message) => carries(message, key)));
    if (ts !== undefined) return { kind: "found", ts };
    cursor = textOf(fieldsOf(answer.data["response_metadata"])["next_cursor"]) ?? "";
    if (cursor === "") return { kind: "nowhere" };
  }
}

function messagesIn(data: SlackData | undefined): readonly SlackData[] {
  return listOf(data?.["messages"]).map(fieldsOf);
}

function tsOf(message: SlackData | undefined): string | undefined {
  return textOf(message?.["ts"]);
}

/** The key stands in the metadata, and as the id of a block, for a workspace that does not show metadata to this app. */
function carries(message: SlackData, key: string): boolean {
  const metadata = fieldsOf(message["metadata"]);
  if (metadata["event_type"] === EVENT_TYPE && fieldsOf(metadata["event_payload"])["key"] === key)
    return true;
  return listOf(message["blocks"]).some((block) => fieldsOf(block)["block_id"] === key);
}
