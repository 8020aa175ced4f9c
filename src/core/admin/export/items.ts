/**
 * The lines of an export: the documented schema, in which nothing follows what the stores happen to hold. Raise `EXPORT_VERSION` when a
 * field changes its meaning or goes; one that is new is no reason.
 */

import { givenTo, type SessionCommand } from "../../command/command.ts";
import type { Part } from "../../part.ts";
import type { ExportedCall, ExportedEntry, ExportedRun } from "../../ports/exports.ts";
import type { Overview } from "../../ports/overviews.ts";
import type { AssistantEntry } from "../../entry.ts";
import type { Remark } from "../../ports/remarks.ts";
import type { GoalStep, ReviewedInbound, ReviewedReaction } from "../../ports/review.ts";
import type { SessionId } from "../../thread.ts";
import type { Usage } from "../../usage.ts";

export const EXPORT_VERSION = 1;

interface Of {
  /** The thread that the line belongs to. */
  readonly thread: SessionId;
  /** ISO 8601, UTC, as all times. */
  readonly at: string;
}

interface Who {
  readonly id: string;
  readonly name: string;
}

interface ExportedReaction {
  readonly by: Who;
  /** A sign, or a name between colons. */
  readonly emoji: string;
  readonly at: string;
  /** Absent while it stands there. */
  readonly takenBackAt?: string;
}

type ExportedPart =
  | { readonly kind: "text" | "note"; readonly text: string }
  | { readonly kind: "image" | "file"; readonly mimeType: string; readonly name?: string };

interface ExportedImage {
  readonly mimeType: string;
  readonly name?: string;
  readonly bytes?: number;
  /** SHA-256 of its bytes, hex. */
  readonly hash?: string;
  readonly alt?: string;
}

export interface ThreadItem extends Of {
  readonly kind: "thread";
  readonly title: string;
  readonly channel: string;
  readonly touchedAt: string;
  readonly isDirect: boolean;
  readonly isPrivate: boolean;
  readonly branchedFrom?: SessionId;
}

export interface RemarkItem extends Of {
  readonly kind: "remark";
  readonly id: string;
  readonly type: Remark["kind"];
  readonly by: string;
  readonly text: string;
  readonly about?: { readonly epoch: number; readonly seq: number };
  readonly assignee?: string;
  readonly resolvedAt?: string;
  readonly resolvedBy?: string;
}

export interface GoalItem extends Of {
  readonly kind: "goal";
  readonly goal: string;
  readonly event: string;
  readonly by?: string;
  readonly status: string;
  readonly objective: string;
  readonly evidence?: string;
  readonly verdict?: { readonly kind: string; readonly reason: string };
  /** To its card; only in the newest of a goal. */
  readonly reactions?: readonly ExportedReaction[];
}

export interface InboundItem extends Of {
  readonly kind: "inbound";
  readonly seq: number;
  readonly type: ReviewedInbound["inbound"]["kind"];
  readonly author: Who;
  readonly saidAt: string;
  readonly message?: string;
  readonly parts?: readonly ExportedPart[];
  readonly text?: string;
  readonly command?: { readonly name: string; readonly value?: string };
  readonly state: ReviewedInbound["state"];
  readonly fate?: string;
  readonly reason?: string;
  readonly rule?: string;
  readonly run?: string;
  readonly toldModel?: string;
  readonly reactions?: readonly ExportedReaction[];
}

export interface RunItem extends Of {
  readonly kind: "run";
  readonly id: string;
  readonly cause: string;
  readonly epoch: number;
  readonly requester: string;
  readonly rounds: number;
  readonly endedAt?: string;
  readonly reason?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly goalSaid?: string;
  readonly usage: Usage;
  readonly attempts: readonly {
    readonly fence: number;
    readonly worker: string;
    readonly startedAt: string;
    readonly ended?: string;
  }[];
  readonly messages: readonly string[];
  readonly feedback: readonly { readonly by: Who; readonly value: string; readonly at: string }[];
  /** `message`: which of the answers it was given to. */
  readonly reactions?: readonly (ExportedReaction & { readonly message: string })[];
}

export interface CallItem extends Of {
  readonly kind: "call";
  readonly id: string;
  readonly run: string;
  readonly round: number;
  readonly purpose?: string;
  readonly model: string;
  readonly durationMs: number;
  readonly outcome: string;
  readonly error?: string;
  readonly usage: Usage;
  readonly tries: readonly { readonly firstTokenMs?: number }[];
  readonly bodyHash?: string;
}

