/**
 * Events, clicks and commands over HTTP, as a receiver of Bolt's that lives in our one HTTP server. Nothing is read as a
 * message before its signature was checked; what was not stored is answered with an error, so that Slack sends it again.
 */

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
  async fetch(request: Request): Promise<Response> {
    if (request.method !== "POST") return plain(405, "Slack posts here.");
    const body = await readUpTo(request, this.#bodyBytes);
    if (body === "too_long") return plain(413, "This is too long.");
    if (body === "broken") return plain(400, "The request broke off.");
    const { headers, url } = request;
    const signed = {
      timestamp: headers.get("x-slack-request-timestamp"),
      signature: headers.get("x-slack-signature"),
      body,
    };
    if (!isFromSlack(signed, this.#signingSecret, this.#clock.now())) {
      this.#log.warn("a request that does not come from Slack, or comes too late, was refused", {
        retry: headers.get("x-slack-retry-num"),
      });
      return plain(401, "This does not come from Slack.");
    }
    if (new URL(url).pathname.replace(/\/$/, "") !== REQUEST_PATH) return plain(404, "Nothing is here.");
    const payload = payloadIn(body, headers.get("content-type") ?? "");
    if (payload === undefined) return plain(400, "This cannot be read.");
    if (payload["type"] === "url_verification") return plain(200, textOf(payload["challenge"]) ?? "");
    if (payload["ssl_check"] !== undefined) return plain(200, "");
    if (this.#app === undefined || !this.#isOpen) return plain(503, "The bot is not ready.");
    return this.#process(this.#app, payload);
  }

  async #process(app: App, payload: Payload): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<Response>();
    app
      .processEvent({
        body: { ...payload },
        ack: (response) => {
          resolve(acknowledged(response));
          return Promise.resolve();
        },
      })
      // What nobody has acknowledged is nothing that we know: Slack need not send it again.
      .then(
        () => resolve(plain(200, "")),
        (error: unknown) => {
          this.#log.error("a delivery of Slack's was not taken; Slack sends events again", { error });
          resolve(plain(503, "The bot could not store this."));
        },
      );
    return promise;
  }
}

function acknowledged(response: unknown): Response {
  if (response === undefined || response === null) return plain(200, "");
  return typeof response === "string" ? plain(200, response) : Response.json(response);
}

function plain(status: number, text: string): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

async function readUpTo(request: Request, most: number): Promise<Uint8Array | "too_long" | "broken"> {
  const length = request.headers.get("content-length");
  if (Number(length ?? 0) > most) return "too_long";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    // HTTP lets no more come than was said; read as a stream, an event would cost a third more.
    if (length !== null) {
      const body = new Uint8Array(await request.arrayBuffer());
      return body.byteLength > most ? "too_long" : body;
    }
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > most) return "too_long";
      chunks.push(chunk);
    }
  } catch {
    return "broken";
  }
  return Buffer.concat(chunks, bytes);
}

/** Events are JSON; clicks are a form with JSON in one field; slash commands are a form. */
function payloadIn(body: Uint8Array, contentType: string): Payload | undefined {
  const text = new TextDecoder().decode(body);
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
