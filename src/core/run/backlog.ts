/**
 * What was said in a thread before the bot was called into it: read once, before the first turn of a session, and noted for
 * the model as quotations. Without it the run goes on all the same.
 */

import { quoted, quotedLine } from "../context/quoted.ts";
import { inboundIdOf } from "../inbound.ts";
import type { Clock } from "../ports/clock.ts";
import type { Conversation, Said } from "../ports/conversation.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Log } from "../ports/log.ts";
import type { RunStore } from "../ports/run-store.ts";
import { threadOf, type SessionId } from "../thread.ts";

/** Rejects only when the store cannot be reached. */
export type Backlog = (session: SessionId, signal: AbortSignal) => Promise<void>;

export interface BacklogDeps {
  readonly store: Pick<RunStore, "beginning">;
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined for a session on a platform whose threads begin with the bot. */
  conversationOf(session: SessionId): Conversation | undefined;
}

export interface BacklogOptions {
  /** Messages that are noted at most: the newest ones, and the root. Default 100. */
  readonly limit?: number;
  /** UTF-16 units of the note at most. Default 24,000. */
  readonly units?: number;
  /** How long the first turn may wait for it, ms. Default 5,000. */
  readonly waitMs?: number;
}

export function createBacklog(deps: BacklogDeps, options: BacklogOptions = {}): Backlog {
  const { limit = 100, units = 24_000, waitMs = 5_000 } = options;

  async function read(
    session: SessionId,
    conversation: Conversation,
    beforeId: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const late = new AbortController();
    const cancel = deps.clock.after(waitMs, () => late.abort(new Error(`no answer within ${waitMs} ms`)));
    try {
      const { messages, isPartial } = await conversation.read(
        session,
        { where: "thread", limit, beforeId },
        AbortSignal.any([signal, late.signal]),
      );
      return messages.length === 0 ? undefined : noteOf(messages, isPartial, units);
    } catch (error) {
      deps.log.warn("what was said before could not be read; the run goes on without it", { session, error });
      return undefined;
    } finally {
      cancel();
    }
  }

  return async (session, signal) => {
    const conversation = deps.conversationOf(session);
    if (conversation === undefined || signal.aborted) return;
    const beginning = await deps.store.beginning(session);
    const thread = threadOf(session);
    // Whoever begins a thread with the bot has said nothing before.
    if (beginning === undefined || beginning.message === thread.root) return;
    const text = await read(session, conversation, beginning.message, signal);
    if (text === undefined) return;
    await deps.inbox.put({
      v: 1,
      kind: "note",
      id: inboundIdOf(thread, "backlog", "note", `${thread.root ?? thread.channel}:1`),
      session,
      author: { id: "bobbin", name: "Bobbin" },
      at: beginning.at,
      addressed: false,
      text,
    });
  };
}

/** The root and the newest messages that fit; what is left out is said. */
function noteOf(messages: readonly Said[], isPartial: boolean, units: number): string {
  const [root, ...later] = messages;
  let room = units - (root === undefined ? 0 : quotedLine(root).length);
  let first = later.length;
  while (first > 0) {
    const message = later[first - 1];
    if (message === undefined) break;
    room -= quotedLine(message).length;
    if (room < 0) break;
    first--;
  }
  const kept = root === undefined ? later : [root, ...later.slice(first)];
  const gap = isPartial || first > 0 ? " Other messages of the thread are left out." : "";
  return `You were called into a thread. This was said in it before, oldest first.${gap} ${quoted(kept)}`;
}
