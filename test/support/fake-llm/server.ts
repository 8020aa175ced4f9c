// A model provider at the network edge: a real HTTP server that speaks Chat Completions, strict like the strictest provider,
// and able to misbehave in every way that was seen in the field. It shares no code with the product.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createExchange, type Exchange, type ReceivedRequest } from "./exchange.ts";
import { createTalker, TalkerReach, type Hold, type TalkerOptions } from "./talker.ts";
import { complaintsAbout } from "./strict-provider.ts";

/** Plays one answer. What it throws fails `close`. */
export type FakeAnswer = (exchange: Exchange) => Promise<void> | void;

export interface FakeLlmOptions {
  /** Refuse requests that a strict provider refuses, with 400. Default true. */
  readonly strict?: boolean;
  /** Refuse every other key with 401. Without it any key will do. */
  readonly apiKey?: string;
  readonly talker?: TalkerOptions;
  /** Any free one unless said. */
  readonly port?: number;
}

export interface FakeLlm {
  /** The base URL, `/v1` included. */
  readonly url: string;
  /** In the order in which their bodies were complete; refused ones too. */
  readonly requests: readonly ReceivedRequest[];
  /** What the strict provider had to complain about, over all requests. */
  readonly complaints: readonly string[];
  /** Answers for the next requests, one each, before anything else. */
  script(...answers: readonly FakeAnswer[]): void;
  /** Answers of the script that no request took. */
  readonly unused: number;
  /** Plays every request that the script has nothing for; instead of the talker. */
  respondWith(answer: FakeAnswer): void;
  /**
   * From now on the talker stops behind so many words of each answer, also of one that is under way, until that is released or goes
   * out of scope: what a test has to see amid an answer stands there for as long as it looks, however slow the machine is.
   */
  hold(words: number): Hold;
  /** Answers that have begun and not ended, and the most there ever were at once. */
  readonly open: number;
  readonly mostOpen: number;
  /** Answers that the client closed before their end. */
  readonly abandoned: number;
  /** Connections that were accepted: fewer than requests where they were used again. */
  readonly connections: number;
  close(): Promise<void>;
}

export async function createFakeLlm(options: FakeLlmOptions = {}): Promise<FakeLlm> {
  const { strict = true, apiKey } = options;
  const requests: ReceivedRequest[] = [];
  const complaints: string[] = [];
  const scripted: FakeAnswer[] = [];
  const failures: unknown[] = [];
  const count = { open: 0, mostOpen: 0, abandoned: 0, connections: 0 };
  const reach = new TalkerReach();
  let answerOthers: FakeAnswer = createTalker(options.talker, reach);

  const play = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const raw = await bytesOf(incoming);
    const request = received(requests.length + 1, incoming, raw);
    requests.push(request);
    count.open++;
    count.mostOpen = Math.max(count.mostOpen, count.open);
    response.once("close", () => {
      count.open--;
      if (!response.writableFinished && !exchange.wasCut) count.abandoned++;
    });
    const exchange = createExchange(request, response);
    const refusal = refusalOf(request);
    const answer = refusal ?? scripted.shift() ?? answerOthers;
    await answer(exchange);
  };

  const refusalOf = (request: ReceivedRequest): FakeAnswer | undefined => {
    if (request.method !== "POST" || !request.path.endsWith("/chat/completions")) {
      return (exchange) => exchange.json(404, { error: { message: `no route ${request.path}` } });
    }
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      const message = `Incorrect API key provided: ${request.headers.authorization ?? "none"}`;
      return (exchange) => exchange.json(401, { error: { message, code: "invalid_api_key" } });
    }
    const found = strict ? complaintsAbout(request.raw) : [];
    if (found.length === 0) return undefined;
    complaints.push(...found);
    const error = { message: found.join("; "), type: "invalid_request_error", code: "invalid_request" };
    return (exchange) => exchange.json(400, { error });
  };

  const server = createServer((incoming, response) => {
    play(incoming, response).catch((error: unknown) => {
      failures.push(error);
      response.destroy();
    });
  });
  server.on("connection", () => count.connections++);
  await new Promise<void>((resolve) => void server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    complaints,
    script: (...answers) => void scripted.push(...answers),
    get unused() {
      return scripted.length;
    },
    respondWith(answer) {
      answerOthers = answer;
    },
    hold: (words) => reach.hold(words),
    get open() {
      return count.open;
    },
    get mostOpen() {
      return count.mostOpen;
    },
    get abandoned() {
      return count.abandoned;
    },
    get connections() {
      return count.connections;
    },
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      if (failures.length > 0) throw new AggregateError(failures, "answers of the fake model failed");
    },
  };
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

function received(number: number, incoming: IncomingMessage, raw: Buffer): ReceivedRequest {
  let body: unknown;
  try {
    body = JSON.parse(raw.toString("utf8"));
  } catch {
    body = undefined;
  }
  return {
    number,
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    raw,
    body: (body ?? {}) as ReceivedRequest["body"],
  };
}
