import { createServer } from "node:net";
import { expect, test } from "vitest";
import { checkRedis } from "../../src/queue/redis-check.ts";
import { freshRedis, ownRedis } from "../support/services/redis.ts";

test("Q10: a Redis that may evict keys is unfit, and the fix says what to set", async () => {
  await using redis = await ownRedis({ maxmemoryPolicy: "allkeys-lru" });
  const check = await checkRedis(redis.url);
  expect(check).toMatchObject({ kind: "unfit" });
  expect(check).toHaveProperty("sentence", expect.stringContaining("allkeys-lru"));
  expect(check).toHaveProperty("fix", expect.stringContaining("noeviction"));
});

test("a Redis as it should be is fit", async () => {
  await using redis = await freshRedis();
  expect(await checkRedis(redis.url)).toMatchObject({ kind: "fit" });
});

test("a Redis that is not there is unreachable: it may still come", async () => {
  expect(await checkRedis("redis://:secret@127.0.0.1:1/0")).toMatchObject({
    kind: "unreachable",
    sentence: expect.not.stringContaining("secret"),
  });
});

test("a Redis before 6.2 is unfit", async () => {
  const server = createServer((socket) => {
    const info = "redis_version:6.0.16\r\nmaxmemory_policy:noeviction\r\n";
    // One answer for each request that comes; what is asked does not matter here.
    socket.on("data", (chunk) => {
      for (const _ of chunk.toString().match(/^\*\d/gm) ?? []) socket.write(`$${info.length}\r\n${info}\r\n`);
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    expect(await checkRedis(`redis://127.0.0.1:${port}`)).toMatchObject({
      kind: "unfit",
      sentence: expect.stringContaining("6.0.16"),
    });
  } finally {
    server.close();
  }
});
