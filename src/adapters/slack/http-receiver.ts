/**
 * Events, clicks and commands over HTTP, as a receiver of Bolt's that lives in our one HTTP server. Nothing is read as a
 * message before its signature was checked; what was not stored is answered with an error, so that Slack sends it again.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { App, Receiver } from "@slack/bolt";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { fieldsOf, textOf, type Payload } from "./payload.ts";
import { isFromSlack } from "./signature.ts";

export interface HttpReceiverOptions {
  readonly signingSecret: string;
  /** Largest body that is read, bytes. Default 4 MiB: Slack's own payloads stay far below. */
  readonly bodyBytes?: number;
}

/** Slack sends everything to the one address that the manifest names. */
export const REQUEST_PATH = "/slack/events";

export class HttpReceiver implements Receiver {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #signingSecret: string;
  readonly #bodyBytes: number;
  #app: App | undefined;
  #isOpen = false;

  constructor(deps: { readonly clock: Clock; readonly log: Log }, options: HttpReceiverOptions) {
    // Every request could be signed with an empty secret.
    if (options.signingSecret === "") throw new RangeError("a signing secret is needed");
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#signingSecret = options.signingSecret;
    this.#bodyBytes = options.bodyBytes ?? 4 * 1024 * 1024;
  }

  init(app: App): void {
    this.#app = app;
  }

  start(): Promise<void> {
    this.#isOpen = true;
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#isOpen = false;
    return Promise.resolve();
  }

  /** Answers whatever lies below `/slack`. Never rejects. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method, url = "" } = request;
    if (method !== "POST") return plain(response, 405, "Slack posts here.");
    const body = await readUpTo(request, this.#bodyBytes);
    if (body === "too_long") return plain(response, 413, "This is too long.");
    if (body === "broken") return plain(response, 400, "The request broke off.");
    const signed = {
      timestamp: headerIn(headers, "x-slack-request-timestamp"),
      signature: headerIn(headers, "x-slack-signature"),
      body,
    };
    if (!isFromSlack(signed, this.#signingSecret, this.#clock.now())) {
      this.#log.warn("a request that does not come from Slack, or comes too late, was refused", {
        retry: headerIn(headers, "x-slack-retry-num"),
      });
      return plain(response, 401, "This does not come from Slack.");
    }
    if (url.replace(/\/?(?:\?.*)?$/, "") !== REQUEST_PATH) return plain(response, 404, "Nothing is here.");
    const payload = payloadIn(body.toString(), headers["content-type"] ?? "");
    if (payload === undefined) return plain(response, 400, "This cannot be read.");
    if (payload["type"] === "url_verification")
      return plain(response, 200, textOf(payload["challenge"]) ?? "");
    if (payload["ssl_check"] !== undefined) return plain(response, 200, "");
    if (this.#app === undefined || !this.#isOpen) return plain(response, 503, "The bot is not ready.");
    return this.#process(this.#app, payload, response);
  }

  async #process(app: App, payload: Payload, response: ServerResponse): Promise<void> {
    try {
      await app.processEvent({
        body: { ...payload },
        ack: (answer) => {
          acknowledge(response, answer);
          return Promise.resolve();
        },
      });
      // What nobody has acknowledged is nothing that we know: Slack need not send it again.
      if (!response.headersSent) acknowledge(response, undefined);
    } catch (error) {
      this.#log.error("a delivery of Slack's was not taken; Slack sends events again", { error });
      if (!response.headersSent) plain(response, 503, "The bot could not store this.");
    }
  }
}

function acknowledge(response: ServerResponse, answer: unknown): void {
  if (answer === undefined || answer === null) plain(response, 200, "");
  else if (typeof answer === "string") plain(response, 200, answer);
  else answerWith(response, 200, "application/json", JSON.stringify(answer));
}

function plain(response: ServerResponse, status: number, text: string): void {
  answerWith(response, status, "text/plain; charset=utf-8", text);
}

function answerWith(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

function headerIn(headers: IncomingMessage["headers"], name: string): string | null {
  const value = headers[name];
  return typeof value === "string" ? value : null;
}

/** What is too long is not kept; Node reads it away. */
function readUpTo(request: IncomingMessage, most: number): Promise<Buffer | "too_long" | "broken"> {
  if (Number(request.headers["content-length"] ?? 0) > most) return Promise.resolve("too_long");
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= most) pieces.push(piece);
      else resolve("too_long");
    });
    request.once("end", () => {
      const [whole = Buffer.alloc(0)] = pieces;
      resolve(pieces.length > 1 ? Buffer.concat(pieces, bytes) : whole);
    });
    request.once("error", () => resolve("broken"));
    request.once("close", () => resolve("broken"));
  });
}

/** Events are JSON; clicks are a form with JSON in one field; slash commands are a form. */
function payloadIn(text: string, contentType: string): Payload | undefined {
  try {
    if (!contentType.startsWith("application/x-www-form-urlencoded")) return objectIn(text);
    const form = new URLSearchParams(text);
    const payload = form.get("payload");
    return payload === null ? Object.fromEntries(form) : objectIn(payload);
  } catch {
    return undefined;
  }
}

function objectIn(text: string): Payload | undefined {
  const value: unknown = JSON.parse(text);
  const fields = fieldsOf(value);
  return fields === value ? fields : undefined;
}
