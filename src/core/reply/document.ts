/**
 * What people see of a run, before any layout: the text of its rounds, what goes on, and how it ended. Reduced from the
 * events of a run, or from its stored entries: both give the same document wherever the rounds are complete.
 */

import type { AssistantEntry, Entry, EntryBody, Offer, UserEntry } from "../entry.ts";
import type { RunEvent, ToolResult } from "../events.ts";
import type { RunId } from "../ids.ts";
import type { Picture } from "../part.ts";
import type { Outcome, RunInfo } from "../run.ts";
import { isBlank } from "../text.ts";
import { addUsage, type Usage } from "../usage.ts";
import { answered, asked, progressed, stored, type Step } from "./steps.ts";

/** What one model call said. */
export interface RoundText {
  /** From 1. */
  readonly round: number;
  readonly text: string;
  /** How many images came with it. */
  readonly images: number;
}

export interface RunningTool {
  readonly call: string;
  readonly name: string;
}

export interface Offered extends Offer {
  /** The call that offered it. */
  readonly call: string;
}

export type Activity =
  | { readonly kind: "thinking" }
  | { readonly kind: "writing" }
  /** In the order of the calls; may be empty between the last result and the end of the round. */
  | { readonly kind: "tools"; readonly running: readonly RunningTool[] };

export interface ReplyDocument {
  readonly run: RunId;
  /** ms since 1970. */
  readonly startedAt: number;
  /** In ascending order of rounds; the last one may still be written. Rounds that said nothing are not in it. */
  readonly rounds: readonly RoundText[];
  /** The round under way; 0 when none is. */
  readonly current: number;
  readonly activity: Activity;
  /** The tool calls of the run, in the order in which they were asked for. */
  readonly steps: readonly Step[];
  /** The model that answers; absent where it is not known. */
  readonly model?: string;
  /** What is shown below the text, each once, in the order in which it came; of rounds that are stored. Absent for none. */
  readonly pictures?: readonly Picture[];
  /** Messages that joined the run after it had begun. */
  readonly joined: number;
  /** What tools offer to people, the newest last; absent for nothing. */
  readonly offers?: readonly Offered[];
  /** Of the whole run, earlier attempts included. */
  readonly usage: Usage;
  /** Present from the end on: the document changes no more. */
  readonly outcome?: Outcome;
  /** A sentence of the bot's own for people, below the answer. It is stored nowhere: a reply that is delivered again lacks it. */
  readonly notice?: string;
  /** Somebody asked for it once more, and another reply answers. */
  readonly isTriedAgain?: boolean;
}

/** What the bot notes for the model is for nobody else. */
const isOfPerson = ({ author, parts }: UserEntry): boolean =>
  author !== undefined || parts.some(({ kind }) => kind !== "note");

const THINKING: Activity = { kind: "thinking" };

/** The document of a run that shows what its stored entries say. Entries of other runs are left out. */
export function documentOf(run: RunInfo, entries: readonly Entry[], outcome?: Outcome): ReplyDocument {
  let rounds: readonly RoundText[] = [];
  let joined = 0;
  let steps: readonly Step[] = [];
  let offers: readonly Offered[] = [];
  let pictures: readonly Picture[] = [];
  for (const entry of entries) {
    if (entry.run !== run.id) continue;
    steps = stored(steps, entry.round ?? 0, entry.body);
    pictures = withPictures(pictures, entry.body);
    if (entry.body.kind === "user" && isOfPerson(entry.body) && (entry.round ?? 0) > 0) joined++;
    if (entry.body.kind === "tool") offers = withOffer(offers, entry.body.call, entry.body.offer);
    if (entry.body.kind !== "assistant") continue;
    rounds = withRound(rounds, textOfRound(entry.round ?? 0, entry.body));
  }
  const document: ReplyDocument = {
    run: run.id,
    startedAt: run.startedAt,
    rounds,
    current: 0,
    activity: THINKING,
    joined,
    steps,
    ...(run.model === undefined ? {} : { model: run.model }),
    ...(offers.length === 0 ? {} : { offers }),
    ...(pictures.length === 0 ? {} : { pictures }),
    usage: run.usage,
  };
  return outcome === undefined ? document : concluded(document, outcome);
}

/** The document with its end. How it ended is not in the events, since only the store knows what became durable. */
export function concluded(document: ReplyDocument, outcome: Outcome): ReplyDocument {
  return { ...document, current: 0, activity: THINKING, outcome };
}

