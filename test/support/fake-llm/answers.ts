// Answers for a script, from the plain to the broken. Each is one sentence about what a server does.
import type { FakeAnswer } from "./server.ts";

export interface FakeUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly [more: string]: unknown;
}

/** A chunk with one choice that has this delta. */
export function delta(delta: unknown, finish: string | null = null): unknown {
  return { id: "c1", model: "fake-1", choices: [{ index: 0, delta, finish_reason: finish }] };
}

export function usageChunk(usage: FakeUsage): unknown {
  const total = usage.prompt_tokens + usage.completion_tokens;
  return { id: "c1", model: "fake-1", choices: [], usage: { total_tokens: total, ...usage } };
}

/** Each piece of text is a chunk, then `stop`, the usage where given, and `[DONE]`. */
export function says(pieces: readonly string[] | string, usage?: FakeUsage): FakeAnswer {
  const texts = typeof pieces === "string" ? [pieces] : pieces;
  return events(
    ...texts.map((content) => delta({ content })),
    delta({}, "stop"),
    ...(usage === undefined ? [] : [usageChunk(usage)]),
    "[DONE]",
  );
}

/** The words, each when what stands before it has come to pass, or the client has gone; then `stop` and `[DONE]`. */
export function inPieces(...pieces: readonly (string | Promise<void>)[]): FakeAnswer {
  return async (exchange) => {
    for (const piece of pieces) {
      if (typeof piece === "string") await exchange.event(delta({ content: piece }));
      else await Promise.race([piece, exchange.closed]);
    }
    await events(delta({}, "stop"), "[DONE]")(exchange);
  };
}

/** Calls, each whole in one chunk. */
export function callsTools(
  ...calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
): FakeAnswer {
  const pieces = calls.map(({ id, ...body }, index) => ({ index, id, type: "function", function: body }));
  return events(...pieces.map((piece) => delta({ tool_calls: [piece] })), delta({}, "tool_calls"), "[DONE]");
}

/** These events and a clean end. Strings are sent as they are (`[DONE]`). */
export function events(...all: readonly unknown[]): FakeAnswer {
  return async (exchange) => {
    for (const each of all) await exchange.event(each);
    exchange.end();
  };
}

/** These events, which arrive, and then the connection breaks. */
export function eventsThenCut(...all: readonly unknown[]): FakeAnswer {
  return async (exchange) => {
    for (const each of all) await exchange.event(each);
    exchange.breakOff();
  };
}

/** These events, which the reset that follows them may overtake. */
export function eventsThenReset(...all: readonly unknown[]): FakeAnswer {
  return async (exchange) => {
    for (const each of all) await exchange.event(each);
    exchange.cut();
  };
}

/** These events, and then nothing, until the client goes. */
export function eventsThenSilence(...all: readonly unknown[]): FakeAnswer {
  return async (exchange) => {
    for (const each of all) await exchange.event(each);
    await exchange.closed;
  };
}

/** These bytes, each piece written by itself, and a clean end. */
export function bytes(
  pieces: readonly (string | Uint8Array)[],
  contentType = "text/event-stream",
): FakeAnswer {
  return async (exchange) => {
    exchange.begin(200, { "content-type": contentType });
    for (const piece of pieces) await exchange.write(piece);
    exchange.end();
  };
}

export function refuses(
  status: number,
  error: Readonly<Record<string, unknown>> | string = { message: "no" },
  headers: Readonly<Record<string, string>> = {},
): FakeAnswer {
  return (exchange) => exchange.json(status, typeof error === "string" ? error : { error }, headers);
}

/** Takes the request and never answers. */
export function staysSilent(): FakeAnswer {
  return (exchange) => exchange.closed;
}

/** Breaks the connection without an answer. */
export function hangsUp(): FakeAnswer {
  return (exchange) => exchange.cut();
}
