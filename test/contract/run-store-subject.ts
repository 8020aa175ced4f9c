// The store beside the ports that put things in and that tell what became of them.
import type { Inbox } from "../../src/core/ports/inbox.ts";
import type { RunStore } from "../../src/core/ports/run-store.ts";
import type { Transcripts } from "../../src/core/ports/transcripts.ts";
import type { SessionId } from "../../src/core/thread.ts";
import { answer, asRun, asSettle, message, newSession, round, type OpenedRun } from "./store-samples.ts";

export interface RunStoreSubject {
  readonly store: RunStore;
  readonly inbox: Inbox;
  readonly transcripts: Transcripts;
  /** How many entries `open` gives at most. */
  readonly tailLimit: number;
}

/** A session with these messages, and the run that was opened for them. */
export async function running(
  { inbox, store }: RunStoreSubject,
  ...texts: readonly string[]
): Promise<OpenedRun & { readonly session: SessionId }> {
  const session = newSession();
  for (const text of texts) await inbox.put(message(session, text));
  return { ...asRun(await store.open(session, "worker-1")), session };
}

/** The run answers with one round, ends, and its reply settles. */
export async function finish({ store }: RunStoreSubject, run: OpenedRun, text = "done"): Promise<void> {
  const number = run.run.rounds + 1;
  await store.end(run.fence, { reason: "stop", round: round(number, answer(text)), modelCalls: [] });
  await store.settled(run.fence);
}

/** The run ends in an error, and its reply settles. */
export async function fail({ store }: RunStoreSubject, run: OpenedRun): Promise<void> {
  await store.end(run.fence, {
    reason: "error",
    error: { code: "model_unavailable", message: "503" },
    note: "the previous turn ended: error",
    modelCalls: [],
  });
  await store.settled(asSettle(await store.open(run.fence.session, "worker-1")).fence);
}

export async function fates(
  { transcripts }: Pick<RunStoreSubject, "transcripts">,
  session: SessionId,
): Promise<readonly string[]> {
  return (await transcripts.inbounds(session)).map((view) => view.fate ?? view.state);
}