/** The document after an event; the same object when nothing changed. Events that come after the end change nothing. */
export function reduce(document: ReplyDocument, event: RunEvent): ReplyDocument {
  if (document.outcome !== undefined) return document;
  switch (event.kind) {
    case "round":
      return reduceRound(document, event);
    case "text":
      return added(document, event.text, 0);
    case "image":
      return added(document, "", 1);
    case "thinking":
      return document.activity.kind === "thinking" ? document : { ...document, activity: THINKING };
    case "tool_input":
      return started(document, { call: event.call, name: event.name });
    case "tool_call": {
      const steps = asked(document.steps, document.current, event.call);
      return { ...started(document, { call: event.call.id, name: event.call.name }), steps };
    }
    case "tool_result": {
      const { call, ok } = event.result;
      const steps = answered(document.steps, document.current, call, ok ? "done" : "failed");
      return { ...finished(document, event.result), steps };
    }
    case "tool_progress": {
      const steps = progressed(document.steps, document.current, event.call, event.text);
      return steps === document.steps ? document : { ...document, steps };
    }
    case "usage":
      return { ...document, usage: addUsage(document.usage, event.usage) };
    case "end":
      return { ...document, current: 0, activity: THINKING };
    case "steer":
      return { ...document, joined: document.joined + event.messages.filter(isOfPerson).length };
    case "error":
      return document;
    default:
      return event satisfies never;
  }
}

function reduceRound(
  document: ReplyDocument,
  event: Extract<RunEvent, { readonly kind: "round" }>,
): ReplyDocument {
  const { round } = event;
  switch (event.state) {
    case "start":
      return { ...document, current: round, activity: THINKING };
    case "again": {
      const rounds = document.rounds.filter((said) => said.round !== round);
      const steps = document.steps.filter((step) => step.round !== round);
      return { ...document, rounds, steps, current: round, activity: THINKING };
    }
    case "done": {
      // What was stored holds (it is masked and cleaned). A round whose reply was stored before its tools ran brings
      // only their results here, and then what is there stays.
      const said = event.entries.find((entry) => entry.kind === "assistant");
      const rounds =
        said === undefined ? document.rounds : withRound(document.rounds, textOfRound(round, said));
      const steps = event.entries.reduce((known, entry) => stored(known, round, entry), document.steps);
      const pictures = event.entries.reduce(withPictures, document.pictures ?? []);
      const shown = pictures.length === 0 ? {} : { pictures };
      const whole = withoutBlank(rounds, round);
      return { ...document, rounds: whole, steps, ...shown, current: 0, activity: THINKING };
    }
    default:
      return event satisfies never;
  }
}

function textOfRound(round: number, { text, images = [], pictures = [] }: AssistantEntry): RoundText {
  return { round, text, images: images.length + pictures.length };
}

/** What a tool showed and the model shows again is shown once. */
function withPictures(known: readonly Picture[], entry: EntryBody): readonly Picture[] {
  if (entry.kind !== "assistant" && entry.kind !== "tool") return known;
  const isKnown = ({ hash, bytes, mimeType }: Picture): boolean =>
    known.some((other) => other.hash === hash && other.bytes === bytes && other.mimeType === mimeType);
  return [...known, ...(entry.pictures ?? []).filter((picture) => !isKnown(picture))];
}

function added(document: ReplyDocument, text: string, images: number): ReplyDocument {
  const before = document.rounds.at(-1);
  const activity: Activity = document.activity.kind === "writing" ? document.activity : { kind: "writing" };
  const said =
    before?.round === document.current
      ? { round: before.round, text: before.text + text, images: before.images + images }
      : { round: document.current, text, images };
  const kept = before?.round === document.current ? document.rounds.slice(0, -1) : document.rounds;
  return { ...document, rounds: [...kept, said], activity };
}

function started(document: ReplyDocument, tool: RunningTool): ReplyDocument {
  const running = document.activity.kind === "tools" ? document.activity.running : [];
  if (running.some((other) => other.call === tool.call)) return document;
  return { ...document, activity: { kind: "tools", running: [...running, tool] } };
}

function finished(before: ReplyDocument, { call, offer }: ToolResult): ReplyDocument {
  const document =
    offer === undefined ? before : { ...before, offers: withOffer(before.offers ?? [], call, offer) };
  if (document.activity.kind !== "tools") return document;
  const running = document.activity.running.filter((tool) => tool.call !== call);
  return { ...document, activity: { kind: "tools", running } };
}

/** A call that is answered again after a crash offers what it offered. */
function withOffer(offers: readonly Offered[], call: string, offer: Offer | undefined): readonly Offered[] {
  return offer === undefined
    ? offers
    : [...offers.filter((other) => other.call !== call), { ...offer, call }];
}

/** `rounds` with what `said` says in place of what its round said before; a round that says nothing goes. */
function withRound(rounds: readonly RoundText[], said: RoundText): readonly RoundText[] {
  const others = rounds.filter((other) => other.round !== said.round);
  const after = others.findIndex((other) => other.round > said.round);
  const place = after === -1 ? others.length : after;
  return withoutBlank(others.toSpliced(place, 0, said), said.round);
}

function withoutBlank(rounds: readonly RoundText[], round: number): readonly RoundText[] {
  const said = rounds.find((other) => other.round === round);
  if (said === undefined || said.images > 0 || !isBlank(said.text)) return rounds;
  return rounds.filter((other) => other !== said);
}
