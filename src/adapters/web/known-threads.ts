/** Which threads this chat has: those whose first message it stored. A thread that is known stays so, since no row is ever taken away. */

import type { WebMessages } from "../../core/ports/web-messages.ts";
import type { SessionId } from "../../core/thread.ts";
import { toWebSession } from "./parse.ts";

export interface KnownThreads {
  /** The session behind an address from outside; undefined when it is none, not ours, or nobody has written to it. */
  find(text: string): Promise<SessionId | undefined>;
  /** Somebody has written to it, as far as this process knows. */
  add(session: SessionId): void;
}

/** So many are remembered, which spares a message in a thread that is in use one look at the rows. */
const REMEMBERED = 1_000;

export function createKnownThreads(messages: Pick<WebMessages, "get">): KnownThreads {
  const known = new Set<SessionId>();
  const add = (session: SessionId): void => {
    if (known.size >= REMEMBERED) known.clear();
    known.add(session);
  };
  return {
    add,
    async find(text) {
      const thread = toWebSession(text);
      if (thread === undefined) return undefined;
      const { session, root } = thread;
      if (known.has(session)) return session;
      if ((await messages.get(session, root)) === undefined) return undefined;
      add(session);
      return session;
    },
  };
}
