// Rules of the product taken out, one at a time, at the edge of its database: what the suite has to notice.
import type { Sql, SqlValue, Statement } from "../../src/adapters/postgres/sql.ts";
import type { Undo } from "./orders.ts";

type Query = <R extends object>(statement: Statement, values?: readonly SqlValue[]) => Promise<readonly R[]>;

/** How late a message is stored that was acknowledged before. */
const STORED_AFTER_MS = 500;

const wrappers: Readonly<Record<Undo, (query: Query) => Query>> = {
  fence: (query) => (statement, values) => query(withoutFence(statement), values),
  look: (query) => (statement, values) =>
    statement.name === "has-work" ? fixed({ work: false }) : query(statement, values),
  ack: (query) => (statement, values) => {
    if (statement.name !== "inbox-put") return query(statement, values);
    setTimeout(() => void query(statement, values).catch(() => {}), STORED_AFTER_MS);
    return fixed({ seq: 1, before: null, known: true, target: true, running: false });
  },
};

/** @param undone in this order from the outside. */
export function withUndone(sql: Sql, undone: readonly Undo[]): Sql {
  let query: Query = (statement, values) => sql.query(statement, values);
  for (const undo of undone) query = wrappers[undo](query);
  return { ...sql, query };
}

/** The sweeper finds nothing. */
export function withoutSweeps(sql: Sql): Sql {
  return {
    ...sql,
    query: async (statement, values) => (statement.name === "due" ? [] : sql.query(statement, values)),
  };
}

/** A late word about one's own end is not fenced, and so is left as it is. */
function withoutFence(statement: Statement): Statement {
  if (statement.name === "leave") return statement;
  return {
    ...statement,
    text: statement.text
      .replaceAll(/(?:s\.)?fence = \$2::bigint/g, "$2::bigint is not null")
      .replaceAll(/select was\.fence,/g, "select $2::bigint as fence,"),
  };
}

function fixed<R extends object>(row: object): Promise<readonly R[]> {
  return Promise.resolve([row as R]);
}
