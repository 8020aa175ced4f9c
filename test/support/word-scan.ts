// Looks for a word in every column of every table that could hold it, whatever tables there are by now.
import type { Sql } from "../../src/adapters/postgres/sql.ts";

const COLUMNS = `
select c.table_name as "table", c.column_name as "column" from information_schema.columns c
join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE'
where c.table_schema = current_schema() and c.data_type not in ('bigint', 'integer', 'boolean', 'double precision', 'timestamp without time zone')
order by 1, 2`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Every `table.column` that holds it, in whatever case. */
export async function placesOf(sql: Sql, word: string): Promise<readonly string[]> {
  const columns = await sql.query<{ table: string; column: string }>({ text: COLUMNS });
  const found: string[] = [];
  for (const { table, column } of columns) {
    const value = `${quoted(column)}::text`;
    // Bytes are shown as hex.
    const hex = Buffer.from(word).toString("hex");
    const text = `select 1 as one from ${quoted(table)} where position(lower($1) in lower(${value})) > 0 or position($2 in ${value}) > 0 limit 1`;
    if ((await sql.query({ text }, [word, hex])).length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

export async function tablesIn(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.query<{ name: string }>({
    text: `select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`,
  });
  return rows.map(({ name }) => name);
}
