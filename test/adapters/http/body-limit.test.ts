import { Readable } from "node:stream";
import { request } from "undici";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { limitBody } from "../../../src/adapters/http/body-limit.ts";
import { listen } from "../../../src/adapters/http/listen.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import type { Log } from "../../../src/core/ports/log.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

function pieces(text: string): Readable {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += 40) parts.push(text.slice(at, at + 40));
  return Readable.from(parts);
}

test.each([
  ["says how long it is", (text: string) => text],
  ["comes in pieces without a length", pieces],
])("a body that %s is read up to the limit and refused beyond it", async (_, bodyOf) => {
  const app = new Hono();
  app.post("/", limitBody({ maxSize: 100 }), async (c) => c.text(await c.req.text()));
  const deps = { apps: [{ path: "/", app }], checks: [], clock: createSystemClock(), log: silent };
  const server = await listen(deps, { host: "127.0.0.1", port: 0 });
  try {
    const answers: unknown[] = [];
    for (const length of [0, 1, 100, 101, 5_000]) {
      const { statusCode, body } = await request(server.url, {
        method: "POST",
        body: bodyOf("x".repeat(length)),
      });
      const text = await body.text();
      answers.push(statusCode === 200 ? text.length : statusCode);
    }
    expect(answers).toEqual([0, 1, 100, 413, 413]);
  } finally {
    await server.close();
  }
});
