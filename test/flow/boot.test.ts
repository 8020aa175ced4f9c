// Starting: what is wrong ends the start with a sentence and its fix, what is only not there yet is waited for.
import { get } from "node:http";
import { createServer } from "node:net";
import pg from "pg";
import { expect, test } from "vitest";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct, type Environment, type ProductProcess } from "../support/product.ts";
import { freePort } from "../support/services/free-port.ts";
import { emptyDatabase, freshDatabase, ownPostgres } from "../support/services/postgres.ts";
import { withRedis } from "../support/services/redis-server.ts";
import { freshRedis, ownRedis } from "../support/services/redis.ts";
import { until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";

/** What an operator reads on the terminal: the lines that are not the log's. */
const saidBy = ({ output }: ProductProcess): string[] =>
  output.split("\n").filter((line) => line !== "" && !line.startsWith("{"));

async function refused(role: string, env: Environment): Promise<readonly string[]> {
  await using process = spawnProduct(role, env);
  expect(await process.exited).toBe(1);
  expect(process.output).not.toContain("secret-word");
  return saidBy(process);
}

test("settings that are wrong are told all at once, each with its fix", async () => {
  const said = await refused("worker", {
    PORT: "many",
    REDIS_URL: "http://somewhere",
    WEB_CHAT: "perhaps",
    MODEL: "m",
    SLACK_BOT_TOKEN: "secret-word",
  });
  expect(said[0]).toBe("Some settings are wrong:");
  for (const name of ["PORT", "REDIS_URL", "WEB_CHAT", "DATABASE_URL", "OPENAI_API_KEY", "SLACK_BOT_TOKEN"]) {
    expect(said.find((line) => line.startsWith(`  ${name} `))).toMatch(/\. .+/);
  }
});

test("a word that is no command is answered with those that are", async () => {
  await using process = spawnProduct("strat", {});
  expect(await process.exited).toBe(2);
  expect(saidBy(process)).toEqual([
    "There is no command strat. Commands: start, gateway, worker, migrate, doctor, export, import.",
  ]);
});

test("a port that is taken ends the start with the port and what to set", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await until(() => other.listening, { what: "the other program listens" });
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  expect(await refused("start", { PORT: String(port), DATA_DIR: "/nowhere/at-all" })).toEqual([
    `Port ${port} on 127.0.0.1 is taken by another program. Set PORT to a free one, or stop that program.`,
  ]);
  other.close();
});

test("a Postgres that refuses us ends the start at once, and the password is not shown", async () => {
  await using database = await freshDatabase();
  const nobody = new URL(database.url);
  nobody.username = "nobody-of-that-name";
  nobody.password = "secret-word";
  const nowhere = new URL(database.url);
  nowhere.pathname = "/no_such_database";
  const [user, name] = await Promise.all([
    refused("start", { DATABASE_URL: nobody.href }),
    refused("migrate", { DATABASE_URL: nowhere.href }),
  ]);
  expect(user).toEqual([
    "Postgres cannot be used. It refuses the user or the password. Correct DATABASE_URL.",
  ]);
  expect(name).toEqual(["Postgres cannot be used. It has no database of that name. Correct DATABASE_URL."]);
});

test("a Redis that refuses us, or that may lose wake-ups, ends the start at once", async () => {
  await using database = await freshDatabase();
  await using locked = await ownRedis();
  await using cache = await ownRedis({ maxmemoryPolicy: "allkeys-lru" });
  await withRedis(locked.url, (redis) => redis.config("SET", "requirepass", "the right one"));
  const DATABASE_URL = database.url;
  const wrong = locked.url.replace("redis://", "redis://:secret-word@");
  const [without, withWrong, evicting] = await Promise.all([
    refused("worker", { DATABASE_URL, REDIS_URL: locked.url }),
    refused("gateway", { DATABASE_URL, REDIS_URL: wrong }),
    refused("worker", { DATABASE_URL, REDIS_URL: cache.url }),
  ]);
  const sentence = "Redis cannot be used. It refuses the user or the password. Correct REDIS_URL.";
  expect(without).toEqual([sentence]);
  expect(withWrong).toEqual([sentence]);
  expect(evicting).toEqual([expect.stringMatching(/allkeys-lru.*Set maxmemory-policy to noeviction/)]);
});

/** What health says: whether it lives, and what is missing. */
async function health(
  address: string,
): Promise<{ readonly alive: number; readonly ready: number; readonly text: string }> {
  const [alive, ready] = await Promise.all([fetch(`${address}/healthz`), fetch(`${address}/readyz`)]);
  return { alive: alive.status, ready: ready.status, text: await ready.text() };
}

