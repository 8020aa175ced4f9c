/**
 * Builds the request of one model call, and builds it again from what was stored about the call. Both go through
 * `requestOf`, a pure function of the call's parameters and entries, so that the two are equal.
 */

import type { ContextEntry } from "../entry.ts";
import type { ModelMessage, ModelRecord, ModelRequest, Thinking, ToolSpec } from "../ports/model.ts";
import type { Blob } from "../round.ts";
import {
  AS_COUNTED,
  estimateTokens,
  fitBudget,
  inputBudget,
  isAsCounted,
  largerCap,
  outputRoom,
  type Estimate,
  type Fitting,
} from "./budget.ts";
import { compose } from "./compose.ts";
import { SYSTEM_HEADER } from "./speaker.ts";
import { standingOf } from "./standing.ts";
import { thinkingFor } from "./thinking.ts";
import { tokensIn } from "./tokens.ts";

export interface RequestProfile {
  readonly model: ModelRecord;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly temperature?: number;
  readonly thinking?: Thinking;
  /** Prompt caching on. */
  readonly caching: boolean;
}

export interface RequestOptions {
  /** The larger output cap, after a reply was cut by the first. Default: the first. */
  readonly cap?: "first" | "larger";
  /** The reply so far where a cut one is continued; it stands in no entry yet. */
  readonly continued?: string;
  /** Tokens of an entry. Default: `estimateTokens`. */
  readonly estimate?: Estimate;
  /** How the budget is measured. Default: `AS_COUNTED`. */
  readonly fitting?: Fitting;
}

/** Everything that shapes a request beside prompt, tools and entries. */
export interface RequestParams {
  readonly v: 1;
  readonly model: ModelRecord;
  readonly outputTokens: number;
  readonly temperature?: number;
  readonly thinking?: Thinking;
  readonly caching: boolean;
  readonly omitted?: true;
  /** First entry beside the summary: a summary may be stored before entries that were left out. */
  readonly fromSeq?: number;
  readonly textCap?: number;
  readonly continued?: string;
  /** What the entries were chosen by, where that was not the default; nothing of the request is made of it. */
  readonly fitting?: Fitting;
  /** Of a side call: all that it is asked, which stands in no entry. */
  readonly asked?: string;
}

export interface BuiltRequest {
  readonly request: ModelRequest;
  readonly params: RequestParams;
  /** First and last stored entry that was sent; 0 where none is stored. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Tokens of all that is sent, as we count: when they are asked for, since most replies are too small to tell anything. */
  readonly estimated: number;
  /** How much of the whole input budget its entries take; 1 for all of it. */
  readonly used: number;
}

const FIXED_COUNTS = 100;
const fixedCounts = new Map<string, number>();

const CONTINUE = `${SYSTEM_HEADER}\nThe reply above was cut by its length limit. Go on exactly where it stops; repeat nothing.`;
const GONE_TOOL = "Not available any more.";

export function buildRequest(
  profile: RequestProfile,
  entries: readonly ContextEntry[],
  options: RequestOptions = {},
): BuiltRequest {
  const { model, temperature, thinking, caching } = profile;
  const { summary, entries: standing } = standingOf(entries);
  const { fitting = AS_COUNTED } = options;
  const fixed =
    ofFixed(profile.system) +
    ofFixed(JSON.stringify(profile.tools)) +
    (summary === undefined ? 0 : estimateTokens(summary));
  const budget = inputBudget(model, fixed, fitting);
  const fit = fitBudget(standing, budget, options.estimate);
  const fromSeq = fit.from > 0 ? standing[fit.from]?.seq : undefined;
  const sent = [...(summary === undefined ? [] : [summary]), ...standing.slice(fit.from)];
  const params: RequestParams = {
    v: 1,
    model,
    outputTokens:
      outputRoom(model) +
      (options.cap === "larger" ? spare(model, (budget - fit.tokens) * fitting.scale) : 0),
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinking === undefined ? {} : { thinking }),
    caching,
    ...(fit.from > 0 ? { omitted: true as const } : {}),
    ...(fromSeq === undefined ? {} : { fromSeq }),
    ...(fit.textCap === undefined ? {} : { textCap: fit.textCap }),
    ...(options.continued === undefined ? {} : { continued: options.continued }),
    ...(isAsCounted(fitting) ? {} : { fitting }),
  };
  const seqs = sent.flatMap(({ seq }) => seq ?? []);
  return {
    request: requestOf(params, profile.system, profile.tools, sent),
    params,
    // With a summary the seqs do not rise: it is stored after entries that it does not stand for.
    firstSeq: seqs.length === 0 ? 0 : seqs.reduce((a, b) => Math.min(a, b)),
    lastSeq: seqs.reduce((a, b) => Math.max(a, b), 0),
    get estimated() {
      return fixed + fit.tokens + tokensIn(options.continued ?? "");
    },
    get used() {
      return fit.tokens / inputBudget(model, fixed, { ...fitting, share: 1 });
    },
  };
}

