/**
 * HTTP for the SDK, on undici's `request`: half the CPU and memory per stream of the global fetch. The SDK gets an answer
 * without a body; whoever asked takes the body's bytes from here.
 */

import { Readable } from "node:stream";
import { Agent, buildConnector, request } from "undici";
import type { Clock } from "../../core/ports/clock.ts";
import { timedOut } from "./failures.ts";

type Fetch = typeof globalThis.fetch;

export interface Transport {
  /** For the SDK. Rejects when the connection fails; an answer outside of 2xx carries its (bounded) body. */
  readonly fetch: Fetch;
  /** The body of an answer with 2xx, once. @throws TypeError when the answer is not one of ours. */
  take(response: Response): Readable;
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
/** Answers that may not have a body by the rules of fetch. */
const BODILESS = new Set([101, 103, 204, 205, 304]);

/** undici holds what it is given until the answer has ended, and a request is large; a stream lets go of what was read. */
function passing(bytes: Uint8Array): Readable {
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
  const bodies = new WeakMap<Response, Readable>();

  return {
    async fetch(input, init) {
      const bytes = Buffer.from(typeof init?.body === "string" ? init.body : "");
      const sent = new Headers(init?.headers);
      sent.set("content-length", `${bytes.length}`);
      const answer = await request(input instanceof Request ? input.url : input, {
        dispatcher: agent,
        method: "POST",
        headers: Object.fromEntries(sent),
        body: passing(bytes),
        signal: init?.signal ?? null,
      });
      const { statusCode: status } = answer;
      const headers = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) {
        if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
      }
      // A body that is cut while nobody reads it must not end the process.
      answer.body.on("error", () => undefined);
      if (status >= 200 && status < 300) {
        const response = new Response(null, { status, headers });
        bodies.set(response, answer.body);
        return response;
      }
      const text = await firstOf(answer.body, ERROR_BYTES);
      return new Response(BODILESS.has(status) ? null : text, { status, headers });
    },
    take(response) {
      const body = bodies.get(response);
      if (body === undefined) throw new TypeError("this answer has no body to take");
      bodies.delete(response);
      return body;
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
