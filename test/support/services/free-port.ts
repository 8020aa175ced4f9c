import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to whoever asks for any: those may be taken between this look and whoever listens. */
const PORTS = { from: 10_000, to: 32_000 };
const TRIES = 50;

/**
 * A loopback port that was free a moment ago, and that nobody is given by chance: it may be listened on later, or again after a restart.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port was free of ${TRIES}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
