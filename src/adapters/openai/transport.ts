/** HTTP on undici's `request`: half the CPU and memory per stream of the global fetch. */

import { Readable } from "node:stream";
import { APIError } from "openai";
import { Agent, buildConnector, request } from "undici";
import type { Clock } from "../../core/ports/clock.ts";
import { timedOut } from "./failures.ts";
import { objectOf, parseJson } from "./json.ts";

/** What is the same in every request: the SDK says it once. */
export interface RequestHead {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Transport {
  /**
   * The body of an answer with 2xx. Rejects with the SDK's error for any other answer, and with the connection's where that
   * fails.
   */
  post(head: RequestHead, body: string, signal: AbortSignal): Promise<Readable>;
  /**
   * Gives a body back whose end was not read: what is left is read for a moment, so that the connection can serve again.
   */
  release(body: Readable): void;
  /** Ends idle connections and those in use. */
  close(): Promise<void>;
}

/** An error is a sentence, not a book. */
const ERROR_BYTES = 64 * 1024;
const RELEASE_MS = 1_000;
const SMALL_BYTES = 8 * 1024;

/**
 * undici holds what it is given until the answer has ended, and a long conversation is large; a stream lets go of what was
 * read, and costs more than a small body is worth.
 */
function passing(bytes: Uint8Array): Uint8Array | Readable {
  if (bytes.length <= SMALL_BYTES) return bytes;
  const stream = new Readable({ read: () => {} });
  // A request that is given up destroys it; that must not end the process.
  stream.on("error", () => undefined);
  stream.push(bytes);
  stream.push(null);
  return stream;
}

/** @param connectMs until the connection stands, TLS included. */
export function createTransport(clock: Clock, connectMs: number): Transport {
  // undici's own limits would run on timers of its own; the client has limits for the same waits on the clock.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
    connect: connectorWithin(clock, connectMs),
  });

  return {
    async post(head, body, signal) {
      const bytes = Buffer.from(body);
      const answer = await request(head.url, {
        dispatcher: agent,
        method: "POST",
        headers: { ...head.headers, "content-length": `${bytes.length}` },
        body: passing(bytes),
        signal,
      });
      // A body that is cut while nobody reads it must not end the process.
      answer.body.on("error", () => undefined);
      const { statusCode: status } = answer;
      if (status >= 200 && status < 300) return answer.body;
      const text = await firstOf(answer.body, ERROR_BYTES);
      throw errorOf(status, text, headersOf(answer.headers));
    },
    release(body) {
      if (body.destroyed || body.readableEnded) return;
      const cancel = clock.after(RELEASE_MS, () => body.destroy());
      body.once("close", cancel);
      body.resume();
    },
    close: () => agent.destroy(),
  };
}

/** Some servers put what is wrong into `error`, some into the body itself. */
function errorOf(status: number, text: string, headers: Headers): APIError {
  const told = objectOf(parseJson(text));
  if (told === undefined) return APIError.generate(status, undefined, text, headers);
  return APIError.generate(status, { error: told["error"] ?? told }, undefined, headers);
}

function headersOf(given: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return headers;
}

/** undici's connector without its timer, within a limit on the clock. */
function connectorWithin(clock: Clock, connectMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: 0, allowH2: false });
  return (options, callback) => {
    // The connector hands its socket out at once; the types know only of the callback.
    const socket: unknown = connect(options, (...outcome) => {
      cancel();
      callback(...outcome);
    });
    const cancel = clock.after(connectMs, () => {
      if (isDestroyable(socket)) socket.destroy(timedOut("connect", connectMs));
    });
    return socket;
  };
}

function isDestroyable(value: unknown): value is { destroy(error: Error): void } {
  return (
    typeof value === "object" && value !== null && "destroy" in value && typeof value.destroy === "function"
  );
}

/** The beginning of a body as text; the rest is thrown away with its connection. */
async function firstOf(body: Readable, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    pieces.push(piece.subarray(0, limit - bytes));
    bytes += piece.length;
    if (bytes >= limit) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}
