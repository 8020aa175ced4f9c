import { once } from "node:events";
import { createServer } from "node:net";

/** A loopback port that was free a moment ago. Another process may take it, so whoever listens on it must try again. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the probe did not listen on a port");
  return address.port;
}
