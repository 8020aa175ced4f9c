/**
 * A model provider that does nothing but stream. The path says how: `/fast/<deltas>` as fast as the reader takes them, one
 * write each, or `/slow/<deltas>/<per second>`; `/tool/<deltas>` calls a tool first, and answers when the result is there;
 * `/call/<deltas>/<name>` calls the tool of that name, without arguments;
 * `/told` is the way that the server was told last.
 */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ModelServer {
  /** The base URL for a way of streaming, such as `fast/20`. */
  url(way: string): string;
  /** The way of `told` for requests from now on. */
  tell(way: string): void;
  close(): Promise<void>;
}

export interface ModelEvents {
  /** The whole request is there. */
  readonly onRequest?: (body: string) => void;
  /** The first delta with text goes out. */
  readonly onFirstText?: () => void;
  /** The last delta goes out. */
  readonly onEnd?: () => void;
  /** Who read has closed the stream before its end. */
  readonly onLeft?: () => void;
}

const PIECES = ["Hello", " wor", "ld", ", th", "is ", "is a", " del", "ta. ", "émo ", "日本 "];
/** As long as the chunks of a real provider, some 300 bytes. */
const chunk = (delta: object, finish: string | null): Buffer =>
  Buffer.from(
    `data: ${JSON.stringify({
      id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "fake-2026-01-01",
      service_tier: "default",
      system_fingerprint: "fp_44709d6fcb",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      obfuscation: "q2LZ9vY7c",
    })}\n\n`,
  );
const FIRST = chunk({ role: "assistant", content: "" }, null);
const CHUNKS = PIECES.map((content) => chunk({ content }, null));
const DONE = Buffer.from("data: [DONE]\n\n");
const LAST = Buffer.concat([chunk({}, "stop"), DONE]);
const callPiece = (call: object): Buffer => chunk({ tool_calls: [{ index: 0, ...call }] }, null);
const CALL = [
  callPiece({ id: "call_1", type: "function", function: { name: "time_in_zone", arguments: "" } }),
  callPiece({ function: { arguments: '{"zone":' } }),
  callPiece({ function: { arguments: '"Europe/Lisbon"}' } }),
  chunk({}, "tool_calls"),
  DONE,
];

const chunkAt = (index: number): Buffer => CHUNKS[index % CHUNKS.length] ?? FIRST;

export async function startModelServer(events: ModelEvents = {}): Promise<ModelServer> {
  let told = "fast/20";
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.once("end", () => {
      const body = Buffer.concat(pieces).toString();
      events.onRequest?.(body);
      const path = request.url?.slice(1) ?? "";
      answer(path.startsWith("told/") ? told : path, body, response, events);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (way) => `http://127.0.0.1:${port}/${way}`,
    tell: (way) => {
      told = way;
    },
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(way: string, body: string, response: ServerResponse, events: ModelEvents): void {
  const [speed, count, more = ""] = way.split("/");
  const deltas = Number(count);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(FIRST);
  if (speed === "tool" && !body.includes('"role":"tool"')) {
    for (const piece of CALL) response.write(piece);
    response.end();
  } else if (speed === "call" && !body.includes('"role":"tool"')) {
    const call = { id: "call_1", type: "function", function: { name: more, arguments: "{}" } };
    for (const piece of [callPiece(call), chunk({}, "tool_calls"), DONE]) response.write(piece);
    response.end();
  } else if (speed === "slow") slowly(response, deltas, 1000 / Number(more), events);
  else quickly(response, deltas);
}

function slowly(response: ServerResponse, deltas: number, everyMs: number, events: ModelEvents): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent === 0) events.onFirstText?.();
    response.write(chunkAt(sent));
    if (++sent < deltas) return;
    clearInterval(timer);
    response.end(LAST);
    events.onEnd?.();
  }, everyMs);
  response.once("close", () => {
    clearInterval(timer);
    if (!response.writableFinished) events.onLeft?.();
  });
}

function quickly(response: ServerResponse, deltas: number): void {
  let sent = 0;
  const go = (): void => {
    let hasRoom = true;
    for (let burst = 0; sent < deltas && hasRoom && burst < 20; burst++)
      hasRoom = response.write(chunkAt(sent++));
    if (sent >= deltas) response.end(LAST);
    else if (hasRoom) setImmediate(go);
    else response.once("drain", go);
  };
  go();
}
