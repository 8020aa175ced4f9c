import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, test } from "vitest";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { openPostgres } from "../../../src/adapters/postgres/pool.ts";
import { running } from "../../contract/run-store-subject.ts";
import { emptyDatabase } from "../../support/services/postgres.ts";
import { until } from "../../support/until.ts";
import { storesOver } from "./store-subject.ts";

const program = fileURLToPath(new URL("./programs/migrate.ts", import.meta.url));
const folder = fileURLToPath(new URL("../../../src/adapters/postgres/migrations", import.meta.url));

async function ours(): Promise<readonly string[]> {
  return (await readdir(folder)).sort().map((file) => file.replace(/\.sql$/, ""));
}

async function applied(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>("select name from migrations order by id");
  await client.end();
  return rows.map((row) => row.name);
}

test("P4: four processes migrate an empty database at once: all succeed, each migration is applied once", async () => {
  await using database = await emptyDatabase();
  const processes = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "pipe"] });
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    return {
      child,
      out: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
      complaint: () => complaint,
    };
  });
  // All have loaded their code before the first begins, so that they really meet.
  for (const { out } of processes) expect((await out.next()).value).toBe("ready");
  for (const { child } of processes) child.stdin.write(`${database.url}\n`);
  for (const { child, out, complaint } of processes) {
    const said: unknown = (await out.next()).value;
    expect(complaint()).toBe("");
    expect(said).toBe("done");
    if (child.exitCode === null) await once(child, "exit");
  }
  const names = await applied(database.url);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(0);
  const sql = openPostgres({ url: database.url });
  expect(await running(storesOver(sql), "it works")).toMatchObject({ kind: "run" });
  await sql.close();
});

test("P4: the same many times within one process, and again when there is nothing to do", async () => {
  await using database = await emptyDatabase();
  await Promise.all(Array.from({ length: 6 }, () => migrate(database.url)));
  const names = await applied(database.url);
  await migrate(database.url);
  expect(await applied(database.url)).toEqual(names);
});

test("each migration is kept by itself: what comes before one that was cut off stands, and who waited goes on behind it", async () => {
  await using database = await emptyDatabase();
  const [holder, sql] = [
    new pg.Client({ connectionString: database.url }),
    openPostgres({ url: database.url }),
  ];
  await holder.connect();
  // A table of the same name that is not committed yet holds up who wants to make it.
  await holder.query("begin; create table goals ()");
  const both = Promise.allSettled([migrate(database.url), migrate(database.url)]);
  const waiting = async (waitsFor: string): Promise<number | undefined> => {
    const [row] = await sql.query<{ pid: number }>(
      {
        text: `select pid from pg_stat_activity
          where datname = current_database() and application_name = 'bobbin migrate' and wait_event = $1`,
      },
      [waitsFor],
    );
    return row?.pid;
  };
  try {
    await until(() => waiting("advisory"), { what: "the one waits for the other" });
    const pid = await until(() => waiting("transactionid"), { what: "the other waits for the table" });
    expect(await applied(database.url)).toEqual((await ours()).filter((name) => name < "0014"));
    expect(await sql.query({ text: "select pg_terminate_backend($1, 10000) as ended" }, [pid])).toEqual([
      { ended: true },
    ]);
  } finally {
    await holder.end();
  }
  // Whoever was cut off is told that trying again helps.
  const [cutOff, ...others] = (await both).filter((outcome) => outcome.status === "rejected");
  expect(cutOff?.reason).toMatchObject({ code: "store_unavailable", retryable: true });
  expect(others).toEqual([]);
  expect(await applied(database.url)).toEqual(await ours());
  expect(await running(storesOver(sql), "it works")).toMatchObject({ kind: "run" });
  await sql.close();
});

test("a migration of a newer version whose number lies between ours stops nobody", async () => {
  await using database = await emptyDatabase();
  await migrate(database.url);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // As a newer version has left it, which ran all of its own in the order of their numbers.
  await client.query("update migrations set id = id + 1000 where name > '0004'");
  await client.query(
    "insert into migrations (id, name, run_on) select 500, '0003_came_in_late', min(run_on) from migrations",
  );
  await client.end();
  const names = await applied(database.url);
  await migrate(database.url);
  expect(await applied(database.url)).toEqual(names);
});

test("a schema that is newer than the code is left as it is", async () => {
  await using database = await emptyDatabase();
  await migrate(database.url);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("insert into migrations (name, run_on) values ('9999_of_tomorrow', now())");
  await client.end();
  await migrate(database.url);
  expect(await applied(database.url)).toContain("9999_of_tomorrow");
});

test("a database that does not answer is said to be out of reach", async () => {
  const failing = migrate("postgres://nobody@127.0.0.1:1/none");
  await expect(failing).rejects.toMatchObject({ code: "store_unavailable", retryable: true });
});
