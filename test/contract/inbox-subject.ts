// What the cases of the inbox are told of, and what they look at.
import type { Inbox } from "../../src/core/ports/inbox.ts";
import type { RunStore } from "../../src/core/ports/run-store.ts";
import type { InboundView, Transcripts } from "../../src/core/ports/transcripts.ts";
import type { SessionId } from "../../src/core/thread.ts";

export interface InboxSubject {
  readonly inbox: Inbox;
  readonly store: RunStore;
  readonly transcripts: Transcripts;
}

export async function fates(subject: InboxSubject, session: SessionId): Promise<readonly string[]> {
  return (await subject.transcripts.inbounds(session)).map((view) => view.fate ?? view.state);
}

export async function only(subject: InboxSubject, session: SessionId): Promise<InboundView> {
  const [view, ...more] = await subject.transcripts.inbounds(session);
  if (view === undefined || more.length > 0) throw new Error("expected one inbound");
  return view;
}
