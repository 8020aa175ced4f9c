// One request to the fake provider and the means to answer it, down to single bytes and broken sockets.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly [more: string]: unknown;
}

export interface ReceivedRequest {
  /** From 1. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes. */
  readonly raw: Buffer;
  /** Parsed; an empty object when it is no JSON. */
  readonly body: {
    readonly model: string;
    readonly messages: readonly ChatMessage[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
    readonly [more: string]: unknown;
  };
}

export interface Exchange {
  readonly request: ReceivedRequest;
  /** The connection was closed, by whomever. */
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
  /** The fake closed it in the middle, by `cut` or `breakOff`. */
  readonly wasCut: boolean;
  /** Sends status and headers; by itself with the first write: 200 and an event stream. */
  begin(status?: number, headers?: Readonly<Record<string, string>>): void;
  /** Resolves when the bytes were handed to the socket; each write is a packet of its own where the network allows. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** `data: …` and a blank line. */
  event(data: unknown): Promise<void>;
  /** The whole answer as one JSON body. */
  json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): void;
  /** A clean end of the body. */
  end(): void;
  /** Destroys the socket in the middle, by a reset: what the client has not read by then is lost. */
  cut(): void;
  /** Closes the socket in the middle, behind what was written. */
  breakOff(): void;
}

export function createExchange(request: ReceivedRequest, response: ServerResponse): Exchange {
  const closed = new Promise<void>((resolve) => void response.once("close", () => resolve()));
  let wasCut = false;
  const exchange: Exchange = {
    request,
    closed,
    get isClosed() {
      return response.closed || response.destroyed;
    },
    get wasCut() {
      return wasCut;
    },
    begin(status = 200, headers = { "content-type": "text/event-stream" }) {
      response.writeHead(status, headers);
      response.flushHeaders();
    },
    async write(bytes) {
      if (exchange.isClosed) return;
      if (!response.headersSent) exchange.begin();
      const written = new Promise<void>((resolve) => void response.write(bytes, () => resolve()));
      await Promise.race([written, closed]);
    },
    event: (data) => exchange.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`),
    json(status, body, headers = {}) {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    },
    end() {
      if (!response.headersSent) exchange.begin();
      response.end();
    },
    cut() {
      wasCut = true;
      response.socket?.resetAndDestroy();
    },
    breakOff() {
      wasCut = true;
      response.socket?.destroy();
    },
  };
  return exchange;
}