/** What stands in every request of a kind of run is counted once. */
function ofFixed(text: string): number {
  const known = fixedCounts.get(text);
  if (known !== undefined) return known;
  if (fixedCounts.size >= FIXED_COUNTS) fixedCounts.clear();
  const tokens = tokensIn(text);
  fixedCounts.set(text, tokens);
  return tokens;
}

/** A request beside the conversation: no entry goes into it. */
export function buildSideRequest(
  { model, system, tools, caching }: RequestProfile,
  { asked, outputTokens }: { readonly asked: string; readonly outputTokens: number },
): Omit<BuiltRequest, "estimated" | "used"> {
  const params: RequestParams = { v: 1, model, outputTokens, caching, asked };
  return { request: requestOf(params, system, tools, []), params, firstSeq: 0, lastSeq: 0 };
}

/** What the larger cap adds, as far as the input leaves room in the window. */
function spare(model: ModelRecord, inputLeft: number): number {
  return Math.max(0, Math.min(largerCap(model) - outputRoom(model), Math.floor(inputLeft)));
}

/** The text that `ModelCallRecord.params` holds. */
export function requestParamsOf(built: Pick<BuiltRequest, "params">): string {
  return JSON.stringify(built.params);
}

/**
 * The request that was sent, from the call's record and the entries it names (`firstSeq` to `lastSeq` of its epoch
 * without `excluded`).
 * @throws SyntaxError or RangeError when the record is not one that `requestParamsOf` made.
 */
export function rebuildRequest(
  record: {
    readonly prompt: Pick<Blob, "text">;
    readonly tools: Pick<Blob, "text">;
    readonly params: string;
  },
  entries: readonly ContextEntry[],
): ModelRequest {
  const params = JSON.parse(record.params) as RequestParams;
  if (params.v !== 1) throw new RangeError(`unknown version of request parameters: ${String(params.v)}`);
  return requestOf(params, record.prompt.text, JSON.parse(record.tools.text) as ToolSpec[], entries);
}

function requestOf(
  params: RequestParams,
  system: string,
  tools: readonly ToolSpec[],
  entries: readonly ContextEntry[],
): ModelRequest {
  const { model, temperature, continued, asked, fromSeq = 0 } = params;
  const sent = entries.filter(
    ({ seq, body }) => body.kind === "summary" || seq === undefined || seq >= fromSeq,
  );
  const messages = compose(sent, {
    seesImages: model.seesImages,
    ...(model.strictAlternation === undefined ? {} : { strictAlternation: model.strictAlternation }),
    ...(params.omitted === undefined ? {} : { omitted: params.omitted }),
    ...(params.textCap === undefined ? {} : { textCap: params.textCap }),
  });
  if (asked !== undefined) messages.push({ role: "user", content: [{ kind: "text", text: asked }] });
  if (continued !== undefined) {
    messages.push(
      { role: "assistant", text: continued, calls: [] },
      { role: "user", content: [{ kind: "text", text: CONTINUE }] },
    );
  }
  const marks = params.caching && model.caching === "breakpoints";
  const hasOwnMarks = messages.some((message) => message.cacheHere);
  const thinking = thinkingFor(model, params.thinking);
  return {
    model,
    system,
    messages: marks && !hasOwnMarks ? withMark(messages) : marks ? messages : messages.map(withoutMark),
    tools: tools.length > 0 ? tools : stubsFor(messages),
    outputTokens: params.outputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinking === undefined ? {} : { thinking }),
    cacheSystem: marks && !hasOwnMarks,
  };
}

function withMark(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, cacheHere: true } : message,
  );
}

function withoutMark(message: ModelMessage): ModelMessage {
  if (message.cacheHere === undefined) return message;
  const { cacheHere: _, ...rest } = message;
  return rest;
}

/**
 * Stand-ins for the tools that were called, where none is offered any more: a model that reads calls without a tool list
 * writes its next ones as text. Beside other tools none is needed, and one would change the cached start of the request.
 */
function stubsFor(messages: readonly ModelMessage[]): ToolSpec[] {
  const names = messages.flatMap((message) =>
    message.role === "assistant" ? message.calls.map((call) => call.name) : [],
  );
  return [...new Set(names)].map((name) => ({ name, description: GONE_TOOL, schema: { type: "object" } }));
}
