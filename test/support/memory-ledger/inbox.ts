// The inbox of a ledger in memory.
import type { Inbound, MessageInbound } from "../../../src/core/inbound.ts";
import type { Admission, Inbox, Stored } from "../../../src/core/ports/inbox.ts";
import { USUAL, type SessionCommand } from "../../../src/core/command/command.ts";
import { MENTION_RULE, MUTE_RULE, UNSET, type SessionSettings } from "../../../src/core/session-settings.ts";
import type { SessionId } from "../../../src/core/thread.ts";
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

  function insert(inbound: Inbound, note: string, isDone: boolean, admission: Admission): InboxRow {
    const { rule, counted } = admission;
    const row: InboxRow = {
      ...(rule === "" ? {} : { rule }),
      ...(counted === undefined ? {} : { counted }),
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

  /** The changes of a message, the one that holds last. */
  function changesOf({ session, message }: Pick<MessageInbound, "session" | "message">): InboxRow[] {
    const isDelete = ({ inbound: { kind } }: InboxRow): number => (kind === "delete" ? 1 : 0);
    return ledger.inbox
      .filter(
        ({ inbound: of, fate }) =>
          of.session === session &&
          (of.kind === "edit" || of.kind === "delete") &&
          of.message === message &&
          fate !== "refused",
      )
      .sort((a, b) => isDelete(a) - isDelete(b) || a.inbound.at - b.inbound.at || a.seq - b.seq);
  }

  /** Kept for a message that has not come yet. */
  function early(
    inbound: Inbound & { readonly kind: "edit" | "delete" },
    session: SessionRow,
    admission: Admission,
  ): Stored {
    const isRefused = ledger.inbox.some(
      ({ inbound: of }) =>
        of.session === session.id && of.kind === "message" && of.message === inbound.message,
    );
    const mayKeep =
      inbound.kind === "delete" || (inbound.isAside !== true && passedOver(session, inbound) === undefined);
    if (isRefused || !mayKeep) return { kind: "ignored" };
    const { seq } = insert(inbound, "", true, admission);
    return { kind: "stored", seq, running: isRunning(inbound) };
  }

  /** As people have left it who changed it before it came. */
  function asChanged(inbound: Inbound): { readonly inbound: Inbound; readonly isGone: boolean } {
    if (inbound.kind !== "message") return { inbound, isGone: false };
    const newest = changesOf(inbound).at(-1)?.inbound;
    if (newest?.kind !== "edit") return { inbound, isGone: newest?.kind === "delete" };
    return { inbound: { ...inbound, parts: newest.parts }, isGone: false };
  }

  function change(
    inbound: Inbound & { readonly kind: "edit" | "delete" },
    session: SessionRow,
    admission: Admission,
  ): Stored {
    const target = ledger.inbox.findLast(
      ({ inbound: of, fate }) =>
        of.session === session.id &&
        of.kind === "message" &&
        of.message === inbound.message &&
        fate !== "refused",
    );
    if (target === undefined) return early(inbound, session, admission);
    if (target.inbound.kind !== "message") return { kind: "ignored" };
    const { id } = target.inbound;
    const isOutdated =
      inbound.kind === "edit" &&
      changesOf(inbound).some(({ inbound: of }) => of.kind === "delete" || of.at > inbound.at);
    const isUsed = entriesOf(ledger, session.id).some(
      ({ epoch, body }) => epoch === session.epoch && body.kind === "user" && body.inbound === id,
    );
    const said = textOf(target.inbound.parts).slice(0, 200);
    const { seq } = insert(inbound, noteOn(inbound, said), !isUsed || isOutdated, admission);
    if (target.state === "waiting" && !isOutdated) {
      if (inbound.kind === "edit") target.inbound = { ...target.inbound, parts: cleanJson(inbound.parts) };
      else finish(target, "cancelled", "deleted");
    }
    return { kind: "stored", seq, running: isRunning(inbound) };
  }

  function stop(inbound: Inbound, name: "stop" | "reset", session: SessionRow, admission: Admission): Stored {
    const running = isRunning(inbound) || waitingOf(ledger, session.id).some(isWork);
    const { seq } = insert(inbound, "", true, admission);
    session.stopSeq = seq;
    if (inbound.kind === "command" && inbound.hasPlatformTime)
      session.stopAt = Math.max(session.stopAt ?? 0, inbound.at);
    if (name === "reset") session.epoch += 1;
    for (const row of waitingOf(ledger, session.id))
      if (row.seq < seq && (name === "reset" || isWork(row))) finish(row, "cancelled", name);
    return { kind: "stored", seq, running };
  }

  function set(id: SessionId, command: SessionCommand): void {
    const session = ledger.sessions.get(id);
    if (session === undefined) return;
    switch (command.name) {
      case "model":
      case "reload":
        session.reloadFence = session.fence;
        if (command.name === "reload") return;
        session.settings = without(session.settings, "model", command.value);
        return;
      case "effort":
        session.settings = without(session.settings, "effort", command.value);
        return;
      case "verbosity":
        session.settings = without(session.settings, "verbosity", command.value);
        return;
      case "title":
        session.settings = { ...session.settings, title: { text: command.value, source: "person" } };
        return;
      case "follow":
        session.settings = { ...session.settings, follow: command.value };
        return;
      case "mute":
        session.settings = { ...session.settings, isMuted: command.value === "on" };
        return;
      default:
    }
  }

  function passedOver(session: SessionRow | undefined, inbound: Inbound): string | undefined {
    if (session === undefined || (inbound.kind !== "message" && inbound.kind !== "edit")) return undefined;
    if (session.settings.isMuted) return MUTE_RULE;
    const isMention = inbound.kind === "message" && (inbound.isMention ?? inbound.addressed);
    return session.settings.follow === "mention" && !isMention ? MENTION_RULE : undefined;
  }

  /** The limit that is reached. */
  function over({ counted }: Admission, inbound: Inbound): string | undefined {
    if (counted === undefined) return undefined;
    const { limits, who, place } = counted;
    return limits.find(({ by, most, withinMs }) => {
      const same = ledger.inbox.filter(
        (row) =>
          row.fate !== "refused" &&
          row.receivedAt > ledger.now() - withinMs &&
          (by === "channel" ? row.counted?.place === place : row.counted?.who === who) &&
          (by !== "pair" || row.inbound.session === inbound.session),
      );
      return same.length >= most;
    })?.rule;
  }

  return {
    async put(inbound, admission = { rule: "" }) {
      if (!Number.isSafeInteger(Math.round(inbound.at))) throw new RangeError("no time that can be stored");
      const before = rowOf(ledger, inbound.id);
      if (before !== undefined) {
        const mayBe = admission.isRefused === true || admission.counted !== undefined;
        const refused = mayBe && before.fate === "refused" ? before.reason : undefined;
        return { kind: "duplicate", seq: before.seq, ...(refused === undefined ? {} : { refused }) };
      }
      const session = ledger.sessions.get(inbound.session);
      const refusedBy = admission.isRefused ? admission.rule : over(admission, inbound);
      if (refusedBy !== undefined) {
        if (session === undefined && !inbound.addressed) return { kind: "ignored" };
        const kept = passedOver(session, inbound) === undefined ? inbound : withoutWords(inbound);
        const row = insert(kept, "", false, { ...admission, rule: refusedBy });
        finish(row, "refused", refusedBy);
        return { kind: "refused", seq: row.seq, rule: refusedBy };
      }
      if (
        session === undefined &&
        (!inbound.addressed || inbound.kind === "edit" || inbound.kind === "delete")
      )
        return { kind: "ignored" };
      if (session !== undefined) {
        if (inbound.kind === "edit" || inbound.kind === "delete") return change(inbound, session, admission);
        if (inbound.kind === "command") {
          const { name } = inbound.command;
          if (name === "stop" || name === "reset") return stop(inbound, name, session, admission);
        }
      }
      const passed = passedOver(session, inbound);
      if (passed !== undefined) {
        const row = insert(withoutWords(inbound), "", false, { ...admission, rule: passed });
        finish(row, "refused", passed);
        return { kind: "refused", seq: row.seq, rule: passed };
      }
      const isDone = inbound.kind === "command" && inbound.command.name !== "retry";
      const changed = asChanged(inbound);
      const row = insert(changed.inbound, inbound.kind === "note" ? inbound.text : "", isDone, admission);
      const { seq } = row;
      if (inbound.kind === "message" && inbound.at < (session?.stopAt ?? 0)) finish(row, "cancelled", "stop");
      else if (changed.isGone) finish(row, "cancelled", "deleted");
      if (session === undefined) {
        const id = inbound.session;
        ledger.sessions.set(id, {
          id,
          fence: 0,
          epoch: 1,
          lastSeq: 0,
          stopSeq: 0,
          settings: UNSET,
          touchedAt: ledger.now(),
        });
      }
      if (inbound.kind === "command") set(inbound.session, inbound.command);
      return { kind: "stored", seq, running: isRunning(inbound) };
    },
  };
}

/** With the value in place of what was chosen before; `default` is none. */
function without(
  settings: SessionSettings,
  name: "model" | "effort" | "verbosity",
  value: string,
): SessionSettings {
  const { [name]: _, ...rest } = settings;
  return value === USUAL ? rest : { ...rest, [name]: value };
}

function withoutWords(inbound: Inbound): Inbound {
  return "parts" in inbound ? { ...inbound, parts: [] } : inbound;
}

function textOf(parts: Extract<Inbound, { kind: "message" }>["parts"]): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(" ");
}

function noteOn(inbound: Inbound & { readonly kind: "edit" | "delete" }, said: string): string {
  return inbound.kind === "delete"
    ? `${inbound.author.name} deleted: "${said}"`
    : `${inbound.author.name} corrected "${said}" to "${textOf(inbound.parts)}"`;
}
