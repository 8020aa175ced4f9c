/**
 * A model provider that does nothing but stream. The path says how: `/fast/<deltas>` as fast as the reader takes them, one
 * write each, or `/slow/<deltas>/<per second>`; `/told` is the way that the server was told last.
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
const LAST = Buffer.concat([chunk({}, "stop"), Buffer.from("data: [DONE]\n\n")]);

const chunkAt = (index: number): Buffer => CHUNKS[index % CHUNKS.length] ?? FIRST;

/** @param onRequest called when the whole request is there. */
export async function startModelServer(onRequest: () => void = () => {}): Promise<ModelServer> {
  let told = "fast/20";
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      onRequest();
      const path = request.url?.slice(1) ?? "";
      answer(path.startsWith("told/") ? told : path, response);
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

function answer(way: string, response: ServerResponse): void {
  const [speed, count, perSecond] = way.split("/");
  const deltas = Number(count);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(FIRST);
  if (speed === "slow") slowly(response, deltas, 1000 / Number(perSecond));
  else quickly(response, deltas);
}

function slowly(response: ServerResponse, deltas: number, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    response.write(chunkAt(sent));
    if (++sent < deltas) return;
    clearInterval(timer);
    response.end(LAST);
  }, everyMs);
  response.once("close", () => clearInterval(timer));
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
