// What an export asks of the database: how much of it at a time, and of which version.
import { beforeAll, expect, test } from "vitest";
import { exportAll } from "../../../src/adapters/postgres/move/export.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { postgresBackend } from "./backends.ts";

const MB = 1024 * 1024;
const backend = postgresBackend();

/** The same database, with how many rows, and letters of them, each answer had. */
function weighed(sql: Sql, answers: { readonly rows: number; readonly units: number }[]): Sql {
  const query: Sql["query"] = async <R extends object>(...asked: Parameters<Sql["query"]>) => {
    const found = await sql.query<R>(...asked);
    const units = found.reduce((sum, row) => sum + ("line" in row ? String(row.line).length : 0), 0);
    answers.push({ rows: found.length, units });
    return found;
  };
  return { ...sql, query, transaction: (body) => sql.transaction((tx) => body(weighed(tx, answers))) };
}

const exported = async (sql: Sql): Promise<Readonly<Record<string, number>>> =>
  exportAll(sql, async () => {}, 1);

beforeAll(async () => {
  const picture = `insert into pictures (session, hash, mime, bytes) select 'slack:T1:C1:1.1', $1::text || n, 'image/png',`;
  const sql = backend.sql();
  // Small ones first: they say nothing of those that come behind them.
  await sql.query({ text: `${picture} 'icon'::bytea from generate_series(1, 30) n` }, ["a"]);
  await sql.query(
    { text: `${picture} decode(repeat('00ff', ${MB / 2}), 'hex') from generate_series(1, 20) n` },
    ["b"],
  );
  await sql.query({ text: `insert into blobs select 'small' || n, 'x' from generate_series(1, 1000) n` });
  await sql.query({
    text: `insert into blobs select 'large' || n, repeat('x', ${MB}) from generate_series(1, 9) n`,
  });
});

test("of large rows few are held at a time, and of small ones many", async () => {
  const answers: { readonly rows: number; readonly units: number }[] = [];
  const rows = await exported(weighed(backend.sql(), answers));
  expect([rows["pictures"], rows["blobs"]]).toEqual([50, 1_009]);
  const pictures = answers.filter(({ units }) => units > 2 * MB);
  expect(pictures.length).toBeGreaterThanOrEqual(5);
  // A picture of 1 MB is 2 MB of text. Behind a hundred small rows all of nine large ones may come once.
  for (const { units } of answers) expect(units).toBeLessThan(10 * MB);
  expect(answers.some(({ rows: count }) => count === 100)).toBe(true);
  expect(answers.length).toBeLessThan(300);
});

test("a database of another version is refused with what to do, and stays as it is", async () => {
  const sql = backend.sql();
  const names = async (): Promise<readonly string[]> =>
    (await sql.query<{ name: string }>({ text: "select name from migrations order by name" })).map(
      ({ name }) => name,
    );
  const today = await names();
  const newest = today.at(-1) ?? "";
  await sql.query({ text: "insert into migrations (name, run_on) values ('9999_of_tomorrow', now())" });
  await expect(exported(sql)).rejects.toThrow(
    "of a newer version of Bobbin than this one. Export it with that",
  );
  await sql.query({ text: "delete from migrations where name in ('9999_of_tomorrow', $1)" }, [newest]);
  await expect(exported(sql)).rejects.toThrow(
    "of an older version of Bobbin than this one. Export it with that",
  );
  expect(await names()).toEqual(today.slice(0, -1));
  await sql.query({ text: "insert into migrations (name, run_on) values ($1, now())" }, [newest]);
  await sql.query({ text: "alter table migrations rename to others" });
  await expect(exported(sql)).rejects.toThrow("There is nothing of Bobbin's in this database");
  await sql.query({ text: "alter table others rename to migrations" });
  expect((await exported(sql))["pictures"]).toBe(50);
});
