// What every Sql keeps; see src/adapters/postgres/sql.ts.
import { expect } from "vitest";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { ContractCase } from "./contract.ts";

const MAKE = { text: "create table if not exists sql_contract (id integer primary key, body jsonb)" };
const PUT = { name: "contract-put", text: "insert into sql_contract (id, body) values ($1, $2::jsonb)" };
const IDS = { name: "contract-ids", text: "select id from sql_contract order by id" };

async function ids(sql: Sql): Promise<readonly number[]> {
  return (await sql.query<{ id: number }>(IDS)).map((row) => row.id);
}

async function table(sql: Sql): Promise<void> {
  await sql.query(MAKE);
  await sql.query({ text: "truncate sql_contract" });
}

async function value(
  sql: Sql,
  expression: string,
  ...values: readonly (string | number | null)[]
): Promise<unknown> {
  const [row] = await sql.query<{ value: unknown }>({ text: `select ${expression} as value` }, values);
  return row?.value;
}

/** Not `rejects`, which the runner waits for at a test's end, also when what it waits for never settles. */
function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "no error",
    (error: unknown) => String(error),
  );
}

export const sqlCases: readonly ContractCase<Sql>[] = [
  {
    title: "after an error outside of a transaction the next query works",
    async run(sql) {
      await table(sql);
      await expect(sql.query({ text: "select nonsense" })).rejects.toMatchObject({ code: "42703" });
      await expect(sql.query({ text: "selec" })).rejects.toMatchObject({ code: "42601" });
      await sql.query(PUT, [1, "{}"]);
      await expect(sql.query(PUT, [1, "{}"])).rejects.toMatchObject({ code: "23505" });
      expect(await ids(sql)).toEqual([1]);
    },
  },
  {
    title: "after an error inside a transaction nothing of it is left and the next query works",
    async run(sql) {
      await table(sql);
      const failing = sql.transaction(async (tx) => {
        await tx.query(PUT, [1, "{}"]);
        await tx.query(PUT, [1, "{}"]);
      });
      await expect(failing).rejects.toMatchObject({ code: "23505" });
      expect(await ids(sql)).toEqual([]);
      await sql.transaction((tx) => tx.query(PUT, [2, "{}"]));
      expect(await ids(sql)).toEqual([2]);
    },
  },
  {
    title: "a transaction whose body throws is rolled back and the error passes through",
    async run(sql) {
      await table(sql);
      const failing = sql.transaction(async (tx) => {
        await tx.query(PUT, [1, "{}"]);
        throw new RangeError("of the body");
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await ids(sql)).toEqual([]);
    },
  },
  {
    title: "what a transaction wrote is there when it resolves, and its value comes back",
    async run(sql) {
      await table(sql);
      const answered = await sql.transaction(async (tx) => {
        await tx.query(PUT, [1, "{}"]);
        await tx.query(PUT, [2, "{}"]);
        return "value";
      });
      expect(answered).toBe("value");
      expect(await ids(sql)).toEqual([1, 2]);
    },
  },
  {
    title: "P10: a query beside the open transaction is refused at once instead of waiting for ever",
    async run(sql) {
      await table(sql);
      const careless = sql.transaction(async (tx) => {
        await tx.query(PUT, [1, "{}"]);
        await sql.query(PUT, [2, "{}"]);
      });
      expect(await errorOf(careless)).toMatch(/own handle/);
      expect(await errorOf(sql.transaction(() => sql.transaction(async () => {})))).toMatch(/own handle/);
      expect(await ids(sql)).toEqual([]);
      await sql.query(PUT, [3, "{}"]);
      expect(await ids(sql)).toEqual([3]);
    },
  },
  {
    title: "a handle is of no use after its transaction",
    async run(sql) {
      const handle = await sql.transaction(async (tx) => ({ tx }));
      await expect(handle.tx.query({ text: "select 1" })).rejects.toThrow(/over/);
    },
  },
  {
    title: "work that a transaction started and that outlives it may query again",
    async run(sql) {
      await table(sql);
      let later: Promise<unknown> = Promise.resolve();
      let go: () => void = () => {};
      const gate = new Promise<void>((resolve) => (go = resolve));
      await sql.transaction(async (tx) => {
        await tx.query(PUT, [1, "{}"]);
        later = gate.then(() => sql.query(PUT, [2, "{}"]));
      });
      go();
      await later;
      expect(await ids(sql)).toEqual([1, 2]);
    },
  },
  {
    title: "many queries and transactions at once all get their own answers",
    async run(sql) {
      await table(sql);
      const answers = await Promise.all(
        Array.from({ length: 40 }, async (_, index) =>
          index % 4 === 0
            ? sql.transaction(async (tx) => {
                await tx.query(PUT, [index, "{}"]);
                return value(tx, "$1::int", index);
              })
            : value(sql, "$1::int", index),
        ),
      );
      expect(answers).toEqual(Array.from({ length: 40 }, (_, index) => index));
      expect(await ids(sql)).toHaveLength(10);
    },
  },
  {
    title: "P7: JSON goes in as text and comes back equal: lists, a bare string, null",
    async run(sql) {
      for (const body of [[{ type: "text", text: "a" }], "bare", null, [], { a: { b: [1, "2", null] } }]) {
        expect(await value(sql, "$1::jsonb", JSON.stringify(body))).toEqual(body);
      }
    },
  },
  {
    title: "large whole numbers come back as numbers",
    async run(sql) {
      expect(await value(sql, "$1::bigint", 1_796_041_497_300)).toBe(1_796_041_497_300);
      expect(await value(sql, "$1::bigint", Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
      expect(await value(sql, "(select count(*) from generate_series(1, 3))")).toBe(3);
      expect(await value(sql, "$1::double precision", 0.25)).toBe(0.25);
    },
  },
  {
    title: "P6: the database's time is the same instant in every time zone",
    async run(sql) {
      for (const zone of ["America/New_York", "Asia/Kolkata", "UTC"]) {
        const at = await sql.transaction(async (tx) => {
          await tx.query({ text: `set local time zone '${zone}'` });
          return value(tx, "now_ms()");
        });
        expect(Math.abs(Number(at) - Date.now())).toBeLessThan(60_000);
      }
    },
  },
  {
    title: "texts, truth values and null come back as they went in",
    async run(sql) {
      const text = `quote ' "double" \\ back 🙂 ${"x".repeat(1_000_000)}`;
      expect(await value(sql, "$1::text", text)).toBe(text);
      expect(await value(sql, "$1::text", null)).toBe(null);
      expect(await sql.query({ text: "select $1::boolean as a, $2::boolean as b" }, [true, false])).toEqual([
        { a: true, b: false },
      ]);
    },
  },
  {
    title: "a named statement answers with each call's own values",
    async run(sql) {
      const statement = { name: "contract-twice", text: "select $1::int * 2 as value" };
      for (const n of [1, 2, 3]) expect(await sql.query(statement, [n])).toEqual([{ value: n * 2 }]);
    },
  },
];
