// The ledger of the bot in memory: what stands in which row, and the rules that its statements share. Every statement is one
// synchronous step, as those of the database are atomic; `test/contract` holds both to the same.
import type { Gauge } from "../../../src/core/context/gauge.ts";
import type { Entry, EntryBody } from "../../../src/core/entry.ts";
import { BobbinError, type ErrorCode } from "../../../src/core/errors.ts";
import type { EndReason } from "../../../src/core/events.ts";
import type { InboundId, RunId } from "../../../src/core/ids.ts";
import type { Author, Fate, Inbound } from "../../../src/core/inbound.ts";
import type { Admission } from "../../../src/core/ports/inbox.ts";
import type { PageRow } from "../../../src/core/ports/pages.ts";
import type { Fence } from "../../../src/core/ports/run-store.ts";
import type { AttemptView } from "../../../src/core/ports/transcripts.ts";
import type { LaidOutAs } from "../../../src/core/reply/laid-out-as.ts";
import type { Frozen, ModelCallRecord } from "../../../src/core/round.ts";
import type { Outcome, RunCause, RunInfo } from "../../../src/core/run.ts";
import type { SessionSettings } from "../../../src/core/session-settings.ts";
import { cleanJson } from "../../../src/core/text.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { addUsage, type Usage } from "../../../src/core/usage.ts";

export interface SessionRow {
  readonly id: SessionId;
  fence: number;
  epoch: number;
  lastSeq: number;
  stopSeq: number;
  /** By the platform's clock. */
  stopAt?: number;
  frozen?: { readonly epoch: number; readonly fence: number; readonly frozen: Frozen };
  gauge?: Gauge;
  settings: SessionSettings;
  /** The fence when new prompt and tools were asked for. */
  reloadFence?: number;
  touchedAt: number;
}

export interface InboxRow {
  readonly seq: number;
  inbound: Inbound;
  /** What the model is told where the thing itself is no user turn. */
  readonly note: string;
  state: "waiting" | "admitted" | "done";
  run?: RunId;
  joined: boolean;
  fate?: Fate;
  reason?: string;
  readonly rule?: string;
  readonly counted?: Admission["counted"];
  readonly receivedAt: number;
}

export interface RunRow {
  readonly id: RunId;
  readonly session: SessionId;
  readonly cause: RunCause;
  readonly retryOf?: RunId;
  readonly epoch: number;
  rounds: number;
  reply: "open" | "settling" | "settled";
  admittedSeq: number;
  safeFence: number;
  requester: Author;
  outcome?: Outcome;
  laidOut?: LaidOutAs;
  readonly startedAt: number;
}

export interface AttemptRow {
  readonly run: RunId;
  readonly session: SessionId;
  readonly fence: number;
  readonly worker: string;
  readonly startedAt: number;
  ended?: NonNullable<AttemptView["ended"]>;
  endedAt?: number;
}

export interface MemoryLedger {
  readonly now: () => number;
  readonly newId: () => string;
  readonly sessions: Map<SessionId, SessionRow>;
  readonly inbox: InboxRow[];
  readonly runs: RunRow[];
  readonly attempts: AttemptRow[];
  readonly entries: Map<SessionId, Entry[]>;
  readonly calls: Map<
    string,
    { readonly run: RunId; readonly session: SessionId; readonly call: ModelCallRecord }
  >;
  readonly pages: Map<RunId, PageRow[]>;
}

export function createMemoryLedger(now: () => number, newId: () => string): MemoryLedger {
  return {
    now,
    newId,
    sessions: new Map(),
    inbox: [],
    runs: [],
    attempts: [],
    entries: new Map(),
    calls: new Map(),
    pages: new Map(),
  };
}

export const isWork = ({ inbound: { kind } }: InboxRow): boolean => kind === "message" || kind === "command";

export function waitingOf(ledger: MemoryLedger, session: SessionId): InboxRow[] {
  return ledger.inbox.filter((row) => row.inbound.session === session && row.state === "waiting");
}

export function isStopped(session: SessionRow, run: RunRow): boolean {
  return session.stopSeq > run.admittedSeq;
}

