/** A language model: one request in, a stream of events out. Every quirk of a wire stays behind this port. */

import type { Effort } from "../effort.ts";
import type { ToolCall } from "../entry.ts";
import type { BobbinError } from "../errors.ts";
import type { ImagePart } from "../part.ts";
import type { CallUsage } from "../usage.ts";

/** What a model can do; a typed record from the configuration. */
export interface ModelRecord {
  /** The provider's name of it. */
  readonly name: string;
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  /** Tokens of one reply; the first try. */
  readonly outputTokens: number;
  /** Tokens of the one retry after a reply was cut by the first cap; not below `outputTokens`. */
  readonly largerOutputTokens: number;
  readonly seesImages: boolean;
  readonly thinking: "none" | "effort" | "budget";
  /** `breakpoints`: the provider reads cache marks in the request; `automatic`: it caches by itself or not at all. */
  readonly caching: "automatic" | "breakpoints";
  /** The chat template wants user and assistant to alternate. */
  readonly strictAlternation?: boolean;
  /** The name of the wire's field for the output cap: newer OpenAI models refuse the older one. */
  readonly outputCapField?: "max_tokens" | "max_completion_tokens";
  /**
   * What the provider wants back of a reply with calls, or it refuses the results: its thinking as text (DeepSeek, Kimi), or what came
   * beside each call (Gemini). Default: by the server's address, `none` for all others.
   */
  readonly replays?: "none" | "reasoning_content" | "extra_content";
  /** The chat template opens the thinking, so that the text begins with it and has the closing tag alone. Default false. */
  readonly beginsThinking?: boolean;
  /** US dollars per million tokens; used where the provider reports no cost. */
  readonly price?: {
    readonly input: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly output: number;
  };
}

export type Thinking =
  | { readonly kind: "effort"; readonly effort: Effort }
  | { readonly kind: "budget"; readonly tokens: number };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ContentPart = { readonly kind: "text"; readonly text: string } | ImagePart;

export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly ContentPart[]; readonly cacheHere?: true }
  | {
      readonly role: "assistant";
      /** Empty only beside calls. */
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly reasoning?: string;
      readonly cacheHere?: true;
    }
  | {
      readonly role: "tool";
      readonly call: string;
      readonly name: string;
      /** Never empty: some servers refuse that. */
      readonly content: string;
      readonly cacheHere?: true;
    };

/**
 * A valid request for a strict provider: one system text, first; every call followed by exactly one result, in order;
 * never a call without a tool list; no empty assistant message. Built by `context/compose`, a pure function of stored
 * entries, so that it can be rebuilt to the same bytes.
 */
export interface ModelRequest {
  readonly model: ModelRecord;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly outputTokens: number;
  readonly temperature?: number;
  /** In the kind that the model takes; absent for one that has none. */
  readonly thinking?: Thinking;
  /** Mark the system prompt for the provider's cache (messages carry their own marks). */
  readonly cacheSystem: boolean;
}

export type ModelEvent =
  /** Hash of the exact body, before it is sent; once, also when the request is tried several times. */
  | { readonly kind: "sent"; readonly bodyHash: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  /** A piece of a call's arguments as they are written. */
  | { readonly kind: "tool_input"; readonly call: string; readonly name: string; readonly text: string }
  | { readonly kind: "image"; readonly image: ImagePart }
  /** The stream broke and is tried anew, or its text was none: everything since `sent` is void. */
  | { readonly kind: "again"; readonly why: string }
  /** Reported usage of one try, also of a failed or cancelled one; before the final event. */
  | { readonly kind: "usage"; readonly usage: CallUsage }
  /** Final. The whole reply of the try that succeeded. */
  | {
      readonly kind: "done";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly images: readonly ImagePart[];
      readonly reasoning?: string;
      /**
       * `length`: cut by the output cap; `filtered`: the provider held it back, or the rest of it (with both the last call may be
       * cut in its arguments: `cutCall`); otherwise `end`. Whether to run tools is decided by `calls`, never by this.
       */
      readonly finish: "end" | "length" | "filtered";
      /** The last call's arguments were cut: it stands in `calls` with what arrived and must not be run. */
      readonly cutCall?: true;
    }
  /** Final. */
  | { readonly kind: "failed"; readonly error: BobbinError }
  /** Final: `signal` was aborted. What was shown until then counts as shown. */
  | { readonly kind: "aborted" };

export interface Model {
  /**
   * Never throws and ends with exactly one final event (`done`, `failed`, `aborted`), promptly after an abort.
   * A reader that breaks off closes the connection. Arguments in `done` are as the wire gave them (blank became `{}`,
   * an object became its JSON text); whether they are valid JSON is judged by the loop.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
