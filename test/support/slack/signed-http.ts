// Events, commands and interactions as signed requests to the app's request URL.
import { createHmac } from "node:crypto";
import type { Attempt, AttemptResult, Payload, Transport } from "./delivery.ts";

export interface RequestUrls {
  readonly events: string;
  readonly interactivity: string;
  readonly commands: string;
}

export interface SignedRequest {
  /** Sent as it is. */
  readonly body: string;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** How long ago it claims to have been signed. Default 0; Slack's window is 300. */
  readonly ageS?: number;
  /** Signs with this instead of the app's signing secret. */
  readonly secret?: string;
  /** The whole header, or nothing to leave it out, instead of a right signature. */
  readonly signature?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export class SignedHttp implements Transport {
  urls: RequestUrls | undefined;
  readonly #secret: string;
  readonly #nowMs: () => number;
  readonly #ackTimeoutMs: number;

  constructor(secret: string, nowMs: () => number, ackTimeoutMs: number) {
    this.#secret = secret;
    this.#nowMs = nowMs;
    this.#ackTimeoutMs = ackTimeoutMs;
  }

  /** Sends anything anywhere, right or wrong. */
  async post(url: string, request: SignedRequest): Promise<Response> {
    const { body, contentType = "application/json", ageS = 0, secret = this.#secret, headers = {} } = request;
    const timestamp = String(Math.floor(this.#nowMs() / 1000) - ageS);
    const computed = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
    const signature = "signature" in request ? request.signature : computed;
    return fetch(url, {
      method: "POST",
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(this.#ackTimeoutMs),
      headers: {
        "content-type": contentType,
        "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "x-slack-request-timestamp": timestamp,
        ...(signature === undefined ? {} : { "x-slack-signature": signature }),
        ...headers,
      },
    });
  }

  /** @returns whether the app answered with the challenge, as it must before Slack takes its URL. */
  async verify(url: string): Promise<boolean> {
    const challenge = crypto.randomUUID();
    const body = JSON.stringify({ token: "not-used", challenge, type: "url_verification" });
    const response = await this.post(url, { body });
    const text = await response.text();
    if (response.status !== 200) return false;
    return text === challenge || text.includes(`"challenge":"${challenge}"`);
  }

  async attempt(payload: Payload, attempt: Attempt): Promise<AttemptResult> {
    if (!this.urls) return { kind: "failed", reason: "no_connection" };
    try {
      const response = await this.post(this.#urlFor(payload, this.urls), requestOf(payload, attempt));
      const text = await response.text();
      if (!response.ok) return { kind: "failed", reason: "http_error" };
      return { kind: "acknowledged", answer: answerIn(text, response.headers.get("content-type") ?? "") };
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === "TimeoutError";
      return { kind: "failed", reason: isLate ? "http_timeout" : "connection_failed" };
    }
  }

  #urlFor({ kind }: Payload, urls: RequestUrls): string {
    return { event: urls.events, interactive: urls.interactivity, command: urls.commands }[kind];
  }
}

function requestOf({ kind, body }: Payload, { retry, reason }: Attempt): SignedRequest {
  const form = "application/x-www-form-urlencoded";
  switch (kind) {
    case "event": {
      const headers =
        retry === 0
          ? {}
          : { "x-slack-retry-num": String(retry), "x-slack-retry-reason": reason ?? "unknown_error" };
      return { body: JSON.stringify(body), headers };
    }
    case "interactive":
      return { body: new URLSearchParams({ payload: JSON.stringify(body) }).toString(), contentType: form };
    case "command": {
      const fields = Object.entries(body).map(([key, value]): [string, string] => [key, String(value)]);
      return { body: new URLSearchParams(fields).toString(), contentType: form };
    }
    default:
      return kind satisfies never;
  }
}

function answerIn(text: string, contentType: string): unknown {
  if (text === "") return undefined;
  return contentType.startsWith("application/json") ? (JSON.parse(text) as unknown) : text;
}
