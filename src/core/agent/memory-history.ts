/** History in this process: for the library without a database, and for tests. Lost when the process ends. */

import type { Entry, EntryBody } from "../entry.ts";
import type { History } from "../ports/history.ts";
import { cleanJson } from "../text.ts";

/** @see History for the contract. Entries of all sessions stay until the object is dropped. */
export function createMemoryHistory(): History {
  const sessions = new Map<string, Entry[]>();
  return {
    async append(session, bodies) {
      const entries = sessions.get(session) ?? [];
      // Cloned before anything is stored: a body that cannot be cloned rejects the whole append.
      const added = bodies.map((body, index) => entryOf(entries.length + index + 1, body));
      entries.push(...added);
      sessions.set(session, entries);
      return structuredClone(added);
    },
    async read(session, options = {}) {
      const entries = sessions.get(session) ?? [];
      const { limit = Number.POSITIVE_INFINITY } = options;
      return structuredClone(entries.slice(Math.max(0, entries.length - limit)));
    },
  };
}

function entryOf(seq: number, body: EntryBody): Entry {
  return { seq, epoch: 1, body: cleanJson(structuredClone(body)) };
}
