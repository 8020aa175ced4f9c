import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { expect, test } from "vitest";
import { chromiumFlags, chromiumPath } from "../support/services/chromium.ts";
import { emptyDatabase, freshDatabase, ownPostgres } from "../support/services/postgres.ts";
import { withRedis } from "../support/services/redis-server.ts";
import { freshRedis, ownRedis } from "../support/services/redis.ts";
import { until } from "../support/until.ts";

const run = promisify(execFile);

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

const tables = "select tablename from pg_tables where schemaname = 'public'";

test("fresh databases have the schema, are apart, and many can be made at once", async () => {
  await using databases = new AsyncDisposableStack();
  const urls = await Promise.all(
    Array.from({ length: 8 }, async () => databases.use(await freshDatabase()).url),
  );
  expect(new Set(urls).size).toBe(8);
  expect(await query(urls[0]!, tables)).not.toHaveLength(0);
  await query(urls[0]!, "create table only_here (n int)");
  expect(await query(urls[1]!, `${tables} and tablename = 'only_here'`)).toHaveLength(0);
  await using empty = await emptyDatabase();
  expect(await query(empty.url, tables)).toHaveLength(0);
});

test("a Postgres of one's own keeps its data over a crash and a restart", async () => {
  await using server = await ownPostgres();
  await query(server.url, "create table kept (n int)");
  await query(server.url, "insert into kept values (7)");
  await server.stop("immediate");
  await expect(query(server.url, "select 1")).rejects.toThrow();
  await server.start();
  expect(await query(server.url, "select n from kept")).toEqual([{ n: 7 }]);
});

test("two corners of the shared Redis do not see each other", async () => {
  await using one = await freshRedis();
  await using two = await freshRedis();
  expect(one.prefix).not.toBe(two.prefix);
  await withRedis(one.url, (redis) => redis.set(`${one.prefix}:a`, "1"));
  expect(await withRedis(two.url, (redis) => redis.keys(`${two.prefix}*`))).toEqual([]);
});

test("a Redis of one's own can be emptied, frozen, stopped and started again", async () => {
  await using server = await ownRedis({ keeps: "everything" });
  const set = () => withRedis(server.url, (redis) => redis.set("a", "1"));
  const get = () => withRedis(server.url, (redis) => redis.get("a"));
  await set();
  await server.flush();
  expect(await get()).toBe(null);
  await set();
  await server.stop("kill");
  await expect(get()).rejects.toThrow();
  await server.start();
  expect(await get()).toBe("1");
  server.freeze();
  const late = get();
  server.thaw();
  expect(await late).toBe("1");
});

test("a server ends and its folder goes when the process that started it is killed", async () => {
  const support = join(import.meta.dirname, "../support/services/redis-server.ts");
  const program = `import { startRedis } from ${JSON.stringify(support)};
    const server = await startRedis();
    console.log(server.url);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const url = line.toString().trim();
  const [, folder] = (await withRedis(url, (redis) => redis.config("GET", "dir"))) as [string, string];
  expect(existsSync(folder)).toBe(true);
  child.kill("SIGKILL");
  await until(
    () =>
      withRedis(url, (redis) => redis.ping()).then(
        () => false,
        () => true,
      ),
    { what: "the server is gone" },
  );
  await until(() => !existsSync(folder), { what: "its folder is gone" });
});

test("Chromium is there and shows a page", async () => {
  const path = await chromiumPath();
  const page = "data:text/html,<p>hello</p>";
  const { stdout } = await run(path, [...chromiumFlags, "--dump-dom", page], { timeout: 60_000 });
  expect(stdout).toContain("<p>hello</p>");
});