export interface EntryItem extends Of {
  readonly kind: "entry";
  readonly epoch: number;
  readonly seq: number;
  readonly run?: string;
  readonly round?: number;
  readonly type: ExportedEntry["entry"]["body"]["kind"];
  readonly author?: Who;
  /** The identity of the message that it was. */
  readonly inbound?: string;
  readonly parts?: readonly ExportedPart[];
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly images?: readonly ExportedImage[];
  readonly interrupted?: true;
  readonly cut?: true;
  readonly call?: string;
  readonly name?: string;
  readonly ok?: boolean;
  readonly durationMs?: number;
  readonly upTo?: number;
}

export interface ResultItem extends Of {
  readonly kind: "result";
  readonly run: string;
  readonly round: number;
  readonly call: string;
  readonly content: string;
}

export type ExportItem =
  | ThreadItem
  | RemarkItem
  | GoalItem
  | InboundItem
  | RunItem
  | CallItem
  | EntryItem
  | ResultItem;

/** What text of people and models becomes before it leaves. */
export type Mask = (text: string) => string;

const iso = (at: number): string => new Date(at).toISOString();

export function threadItem(overview: Overview, mask: Mask): ThreadItem {
  const { session, label, channel, startedAt, touchedAt, isDirect, isPrivate, source } = overview;
  return {
    kind: "thread",
    thread: session,
    at: iso(startedAt),
    title: mask(label),
    channel,
    touchedAt: iso(touchedAt),
    isDirect,
    isPrivate,
    ...(source === undefined ? {} : { branchedFrom: source }),
  };
}

export function remarkItem(thread: SessionId, remark: Remark, mask: Mask): RemarkItem {
  const { id, kind, name, text, at, about, assigneeName, resolvedAt, resolvedName } = remark;
  return {
    kind: "remark",
    thread,
    at: iso(at),
    id,
    type: kind,
    by: name,
    text: mask(text),
    ...(about === undefined ? {} : { about }),
    ...(assigneeName === undefined ? {} : { assignee: assigneeName }),
    ...(resolvedAt === undefined ? {} : { resolvedAt: iso(resolvedAt) }),
    ...(resolvedName === undefined ? {} : { resolvedBy: resolvedName }),
  };
}

export function goalItem(thread: SessionId, step: GoalStep, mask: Mask): GoalItem {
  const { goal, at, kind, who, status, objective, evidence, verdict, reactions } = step;
  const by = who === undefined ? {} : { by: who };
  return {
    kind: "goal",
    thread,
    at: iso(at),
    goal,
    event: kind,
    ...by,
    status,
    objective: mask(objective ?? ""),
    ...(evidence === undefined ? {} : { evidence: mask(evidence) }),
    ...(verdict === undefined ? {} : { verdict: { kind: verdict.kind, reason: mask(verdict.reason) } }),
    ...(reactions.length === 0 ? {} : { reactions: reactions.map(reactionOf) }),
  };
}

export function inboundItem(thread: SessionId, view: ReviewedInbound, mask: Mask): InboundItem {
  const { seq, inbound, receivedAt, state, fate, reason, rule, run, note, reactions } = view;
  return {
    kind: "inbound",
    thread,
    at: iso(receivedAt),
    seq,
    type: inbound.kind,
    author: { id: inbound.author.id, name: inbound.author.name },
    saidAt: iso(inbound.at),
    ...("message" in inbound ? { message: inbound.message } : {}),
    ...("parts" in inbound ? { parts: partsOf(inbound.parts, mask) } : {}),
    ...("text" in inbound ? { text: mask(inbound.text) } : {}),
    ...("command" in inbound ? { command: commandOf(inbound.command, mask) } : {}),
    state,
    ...(fate === undefined ? {} : { fate }),
    ...(reason === undefined ? {} : { reason }),
    ...(rule === undefined ? {} : { rule }),
    ...(run === undefined ? {} : { run }),
    ...(note === undefined ? {} : { toldModel: mask(note) }),
    ...(reactions.length === 0 ? {} : { reactions: reactions.map(reactionOf) }),
  };
}

function reactionOf({ person, name, emoji, at, takenAt }: ReviewedReaction): ExportedReaction {
  const taken = takenAt === undefined ? {} : { takenBackAt: iso(takenAt) };
  return { by: { id: person, name }, emoji, at: iso(at), ...taken };
}

