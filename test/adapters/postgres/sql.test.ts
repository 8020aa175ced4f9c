import { AsyncLocalStorage } from "node:async_hooks";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import { expectBroken, runContract } from "../../contract/contract.ts";
import { sqlCases } from "../../contract/sql.ts";
import { pgliteBackend, postgresBackend, shared } from "./backends.ts";

const postgres = postgresBackend();
const pglite = pgliteBackend();

for (const backend of [postgres, pglite]) runContract(`Sql: ${backend.name}`, sqlCases, shared(backend.sql));

/** The same database with some of its methods replaced. */
function broken(change: (sql: Sql) => Partial<Sql>): () => { subject: Sql; close(): Promise<void> } {
  return shared(() => {
    const sql = postgres.sql();
    return { query: sql.query, transaction: sql.transaction, close: sql.close, ...change(sql) };
  });
}

expectBroken(
  "dies at its first error",
  sqlCases,
  broken((sql) => {
    let dead = false;
    return {
      async query(statement, values) {
        if (dead) throw new Error("dead");
        return sql.query<never>(statement, values).catch((error: unknown) => {
          dead = true;
          throw error;
        });
      },
    };
  }),
  { noticedBy: ["after an error outside of a transaction the next query works"] },
);

expectBroken(
  "runs the statements of a transaction without one",
  sqlCases,
  broken((sql) => ({ transaction: (body) => body(sql) })),
  {
    noticedBy: [
      "after an error inside a transaction nothing of it is left and the next query works",
      "a transaction whose body throws is rolled back and the error passes through",
    ],
  },
);

expectBroken(
  "waits for itself inside a transaction",
  sqlCases,
  broken((sql) => {
    // A real transaction would keep its connection for ever, and with it the end of this file.
    const inside = new AsyncLocalStorage<boolean>();
    return {
      query: (statement, values) =>
        inside.getStore() === true ? new Promise<never>(() => {}) : sql.query<never>(statement, values),
      transaction: (body) => inside.run(true, () => body({ ...sql, query: sql.query })),
    };
  }),
  { noticedBy: ["P10: a query beside the open transaction is refused at once instead of waiting for ever"] },
);

expectBroken(
  "answers large numbers as text",
  sqlCases,
  broken((sql) => ({
    async query<R extends object>(...args: Parameters<Sql["query"]>) {
      const rows = await sql.query<Record<string, unknown>>(...args);
      return rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([k, v]) => [k, typeof v === "number" ? String(v) : v])),
      ) as unknown as readonly R[];
    },
  })),
  { noticedBy: ["large whole numbers come back as numbers"] },
);
