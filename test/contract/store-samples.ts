// What the suites of the stores write: inbounds, rounds and model calls, each with as little as makes it valid.
import { randomBytes } from "node:crypto";
import type { SessionCommand } from "../../src/core/command/command.ts";
import type { AssistantEntry, Entry, EntryBody, ToolEntry } from "../../src/core/entry.ts";
import type { CommandInbound, DeleteInbound, EditInbound, MessageInbound } from "../../src/core/inbound.ts";
import type { InboundId } from "../../src/core/ids.ts";
import type { Opened } from "../../src/core/ports/run-store.ts";
import type { ModelCallRecord, RoundRecord } from "../../src/core/round.ts";
import type { SessionId } from "../../src/core/thread.ts";

/** A new session each time, so that cases never meet. */
export function newSession(): SessionId {
  return `web:local:general:${randomBytes(8).toString("hex")}` as SessionId;
}

let count = 0;

/** A message that is addressed to the bot; later calls have later platform times. */
export function message(
  session: SessionId,
  text: string,
  more: Partial<MessageInbound> = {},
): MessageInbound {
  count += 1;
  return {
    v: 1,
    kind: "message",
    id: `${session}/message/${count}` as InboundId,
    session,
    author: { id: "U1", name: "Ana" },
    at: 1_700_000_000_000 + count,
    addressed: true,
    message: `m${count}`,
    parts: [{ kind: "text", text }],
    ...more,
  };
}

export function command(
  session: SessionId,
  wanted: "reset" | "stop" | "retry" | SessionCommand,
  more: Partial<CommandInbound> = {},
): CommandInbound {
  count += 1;
  return {
    v: 1,
    kind: "command",
    id: `${session}/command/${count}` as InboundId,
    session,
    author: { id: "U1", name: "Ana" },
    at: 1_700_000_000_000 + count,
    addressed: true,
    command: typeof wanted === "string" ? { name: wanted } : wanted,
    ...more,
  };
}

export function edit(of: MessageInbound, text: string): EditInbound {
  count += 1;
  const { session, author, message: id, addressed } = of;
  return {
    v: 1,
    kind: "edit",
    id: `${session}/edit/${count}` as InboundId,
    session,
    author,
    at: of.at + 1_000_000,
    addressed,
    message: id,
    parts: [{ kind: "text", text }],
  };
}

export function deletion(of: MessageInbound): DeleteInbound {
  count += 1;
  const { session, author, message: id, addressed } = of;
  return {
    v: 1,
    kind: "delete",
    id: `${session}/delete/${count}` as InboundId,
    session,
    author,
    at: of.at + 1_000_000,
    addressed,
    message: id,
  };
}

export function answer(text: string, calls: AssistantEntry["calls"] = []): AssistantEntry {
  return { v: 1, kind: "assistant", text, calls };
}

export function result(call: string, content: string): ToolEntry {
  return { v: 1, kind: "tool", call, name: "clock", ok: true, content };
}

export function round(number: number, ...entries: readonly EntryBody[]): RoundRecord {
  return { round: number, state: "complete", entries, results: [], modelCalls: [] };
}

export function modelCall(id: string, more: Partial<ModelCallRecord> = {}): ModelCallRecord {
  return {
    id,
    round: 1,
    model: "test-model",
    prompt: { hash: "hash-of-prompt", text: "You are Bobbin." },
    tools: { hash: "hash-of-tools", text: "[]" },
    firstSeq: 1,
    lastSeq: 1,
    excluded: [],
    params: "{}",
    usage: [],
    startedAt: 1_700_000_000_000,
    durationMs: 12.5,
    outcome: "done",
    ...more,
  };
}

export type OpenedRun = Extract<Opened, { kind: "run" }>;
export type OpenedSettle = Extract<Opened, { kind: "settle" }>;

export function asRun(opened: Opened): OpenedRun {
  if (opened.kind !== "run") throw new Error(`expected a run, got ${opened.kind}`);
  return opened;
}

export function asSettle(opened: Opened): OpenedSettle {
  if (opened.kind !== "settle") throw new Error(`expected a reply to settle, got ${opened.kind}`);
  return opened;
}

/** Entries as short lines, for comparing a whole history at a glance. */
export function lines(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ body }) => {
    switch (body.kind) {
      case "user":
        return `user: ${body.parts.map((part) => (part.kind === "text" ? part.text : `(${part.kind})`)).join(" ")}`;
      case "assistant":
        return body.calls.length === 0
          ? `bot: ${body.text}`
          : `bot calls: ${body.calls.map((c) => c.id).join(" ")}`;
      case "tool":
        return `tool ${body.call}: ${body.content}`;
      case "note":
        return `note: ${body.text}`;
      case "summary":
        return `summary: ${body.text}`;
      default:
        return body satisfies never;
    }
  });
}
