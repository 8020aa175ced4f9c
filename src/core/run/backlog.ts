/**
 * What was said in a thread where the bot was not there yet, read once, before the first turn of a session. What stands before
 * the message that called it is noted for the model as quotations. What stands behind it was for the bot, and was not stored
 * where it came first, as no session lay there: the platform had to send the call again, or it was still being asked who had
 * called. Below a call that begins its thread nobody is as quick as the latter; in a thread in which people talk somebody is.
 * Without either the run goes on all the same.
 */

import { admissionOf, type Access } from "../access/access.ts";
import { quoted, quotedLine } from "../context/quoted.ts";
import { inboundIdOf } from "../inbound.ts";
import type { Clock } from "../ports/clock.ts";
import type { Conversation, OpenConversation, Said } from "../ports/conversation.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Log } from "../ports/log.ts";
import type { Beginning, RunStore } from "../ports/run-store.ts";
import { threadOf, type SessionId } from "../thread.ts";

/**
 * Reads for the first turn what is to be read. Whoever aborts the signal is not to begin that turn: nothing is taken for read then,
 * and the next call reads it. Rejects only when the store cannot be reached.
 */
export type Backlog = (session: SessionId, signal: AbortSignal) => Promise<void>;

export interface BacklogDeps {
  readonly store: Pick<RunStore, "beginning">;
  readonly inbox: Inbox;
  readonly access: Access;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined for a session on a platform whose threads begin with the bot. */
  conversationOf(session: SessionId): OpenConversation | undefined;
}

export interface BacklogOptions {
  /** Messages that are noted, or taken in, at most: the newest ones, and the root. Default 100. */
  readonly limit?: number;
  /** UTF-16 units of the note at most. Default 24,000. */
  readonly units?: number;
  /** How long the first turn may wait for it, ms. Default 5,000. */
  readonly waitMs?: number;
  /** How long after its time a call that begins its thread has to come so that something may have been missed, ms. Default 2,000. */
  readonly lateMs?: number;
}

export function createBacklog(deps: BacklogDeps, options: BacklogOptions = {}): Backlog {
  const { limit = 100, units = 24_000, waitMs = 5_000, lateMs = 2_000 } = options;

  /** Undefined when it cannot be read, or not in time. */
  async function inTime<T>(
    session: SessionId,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const late = new AbortController();
    const cancel = deps.clock.after(waitMs, () => late.abort(new Error(`no answer within ${waitMs} ms`)));
    try {
      return await work(AbortSignal.any([signal, late.signal]));
    } catch (error) {
      if (!signal.aborted)
        deps.log.warn("what was said in a thread could not be read; the run goes on without it", {
          session,
          error,
        });
      return undefined;
    } finally {
      cancel();
    }
  }

  async function saidBefore(
    session: SessionId,
    conversation: Conversation,
    beforeId: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const reading = await inTime(session, signal, (limited) =>
      conversation.read(session, { where: "thread", limit, beforeId }, limited),
    );
    if (reading === undefined || reading.messages.length === 0) return undefined;
    return noteOf(reading.messages, reading.isPartial, units);
  }

  /** Each has the identity that it would have come in with, so what was stored all the same is stored once. */
  async function takeMissed(
    session: SessionId,
    conversation: OpenConversation,
    beginning: Beginning,
    signal: AbortSignal,
  ): Promise<void> {
    const missed = await inTime(session, signal, (limited) =>
      conversation.after(session, beginning, limit, limited),
    );
    for (const inbound of missed ?? []) {
      const admission = admissionOf(deps.access.decide(inbound), inbound);
      if (admission !== undefined) await deps.inbox.put(inbound, admission);
    }
  }

  return async (session, signal) => {
    const conversation = deps.conversationOf(session);
    if (conversation === undefined || signal.aborted) return;
    const beginning = await deps.store.beginning(session);
    const thread = threadOf(session);
    if (beginning === undefined) return;
    const isLate = beginning.receivedAt - beginning.at > lateMs;
    // Before the note, since with the note the session has begun.
    if (isLate) await takeMissed(session, conversation, beginning, signal);
    // Whoever begins a thread with the bot has said nothing before.
    if (beginning.message === thread.root) return;
    const [text] = await Promise.all([
      // First, for where Slack lets an app read once a minute.
      saidBefore(session, conversation, beginning.message, signal),
      isLate ? undefined : takeMissed(session, conversation, beginning, signal),
    ]);
    // With the note the session has begun: it says that all was read.
    if (text === undefined || signal.aborted) return;
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
