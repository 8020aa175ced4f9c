/** The barest HTTP server that reads a JSON body and answers. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveQuestions } from "../program.ts";

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.once("end", () => {
    const body = JSON.parse(Buffer.concat(pieces).toString()) as { id: string };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: body.id }));
  });
});
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
serveQuestions<object>(() => Promise.resolve({ url: `http://127.0.0.1:${port}/` }));
