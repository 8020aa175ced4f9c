/** What there is to move, asked of the database itself: whatever a migration adds is moved too. */

import type { Sql } from "../sql.ts";

export interface MovedTable {
  readonly name: string;
  /** Those that a row is written with; what the database makes of others by itself is left out. */
  readonly columns: readonly string[];
  /** One row may be very large: it has bytes in it. */
  readonly hasBytes: boolean;
}

/**
 * Says what the schema is, which process is there just now, or who is signed in: all that is of a database, and not of what is in it.
 * A browser's cookie and a link would be good at the copy too.
 */
const STAY: ReadonlySet<string> = new Set([
  "admin_browsers",
  "admin_offers",
  "attendance",
  "migrations",
  "processes",
  "review_reasons",
]);

const TABLES = `
select c.relname as name, array_to_json(array_agg(a.attname order by a.attnum))::text as columns,
  bool_or(a.atttypid = 'bytea'::regtype) as bytes
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
group by c.relname order by c.relname`;

export async function tablesOf(sql: Sql): Promise<readonly MovedTable[]> {
  const rows = await sql.query<{ name: string; columns: string; bytes: boolean }>({ text: TABLES });
  return rows
    .filter(({ name }) => !STAY.has(name))
    .map(({ name, columns, bytes }) => ({
      name,
      columns: JSON.parse(columns) as string[],
      hasBytes: bytes,
    }));
}

/** Names of what brought the schema to where it is: a file fits where they are the same. None where it is no database of Bobbin's. */
export async function schemaOf(sql: Sql): Promise<readonly string[]> {
  const [known] = await sql.query<{ is: boolean }>({
    text: "select to_regclass('migrations') is not null as is",
  });
  if (known?.is !== true) return [];
  const rows = await sql.query<{ name: string }>({ text: "select name from migrations order by name" });
  return rows.map(({ name }) => name);
}

export interface MovedSequence {
  readonly name: string;
  /** The newest number that it gave out. */
  readonly last: number;
}

const SEQUENCES = `
select sequencename as name, last_value as last from pg_sequences
where schemaname = current_schema() and last_value is not null and sequencename <> 'migrations_id_seq' order by 1`;

export async function sequencesOf(sql: Sql): Promise<readonly MovedSequence[]> {
  return sql.query<{ name: string; last: number }>({ text: SEQUENCES });
}

/** A name as SQL has it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
