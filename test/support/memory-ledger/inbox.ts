// The inbox of a ledger in memory.
import type { Inbound } from "../../../src/core/inbound.ts";
import type { Inbox, Stored } from "../../../src/core/ports/inbox.ts";
import { cleanJson } from "../../../src/core/text.ts";
import {
  entriesOf,
  finish,
  isWork,
  rowOf,
  waitingOf,
  type InboxRow,
  type MemoryLedger,
  type SessionRow,
} from "./rows.ts";

export function createMemoryInbox(ledger: MemoryLedger): Inbox {
  let seqs = 0;

  function insert(inbound: Inbound, note: string, isDone: boolean): InboxRow {
    const row: InboxRow = {
      seq: ++seqs,
      inbound: cleanJson(inbound),
      note: cleanJson(note),
      state: "waiting",
      joined: false,
      receivedAt: ledger.now(),
    };
    if (isDone) finish(row, "answered");
    ledger.inbox.push(row);
    return row;
  }

  const isRunning = (inbound: Inbound): boolean =>
    ledger.runs.some(({ session, reply }) => session === inbound.session && reply === "open");

  function change(inbound: Inbound & { readonly kind: "edit" | "delete" }, session: SessionRow): Stored {
    const target = ledger.inbox.findLast(
      ({ inbound: of }) =>
        of.session === session.id && of.kind === "message" && of.message === inbound.message,
    );
    if (target === undefined || target.inbound.kind !== "message") return { kind: "ignored" };
    const { id } = target.inbound;
    const isUsed = entriesOf(ledger, session.id).some(
      ({ epoch, body }) => epoch === session.epoch && body.kind === "user" && body.inbound === id,
    );
    const said = textOf(target.inbound.parts).slice(0, 200);
    const { seq } = insert(inbound, noteOn(inbound, said), !isUsed);
    if (target.state === "waiting") {
      if (inbound.kind === "edit") target.inbound = { ...target.inbound, parts: cleanJson(inbound.parts) };
      else finish(target, "cancelled", "deleted");
    }
    return { kind: "stored", seq, running: isRunning(inbound) };
  }

  function stop(inbound: Inbound, name: "stop" | "reset", session: SessionRow): Stored {
    const running = isRunning(inbound) || waitingOf(ledger, session.id).some(isWork);
    const { seq } = insert(inbound, "", true);
    session.stopSeq = seq;
    if (name === "reset") session.epoch += 1;
    for (const row of waitingOf(ledger, session.id))
      if (row.seq < seq && (name === "reset" || isWork(row))) finish(row, "cancelled", name);
    return { kind: "stored", seq, running };
  }

  return {
    async put(inbound) {
      if (!Number.isSafeInteger(Math.round(inbound.at))) throw new RangeError("no time that can be stored");
      const before = rowOf(ledger, inbound.id);
      if (before !== undefined) return { kind: "duplicate", seq: before.seq };
      const session = ledger.sessions.get(inbound.session);
      if (
        session === undefined &&
        (!inbound.addressed || inbound.kind === "edit" || inbound.kind === "delete")
      )
        return { kind: "ignored" };
      if (session !== undefined) {
        if (inbound.kind === "edit" || inbound.kind === "delete") return change(inbound, session);
        if (inbound.kind === "command" && inbound.command.name !== "retry")
          return stop(inbound, inbound.command.name, session);
      }
      const isDone = inbound.kind === "command" && inbound.command.name !== "retry";
      const { seq } = insert(inbound, inbound.kind === "note" ? inbound.text : "", isDone);
      if (session === undefined) {
        const id = inbound.session;
        ledger.sessions.set(id, { id, fence: 0, epoch: 1, lastSeq: 0, stopSeq: 0, touchedAt: ledger.now() });
      }
      return { kind: "stored", seq, running: isRunning(inbound) };
    },
  };
}

function textOf(parts: Extract<Inbound, { kind: "message" }>["parts"]): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(" ");
}

function noteOn(inbound: Inbound & { readonly kind: "edit" | "delete" }, said: string): string {
  return inbound.kind === "delete"
    ? `${inbound.author.name} deleted: "${said}"`
    : `${inbound.author.name} corrected "${said}" to "${textOf(inbound.parts)}"`;
}
