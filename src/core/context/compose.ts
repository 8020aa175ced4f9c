/**
 * Stored entries to the messages of a request: a pure function whose result is valid for a strict provider whatever was
 * stored, and append-only. More entries give the same messages and then new ones, as long as what was sent before ended
 * with a user turn or with results. Only with strict alternation the last user message may grow instead.
 */

import type { AssistantEntry, ContextEntry, ToolEntry } from "../entry.ts";
import type { ModelMessage } from "../ports/model.ts";
import { cleanJson, cleanText, isBlank } from "../text.ts";
import { cutMiddle } from "./middle-cut.ts";
import { replayCalls } from "./replayed-calls.ts";
import { SYSTEM_HEADER } from "./speaker.ts";
import { isSameTurn, standingOf } from "./standing.ts";
import { imageLine, openUserTurn, pictureLine, type UserTurn } from "./user-turn.ts";

export interface ComposeOptions {
  readonly seesImages: boolean;
  /** No two user messages in a row. Default false. */
  readonly strictAlternation?: boolean;
  /** Earlier entries were left out: say so first. Default false. */
  readonly omitted?: boolean;
  /** Texts above this length (UTF-16 units) are shortened in their middle. Default: none are. */
  readonly textCap?: number;
}

/** What stands between two replies in a row, and after a last one: some providers go on inside a reply that comes last. */
const GO_ON = "The reply above had ended there. Go on with the conversation.";
/** Before a reply that nothing comes before: the first message has to be a user's. */
const BEGINNING = `${SYSTEM_HEADER}\nThe conversation begins with a reply of yours.`;
const OMITTED = "Earlier messages of this conversation were left out to save room.";
const INTERRUPTED = "[interrupted]";

export function compose(all: readonly ContextEntry[], options: ComposeOptions): ModelMessage[] {
  const { summary, entries } = standingOf(cleanJson(all));
  const cap = options.textCap ?? Number.POSITIVE_INFINITY;
  const textOf = (text: string): string => cutMiddle(cleanText(text), cap);
  const messages: ModelMessage[] = [];
  let notes: string[] = [];
  let turn: UserTurn | undefined;
  /** The user entry that the turn ends with; undefined while it holds only what the bot says at the front. */
  let newest: ContextEntry | undefined;
  let isMarked = false;

  const closeTurn = (): void => {
    if (turn !== undefined) messages.push(marked(turn.message(), isMarked));
    turn = undefined;
    newest = undefined;
    isMarked = false;
  };
  /** The notes too: there is no user turn that they could be folded into. */
  const goOn = (): ModelMessage => {
    const bridge = openUserTurn(options.seesImages, textOf);
    for (const note of [GO_ON, ...notes]) bridge.addNote(note);
    return bridge.message();
  };
  const openTurn = (): UserTurn => (turn ??= openUserTurn(options.seesImages, textOf));

  if (options.omitted) openTurn().addNote(OMITTED);
  if (summary !== undefined) {
    openTurn().addNote(`Summary of the conversation so far:\n${summary.body.text}`);
  }
  for (const [index, entry] of entries.entries()) {
    const { body } = entry;
    switch (body.kind) {
      case "note":
        notes.push(body.text);
        break;
      case "user":
        if (newest !== undefined && !options.strictAlternation && !isSameTurn(newest, entry)) closeTurn();
        for (const note of notes) openTurn().addNote(note);
        openTurn().addEntry(body);
        notes = [];
        newest = entry;
        isMarked ||= entry.cacheHere === true;
        break;
      case "assistant":
        closeTurn();
        if (messages.at(-1)?.role === "assistant") messages.push(goOn());
        notes = [];
        pushReply(messages, entry, body, resultsAfter(entries, index), textOf);
        break;
      case "tool":
        // Those that belong to a reply were taken with it; this one has none.
        notes = [];
        break;
      case "summary":
        break;
      default:
        body satisfies never;
    }
  }
  closeTurn();
  if (messages.at(-1)?.role === "assistant") messages.push(goOn());
  return messages;
}

function pushReply(
  messages: ModelMessage[],
  entry: ContextEntry,
  body: AssistantEntry,
  results: readonly (ContextEntry & { readonly body: ToolEntry })[],
  textOf: (text: string) => string,
): void {
  const last = messages.at(-1);
  if (last === undefined) messages.push(systemSays(BEGINNING));
  const replayed = replayCalls(
    body,
    results.map((result) => result.body),
    textOf,
  );
  messages.push(
    marked(
      {
        role: "assistant",
        text: replyText(body, textOf),
        calls: replayed.calls,
        ...(body.reasoning === undefined ? {} : { reasoning: body.reasoning }),
      },
      entry.cacheHere === true,
    ),
  );
  const marks = results.some((result) => result.cacheHere);
  for (const [index, result] of replayed.results.entries()) {
    messages.push(marked({ role: "tool", ...result }, marks && index === replayed.results.length - 1));
  }
}

/** The results that stand directly behind a reply. What comes later is never paired: that would change sent messages. */
function resultsAfter(
  entries: readonly ContextEntry[],
  index: number,
): readonly (ContextEntry & { readonly body: ToolEntry })[] {
  const results: (ContextEntry & { readonly body: ToolEntry })[] = [];
  for (let next = index + 1; next < entries.length; next++) {
    const entry = entries[next];
    if (entry !== undefined && isResult(entry)) results.push(entry);
    else if (entry?.body.kind !== "note") break;
  }
  return results;
}

function isResult(entry: ContextEntry): entry is ContextEntry & { readonly body: ToolEntry } {
  return entry.body.kind === "tool";
}

function replyText(body: AssistantEntry, textOf: (text: string) => string): string {
  const pieces = [
    ...(isBlank(body.text) ? [] : [textOf(body.text)]),
    ...(body.images ?? []).map((image) => imageLine(image)),
    ...(body.pictures ?? []).map((picture) => pictureLine(picture)),
    ...(body.interrupted ? [INTERRUPTED] : []),
  ];
  return pieces.join("\n");
}

function systemSays(text: string): ModelMessage {
  return { role: "user", content: [{ kind: "text", text }] };
}

function marked<M extends ModelMessage>(message: M, isMarked: boolean): M {
  return isMarked ? { ...message, cacheHere: true } : message;
}