test("a gateway and a worker that start before Postgres and Redis say what they wait for, and work once they come", async () => {
  await using postgres = await ownPostgres();
  await using redis = await ownRedis();
  const llm = await createFakeLlm();
  await postgres.stop();
  await redis.stop();
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    WEB_CHAT: "on",
  };
  const ports = [await freePort(), await freePort()];
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
  const [gateway = "", worker = ""] = addresses;
  await using first = spawnProduct("gateway", { ...env, PORT: String(ports[0]) });
  await using second = spawnProduct("worker", { ...env, PORT: String(ports[1]) });
  const waitsFor = (what: string) =>
    Promise.all(
      addresses.map((address) =>
        until(
          async () => {
            const { alive, ready, text } = await health(address);
            return (
              alive === 200 && ready === 503 && text.includes(`Bobbin is starting and waits for ${what}.`)
            );
          },
          { what: `${address} waits for ${what}` },
        ),
      ),
    );
  await waitsFor("Postgres");
  const page = await fetch(gateway);
  expect(page.status).toBe(503);
  expect(page.headers.get("refresh")).not.toBeNull();
  expect(await page.text()).toBe("Bobbin is starting and waits for Postgres.");
  const dan = createWebPerson(gateway);
  await expect(dan.say("too early")).rejects.toThrow("Bobbin is starting and waits for Postgres.");

  await postgres.start();
  await waitsFor("Redis");
  await redis.start();
  await Promise.all([first.ready(), second.ready()]);
  expect(await health(worker)).toEqual({ alive: 200, ready: 200, text: expect.any(String) });
  expect((await fetch(worker)).status).toBe(404);
  const thread = await dan.say("are you there now?");
  const [reply] = await dan.replies(thread, 1);
  expect(reply?.text).toContain("are you there now?");
  // Waiting is one line for each reason, not one for each try: a Postgres that starts says so for a moment.
  const reasons = first.output
    .split("\n")
    .flatMap((line) =>
      line.includes("Bobbin waits for Postgres") ? [/"why":"([^"]*)"/.exec(line)?.[1]] : [],
    );
  expect(reasons).toContainEqual(expect.any(String));
  expect(new Set(reasons).size).toBe(reasons.length);
  await llm.close();
});

test("who is asked to end while it waits ends in order", async () => {
  const port = await freePort();
  await using process = spawnProduct("start", {
    DATABASE_URL: `postgres://u@127.0.0.1:${await freePort()}/d`,
    PORT: String(port),
  });
  await until(async () => (await health(`http://127.0.0.1:${port}`)).ready === 503, {
    what: "it waits",
  });
  process.kill("SIGTERM");
  expect(await process.exited).toBe(0);
});

/** As it answers whoever comes by that name. */
async function statusAt(address: string, name: string): Promise<number | undefined> {
  const answered = Promise.withResolvers<number | undefined>();
  get(address, { headers: { Host: name } }, (response) => {
    response.resume();
    answered.resolve(response.statusCode);
  }).on("error", answered.reject);
  return answered.promise;
}

test("two workers and a gateway may bring an empty database to today's schema at the same time", async () => {
  await using database = await emptyDatabase();
  await using redis = await freshRedis();
  const reached = { WEB_CHAT: "public", PUBLIC_URL: "https://bot.example" };
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, ...reached };
  await using one = spawnProduct("worker", env);
  await using two = spawnProduct("worker", env);
  await using gateway = spawnProduct("gateway", env);
  const [address] = await Promise.all([gateway.ready(), one.ready(), two.ready()]);
  const eve = createWebPerson(address);
  const thread = await eve.say("hello");
  const [reply] = await eve.replies(thread, 1);
  expect(reply?.state).toBe("settled");
  // A chat that was opened to others is told whoever starts it.
  expect(await statusAt(address, "bot.example")).toBe(200);
  expect(gateway.output).toContain("The web chat is public");
  expect(one.output).not.toContain("The web chat is public");
});

test("who is asked to end while it waits for a Postgres that lets it wait for ever ends at once", async () => {
  await using database = await freshDatabase();
  const busy = new pg.Client({ connectionString: database.url });
  await busy.connect();
  await using _ = { [Symbol.asyncDispose]: () => busy.end() };
  // What node-pg-migrate takes: another process migrates, and takes its time.
  await busy.query("select pg_advisory_lock(7241865325823964)");
  await using process = spawnProduct("start", { DATABASE_URL: database.url });
  const waits = "select from pg_locks where locktype = 'advisory' and not granted";
  await until(async () => (await busy.query(waits)).rowCount === 1, { what: "it waits" });
  process.kill("SIGTERM");
  expect(await process.exited).toBe(0);
});