/** In the order in which messages are admitted. */
export function inOrder(rows: readonly InboxRow[]): InboxRow[] {
  return rows.toSorted((a, b) => a.inbound.at - b.inbound.at || a.seq - b.seq);
}

export function finish(row: InboxRow, fate: Fate, reason?: string): void {
  row.state = "done";
  row.fate = fate;
  if (reason === undefined) delete row.reason;
  else row.reason = reason;
}

/** What a stop took back while it waited. */
export function drop(ledger: MemoryLedger, session: SessionRow): void {
  for (const row of waitingOf(ledger, session.id))
    if (isWork(row) && row.seq < session.stopSeq) finish(row, "cancelled", "stop");
}

/** The session's row for a write of the attempt that is newest. */
export function held(ledger: MemoryLedger, fence: Fence): SessionRow {
  const session = ledger.sessions.get(fence.session);
  if (session?.fence !== fence.number) throw staleFence(fence);
  return session;
}

export function staleFence({ session, run, number }: Fence): BobbinError {
  return new BobbinError("stale_fence", "another attempt has taken over this run", {
    facts: { session, run, fence: number },
  });
}

export function append(
  ledger: MemoryLedger,
  session: SessionRow,
  run: RunRow,
  round: number,
  bodies: readonly EntryBody[],
): Entry[] {
  const added = bodies.map((body): Entry => ({
    seq: ++session.lastSeq,
    epoch: run.epoch,
    run: run.id,
    round,
    body: cleanJson(body),
  }));
  const all = ledger.entries.get(session.id) ?? [];
  ledger.entries.set(
    session.id,
    [...all, ...added].sort((a, b) => a.epoch - b.epoch || a.seq - b.seq),
  );
  return added;
}

export function entriesOf(ledger: MemoryLedger, session: SessionId): readonly Entry[] {
  return ledger.entries.get(session) ?? [];
}

export function turnOf({ inbound }: InboxRow): EntryBody {
  if (inbound.kind !== "message") throw new Error("only a message is a turn");
  const { author, parts, id } = inbound;
  return { v: 1, kind: "user", author, parts, inbound: id };
}

export const noteOf = (text: string): EntryBody => ({ v: 1, kind: "note", text });

/** What waits joins the run. */
export function admit(
  ledger: MemoryLedger,
  session: SessionRow,
  run: RunRow,
  rows: readonly InboxRow[],
): Entry[] {
  const joined = inOrder(rows);
  for (const row of joined) {
    Object.assign(row, { state: "admitted", run: run.id, joined: true });
    run.admittedSeq = Math.max(run.admittedSeq, row.seq);
    run.requester = row.inbound.author;
  }
  return append(ledger, session, run, run.rounds, joined.map(turnOf));
}

export function usageOf(
  ledger: MemoryLedger,
  of: { readonly run: RunId } | { readonly session: SessionId },
): Usage {
  let sum: Usage = {};
  for (const { run, session, call } of ledger.calls.values()) {
    if ("run" in of ? run !== of.run : session !== of.session) continue;
    for (const usage of call.usage) sum = addUsage(sum, usage);
  }
  return sum;
}

export function infoOf(ledger: MemoryLedger, row: RunRow): RunInfo {
  const { id, session, cause, epoch, rounds, startedAt, requester } = row;
  const asked = [...ledger.calls.values()].findLast(({ run }) => run === id)?.call.model;
  const model = asked === undefined ? {} : { model: asked };
  return {
    id,
    session,
    cause,
    epoch,
    rounds,
    startedAt,
    requester,
    usage: usageOf(ledger, { run: id }),
    ...model,
  };
}

export function outcomeOf(
  ledger: MemoryLedger,
  reason: EndReason,
  error?: { readonly code: ErrorCode; readonly message: string },
): Outcome {
  return { reason, ...(error === undefined ? {} : { error: cleanJson(error) }), endedAt: ledger.now() };
}

export function rowOf(ledger: MemoryLedger, id: InboundId): InboxRow | undefined {
  return ledger.inbox.find((row) => row.inbound.id === id);
}