function commandOf(command: SessionCommand, mask: Mask): NonNullable<InboundItem["command"]> {
  const { name } = command;
  const value = "value" in command ? givenTo(command) : undefined;
  return value === undefined ? { name } : { name, value: mask(value) };
}

export function runItem(thread: SessionId, run: ExportedRun, mask: Mask): RunItem {
  const { id, cause, epoch, startedAt, requester, rounds, outcome, usage, attempts, messages } = run;
  const { feedback, reactions } = run;
  const error = outcome?.error;
  return {
    kind: "run",
    thread,
    at: iso(startedAt),
    id,
    cause,
    epoch,
    requester,
    rounds,
    ...(outcome === undefined ? {} : { endedAt: iso(outcome.endedAt), reason: outcome.reason }),
    ...(error === undefined ? {} : { error: { code: error.code, message: mask(error.message) } }),
    ...(outcome?.goal === undefined ? {} : { goalSaid: mask(outcome.goal) }),
    usage,
    attempts: attempts.map(({ startedAt: at, ...attempt }) => ({ ...attempt, startedAt: iso(at) })),
    messages,
    feedback: feedback.map(({ person, name, value, at }) => ({
      by: { id: person, name },
      value,
      at: iso(at),
    })),
    ...(reactions.length === 0
      ? {}
      : { reactions: reactions.map((each) => ({ message: each.message, ...reactionOf(each) })) }),
  };
}

export function callItem(thread: SessionId, call: ExportedCall): CallItem {
  const { startedAt, tries, ...rest } = call;
  const first = ({ firstTokenMs }: (typeof tries)[number]): { readonly firstTokenMs?: number } =>
    firstTokenMs === undefined ? {} : { firstTokenMs };
  return { kind: "call", thread, at: iso(startedAt), ...rest, tries: tries.map(first) };
}

export function entryItem(thread: SessionId, { entry, at }: ExportedEntry, mask: Mask): EntryItem {
  const { epoch, seq, run, round, body } = entry;
  const place = {
    kind: "entry",
    thread,
    at: iso(at),
    epoch,
    seq,
    ...(run === undefined ? {} : { run }),
    ...(round === undefined ? {} : { round }),
    type: body.kind,
  } as const;
  switch (body.kind) {
    case "user": {
      const { author, inbound, parts } = body;
      return {
        ...place,
        ...(author === undefined ? {} : { author: { id: author.id, name: author.name } }),
        ...(inbound === undefined ? {} : { inbound }),
        parts: partsOf(parts, mask),
      };
    }
    case "assistant": {
      const { text, calls, interrupted, cut } = body;
      return {
        ...place,
        text: mask(text),
        calls: calls.map(({ id, name, arguments: given }) => ({ id, name, arguments: mask(given) })),
        ...imagesOf(body, mask),
        ...(interrupted === undefined ? {} : { interrupted }),
        ...(cut === undefined ? {} : { cut }),
      };
    }
    case "tool": {
      const { call, name, ok, content, durationMs } = body;
      const took = durationMs === undefined ? {} : { durationMs };
      return { ...place, call, name, ok, text: mask(content), ...imagesOf(body, mask), ...took };
    }
    case "note":
      return { ...place, text: mask(body.text) };
    case "summary":
      return { ...place, text: mask(body.text), upTo: body.upTo };
    default:
      return body satisfies never;
  }
}

export function partsOf(parts: readonly Part[], mask: Mask): readonly ExportedPart[] {
  return parts.map((part) =>
    part.kind === "text" || part.kind === "note"
      ? { kind: part.kind, text: mask(part.text) }
      : { kind: part.kind, ...described(part) },
  );
}

function described(part: { readonly mimeType: string; readonly name?: string }): {
  readonly mimeType: string;
  readonly name?: string;
} {
  return { mimeType: part.mimeType, ...(part.name === undefined ? {} : { name: part.name }) };
}

function imagesOf(
  { images = [], pictures = [] }: Pick<AssistantEntry, "images" | "pictures">,
  mask: Mask,
): Pick<EntryItem, "images"> {
  const all = [
    ...images.map(described),
    ...pictures.map(({ alt, ...picture }) => ({
      ...picture,
      ...(alt === undefined ? {} : { alt: mask(alt) }),
    })),
  ];
  return all.length === 0 ? {} : { images: all };
}
