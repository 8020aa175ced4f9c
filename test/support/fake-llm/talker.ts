// What the fake provider does when nothing is scripted: it talks. A person's text steers it:
//   `call time_in_zone {"zone":"Asia/Tokyo"}`  each such line is a call, several lines are parallel calls
//   `say 200 words`                            that many words
// and everything else is answered with the same words, so that a test can see that the text arrived.
// A test that wants to see something amid an answer holds it there (`FakeLlm.hold`): how long a machine needs to look is not known.
import type { Exchange, ReceivedRequest } from "./exchange.ts";

export interface TalkerOptions {
  /** Words of an answer that was not asked for by number; by default the person's text comes back. */
  readonly tokens?: number;
  /** Default: as fast as the socket takes them. */
  readonly perSecond?: number;
  /** Before the first word. Default 0. */
  readonly firstMs?: number;
}

/** Answers that stop behind a word for as long as whoever holds them likes. */
export interface Hold extends Disposable {
  /** Lets each answer go on up to this word; to its end, as everything that is asked from then on, unless a word is given. */
  release(word?: number): void;
}

/** A provider that has nothing to say for a while sends comments: silence would be a fault. */
const COMMENT_EVERY_MS = 10_000;

/** How many words of an answer a talker says; all of them at first. */
export class TalkerReach {
  #words = Infinity;
  #moved = Promise.withResolvers<void>();

  hold(words: number): Hold {
    const reach = (to = Infinity): void => {
      this.#words = to;
      this.#moved.resolve();
      this.#moved = Promise.withResolvers();
    };
    reach(words);
    return { release: reach, [Symbol.dispose]: () => reach() };
  }

  /** Resolves when the answer may go on behind so many words, or nobody hears it any more. */
  async past(words: number, exchange: Exchange): Promise<void> {
    while (words >= this.#words && !exchange.isClosed) {
      const hasMoved = await Promise.race([
        this.#moved.promise.then(() => true),
        pause(COMMENT_EVERY_MS, exchange).then(() => false),
      ]);
      if (!hasMoved) await exchange.write(": held\n\n");
    }
  }
}

export function createTalker(
  options: TalkerOptions = {},
  reach = new TalkerReach(),
): (exchange: Exchange) => Promise<void> {
  const { perSecond = Infinity, firstMs = 0 } = options;
  return async (exchange) => {
    const { request } = exchange;
    const calls = callsIn(request);
    const words = calls.length > 0 ? [] : wordsFor(request, options.tokens);
    if (request.body["stream"] !== true) return exchange.json(200, wholeAnswer(request, words, calls));
    const chunk = (delta: unknown, finish: string | null = null): Promise<void> =>
      exchange.event({
        id: `chatcmpl-${request.number}`,
        object: "chat.completion.chunk",
        model: request.body.model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    exchange.begin();
    if (firstMs > 0) await pause(firstMs, exchange);
    await chunk({ role: "assistant", content: "" });
    let begun = performance.now();
    for (const [at, word] of words.entries()) {
      const arrived = performance.now();
      await reach.past(at, exchange);
      // Held time is none of the answer's own.
      begun += performance.now() - arrived;
      if (exchange.isClosed) return;
      const waitMs = begun + (at * 1000) / perSecond - performance.now();
      if (waitMs > 0) await pause(waitMs, exchange);
      await chunk({ content: word });
    }
    for (const [index, call] of calls.entries()) {
      await chunk({
        tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }],
      });
      const half = Math.ceil(call.arguments.length / 2);
      for (const part of [call.arguments.slice(0, half), call.arguments.slice(half)]) {
        await chunk({ tool_calls: [{ index, function: { arguments: part } }] });
      }
    }
    await chunk({}, calls.length > 0 ? "tool_calls" : "stop");
    await exchange.event({ id: `chatcmpl-${request.number}`, choices: [], usage: usageOf(request, words) });
    await exchange.event("[DONE]");
    exchange.end();
  };
}

interface TalkerCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Only a person's newest text asks for calls, and only while no results follow it. */
function callsIn(request: ReceivedRequest): TalkerCall[] {
  const last = request.body.messages.at(-1);
  if (last?.role !== "user") return [];
  const offered = new Set(request.body.tools?.map((tool) => tool.function.name) ?? []);
  return [...textOf(last.content).matchAll(/\bcall (\w+) *(\{.*\})?/g)].flatMap((match, at) => {
    const [, name = "", given = "{}"] = match;
    return offered.has(name) ? [{ id: `call_${request.number}_${at}`, name, arguments: given }] : [];
  });
}

function wordsFor(request: ReceivedRequest, tokens: number | undefined): string[] {
  const { messages } = request.body;
  const results = messages.slice(messages.findLastIndex((m) => m.role !== "tool") + 1);
  if (results.length > 0)
    return split(`The tools said: ${results.map((m) => textOf(m.content)).join(" | ")}`);
  const said = textOf(messages.at(-1)?.content);
  const count = Number(/\bsay (\d+) words\b/.exec(said)?.[1] ?? tokens ?? 0);
  if (count > 0) return Array.from({ length: count }, (_, at) => `word${at + 1} `);
  return split(`You said: ${said}`);
}

function split(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? [text];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "[image]").join(" ");
}

function usageOf(request: ReceivedRequest, words: readonly string[]): unknown {
  const prompt = Math.ceil(request.raw.length / 4);
  const completion = Math.max(1, words.length);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function wholeAnswer(
  request: ReceivedRequest,
  words: readonly string[],
  calls: readonly TalkerCall[],
): unknown {
  const toolCalls = calls.map(({ id, ...body }) => ({ id, type: "function", function: body }));
  const content = words.length === 0 ? null : words.join("");
  return {
    id: `chatcmpl-${request.number}`,
    object: "chat.completion",
    model: request.body.model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, ...(calls.length > 0 && { tool_calls: toolCalls }) },
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
      },
    ],
    usage: usageOf(request, words),
  };
}

async function pause(ms: number, exchange: Exchange): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([over, exchange.closed]);
  clearTimeout(timer);
}
