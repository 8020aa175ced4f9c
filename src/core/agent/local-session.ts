/** A session that needs nothing around it: History in memory, a lock within this process. */

import { createLocalLocker } from "./local-locker.ts";
import type { LoopDeps } from "./loop-types.ts";
import { createMemoryHistory } from "./memory-history.ts";
import type { SessionOptions } from "./session-options.ts";
import { createSession, type Session, type SessionDeps } from "./session.ts";

export type LocalSessionDeps = LoopDeps & Partial<Pick<SessionDeps, "history" | "locker">>;

/** What is left out of `deps` and `id` is filled in; sessions that shall share a conversation share history, locker and id. */
export function createLocalSession(
  deps: LocalSessionDeps,
  options: Omit<SessionOptions, "id"> & Partial<Pick<SessionOptions, "id">>,
): Session {
  return createSession(
    { ...deps, history: deps.history ?? createMemoryHistory(), locker: deps.locker ?? createLocalLocker() },
    { ...options, id: options.id ?? deps.newId() },
  );
}
