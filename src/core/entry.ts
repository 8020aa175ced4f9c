/** One line of History. Bodies are versioned: what was stored by an older version keeps loading. */

import type { Author } from "./inbound.ts";
import type { InboundId, RunId } from "./ids.ts";
import type { ImagePart, Part, Picture } from "./part.ts";
import type { Button } from "./ports/surface.ts";

/** A call that a model asked for. `arguments` is always a string of valid JSON by the time it is in an entry. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** It was made with other arguments than these, which are stored without their secrets. */
  readonly isMasked?: true;
}

export interface UserEntry {
  readonly v: 1;
  readonly kind: "user";
  /** Absent when the library is used without people (then no speaker is shown to the model). */
  readonly author?: Author;
  readonly parts: readonly Part[];
  readonly inbound?: InboundId;
}

export interface AssistantEntry {
  readonly v: 1;
  readonly kind: "assistant";
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly images?: readonly ImagePart[];
  /** Those images where their bytes are kept elsewhere. */
  readonly pictures?: readonly Picture[];
  /** Opaque JSON text that the provider demands back; replayed, never shown. */
  readonly reasoning?: string;
  /** The run was stopped while this was written: it is what people had seen. */
  readonly interrupted?: true;
  /** A last reply that reached the greatest length: its run ends with `max_tokens`, whoever ends it. */
  readonly cut?: true;
}

export interface ToolEntry {
  readonly v: 1;
  readonly kind: "tool";
  readonly call: string;
  readonly name: string;
  readonly ok: boolean;
  /** The capped copy, exactly as the model received it; never blank. */
  readonly content: string;
  /** Shown to people; the model reads a line for each in `content`. */
  readonly images?: readonly ImagePart[];
  /** Those images where their bytes are kept elsewhere. */
  readonly pictures?: readonly Picture[];
  /** How long it ran, whole ms; absent where it did not run, and below one. */
  readonly durationMs?: number;
  /** What it offers to people. */
  readonly offer?: Offer;
}

/** Shown below the answer of the run in which a tool offered it, with a button that takes it up. The model does not read it. */
export interface Offer {
  readonly markdown: string;
  readonly button: Button;
}

/** Said to the model by the bot, never shown to people; folded into the next user turn. */
export interface NoteEntry {
  readonly v: 1;
  readonly kind: "note";
  readonly text: string;
}

/** Stands for the entries of its epoch up to and including `upTo`. */
export interface SummaryEntry {
  readonly v: 1;
  readonly kind: "summary";
  readonly text: string;
  readonly upTo: number;
}

export type EntryBody = UserEntry | AssistantEntry | ToolEntry | NoteEntry | SummaryEntry;

export interface Entry {
  /** Order within the session; starts at 1, no two alike, gaps allowed. */
  readonly seq: number;
  readonly epoch: number;
  readonly run?: RunId;
  /**
   * Round of the run that it belongs to: replies and results of the n-th model call have n (from 1);
   * user entries have the number of rounds that were complete when they were admitted (0 at the start).
   */
  readonly round?: number;
  readonly body: EntryBody;
}

/** An entry of the conversation so far; `seq` is absent while it is not stored. */
export interface ContextEntry {
  readonly seq?: number;
  readonly run?: RunId;
  readonly round?: number;
  readonly body: EntryBody;
  /** The provider should cache up to here. A conversation that carries one mark of its own gets no other. */
  readonly cacheHere?: true;
}
