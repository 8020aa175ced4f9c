import { BobbinError } from "../../../src/core/errors.ts";
import { labelOf } from "../../../src/core/label.ts";
import type { WebMessage, WebMessages, WebThread } from "../../../src/core/ports/web-messages.ts";
import type { SessionId } from "../../../src/core/thread.ts";

export interface MemoryWebMessages extends WebMessages {
  /** While true, every call rejects as a store does that cannot be reached. */
  isAway: boolean;
}

type Change = Pick<WebMessage, "page"> | Pick<WebMessage, "deleted">;

/** The rows of the web chat in memory, with the same promises as the tables. */
export function memoryWebMessages(): MemoryWebMessages {
  const rows = new Map<SessionId, WebMessage[]>();
  const revisions = new Map<SessionId, number>();
  let written = 0;

  const raise = (session: SessionId): number => {
    const revision = (revisions.get(session) ?? 0) + 1;
    revisions.set(session, revision);
    return revision;
  };
  const change = (session: SessionId, id: string, what: Change): WebMessage | undefined => {
    const all = rows.get(session) ?? [];
    const at = all.findIndex((row) => row.id === id && !row.deleted);
    const before = all[at];
    if (before === undefined) return undefined;
    const after = { ...before, ...structuredClone(what), revision: raise(session) };
    all[at] = after;
    return structuredClone(after);
  };
  const store = {
    isAway: false,
    async insert(message: Parameters<WebMessages["insert"]>[0]) {
      check();
      const all = rows.get(message.session) ?? [];
      rows.set(message.session, all);
      const known = all.find((row) => row.id === message.id);
      if (known !== undefined) return structuredClone(known);
      written += 1;
      const at = Date.UTC(2026, 0, 1) + written * 1_000;
      const row = { ...structuredClone(message), revision: raise(message.session), deleted: false, at };
      all.push(row);
      return structuredClone(row);
    },
    async update(session: SessionId, id: string, page: WebMessage["page"]) {
      check();
      return change(session, id, { page });
    },
    async remove(session: SessionId, id: string) {
      check();
      return change(session, id, { deleted: true });
    },
    async get(session: SessionId, id: string) {
      check();
      return structuredClone(rows.get(session)?.find((row) => row.id === id));
    },
    async list(session: SessionId, sinceRevision = 0) {
      check();
      return structuredClone((rows.get(session) ?? []).filter((row) => row.revision > sinceRevision));
    },
    async threads(limit: number): Promise<readonly WebThread[]> {
      check();
      return [...rows]
        .map(([session, all]) => ({
          session,
          label: labelOf({ firstText: all.find((row) => row.from === "person")?.page.markdown }),
          at: all.findLast((row) => row.from === "person")?.at ?? all[0]?.at ?? 0,
        }))
        .toSorted((a, b) => b.at - a.at)
        .slice(0, limit);
    },
  };
  const check = (): void => {
    if (store.isAway) throw new BobbinError("store_unavailable", "connection refused", { retryable: true });
  };
  return store;
}
