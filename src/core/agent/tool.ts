/** What the agent can do, and who decides whether it may. */

import type { Offer, ToolCall } from "../entry.ts";
import type { Author } from "../inbound.ts";
import type { ContentPart, ToolSpec } from "../ports/model.ts";
import type { ModelCallRecord } from "../round.ts";
import type { Usage } from "../usage.ts";

/** `read` may be run again after a crash; `write` changes our own data; `external` changes something outside. */
export type Effect = "read" | "write" | "external";

export interface ToolContext {
  /** Aborts at the tool's time limit, on stop and when the lease is lost. A tool that ignores it is left behind. */
  readonly signal: AbortSignal;
  readonly session: string;
  readonly run: string;
  readonly call: string;
  /** The turn has this person's rights. Absent when the library is used without people. */
  readonly requester?: Author;
  /** A line for people while it runs. */
  progress(text: string): void;
  /** What the model calls of this attempt took so far, side calls included. */
  usage(): Usage;
  /** A model was asked for the tool: it is stored with the round, and counts as the run's own calls do. */
  spent(call: ModelCallRecord): void;
  /** Offers something to people, below the answer: the newest of a call counts, and only if the call ends well. */
  offer(offer: Offer): void;
}

/** What the gate is told: nothing runs yet. */
export type CallContext = Omit<ToolContext, "progress" | "usage" | "spent" | "offer">;

/** A rich answer. Anything else that a tool returns (a string, JSON, nothing) is turned into text. */
export interface ToolOutput {
  readonly content: string | readonly ContentPart[];
  readonly isError?: boolean;
}

export interface Tool<Arguments = unknown> extends ToolSpec {
  readonly effect: Effect;
  /** It may run again after a crash although it writes: told the same call of the same run, it does nothing twice. */
  readonly mayRepeat?: true;
  /** What it is doing, for people, while so many calls of it run: `Reading 3 pages`. By default "Using a tool". */
  doing?(count: number): string;
  /** Its answer changes by itself, as that of a clock does: asked the same again it tells a goal nothing new, whatever it answers. */
  readonly isVolatile?: true;
  /** Time limit of this tool in ms where it differs from the session's. */
  readonly timeoutMs?: number;
  /** Checks what the model gave; what it throws is read by the model. */
  parse(value: unknown): Arguments;
  /** What it throws is a result that the model reads, and the run goes on. */
  run(value: Arguments, context: ToolContext): Promise<unknown>;
}

/** Whoever resumes a run may give it the same call once more. */
export function isRepeatable({ effect, mayRepeat }: Tool): boolean {
  return effect === "read" || mayRepeat === true;
}

export type GateDecision =
  | { readonly kind: "allow" }
  /** `reason` is read by the model. */
  | { readonly kind: "deny"; readonly reason: string };

/** Asked before each call; must not throw (a throw is a denial). */
export interface ToolGate {
  decide(call: ToolCall, tool: Tool, context: CallContext): Promise<GateDecision>;
}

export const allowAll: ToolGate = { decide: () => Promise.resolve({ kind: "allow" }) };

/** Keeps a tool's own argument type inside while the list holds tools of any. */
export function defineTool<Arguments>(tool: Tool<Arguments>): Tool {
  return tool;
}
