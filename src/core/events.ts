/**
 * What the loop tells the outside.
 *
 * Order within a run: per round `round(start)`, then deltas (`thinking`, `text`, `tool_input`, `image`), `usage`; all
 * `tool_call`s of the reply in order, then `tool_progress` (and `usage`, of a model that a tool asked) in any order and the
 * `tool_result`s in the order of the calls;
 * `round(done)`; then perhaps `steer`. Last come at most one `error` and exactly one `end`.
 * `round(again)` says that what the current round showed so far is void and comes anew.
 */

import type { EntryBody, Offer, ToolCall, UserEntry } from "./entry.ts";
import type { BobbinError } from "./errors.ts";
import type { ImagePart } from "./part.ts";
import type { CallUsage, Usage } from "./usage.ts";

/** Stable strings, safe to store. */
export type EndReason =
  | "stop"
  | "max_turns"
  | "max_tokens"
  | "stuck"
  | "waiting"
  | "no_speech"
  | "cancelled"
  | "timeout"
  | "error";

export interface ToolResult {
  readonly call: string;
  readonly name: string;
  readonly ok: boolean;
  /** The whole result as text. */
  readonly content: string;
  /** The capped copy that the model received and History keeps. */
  readonly modelContent: string;
  /** What it offers to people. */
  readonly offer?: Offer;
}

export type RunEvent =
  | { readonly kind: "round"; readonly round: number; readonly state: "start" }
  | { readonly kind: "round"; readonly round: number; readonly state: "again"; readonly why: string }
  | {
      readonly kind: "round";
      readonly round: number;
      readonly state: "done";
      /** What was stored for it: the reply and its results. Empty when the reply was blank. */
      readonly entries: readonly EntryBody[];
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "tool_input"; readonly call: string; readonly name: string; readonly text: string }
  | { readonly kind: "tool_call"; readonly call: ToolCall }
  | { readonly kind: "tool_progress"; readonly call: string; readonly text: string }
  | { readonly kind: "tool_result"; readonly result: ToolResult }
  | { readonly kind: "image"; readonly image: ImagePart }
  | { readonly kind: "usage"; readonly usage: CallUsage }
  /** Messages that joined the run between two model calls. */
  | { readonly kind: "steer"; readonly messages: readonly UserEntry[] }
  | { readonly kind: "error"; readonly error: BobbinError }
  | {
      readonly kind: "end";
      readonly reason: EndReason;
      /** Model calls whose reply was complete. */
      readonly rounds: number;
      readonly usage: Usage;
      readonly durationMs: number;
    };
