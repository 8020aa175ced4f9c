/** What `exportAll` wrote into an empty database: all of it, or nothing. */

import type { Sql } from "../sql.ts";
import { toFooter, toHeader, toRow, type Footer } from "./format.ts";
import { quoted, schemaOf, tablesOf, type MovedTable } from "./tables.ts";

export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
}

const ROWS_AT_ONCE = 200;
const UNITS_AT_ONCE = 4 * 1024 * 1024;

/**
 * One transaction: whoever is cut off leaves the database as empty as it was.
 * @returns how many rows each table has now.
 * @throws ImportRefused with a sentence for an operator: not empty, another version's file, cut off, changed.
 */
export function importAll(sql: Sql, lines: AsyncIterable<string>): Promise<Readonly<Record<string, number>>> {
  return sql.transaction(async (tx) => {
    let writing: RowWriter | undefined;
    let footer: Footer | undefined;
    for await (const line of lines) {
      if (line === "") continue;
      if (footer !== undefined) refuse("There is something behind the end of the file.");
      const row = toRow(line);
      if (writing === undefined) writing = rowWriter(tx, await prepared(tx, line));
      else if (row !== undefined) await writing.add(row.table, row.row);
      else footer = toFooter(line) ?? refuse("A line of the file cannot be read.");
    }
    if (writing === undefined) refuse("The file is empty.");
    if (footer === undefined) refuse("The file has no end: its export was cut off. Export again.");
    const rows = await writing.end();
    for (const [table, count] of Object.entries(footer.rows)) {
      if ((rows[table] ?? 0) !== count)
        refuse(`The file has ${rows[table] ?? 0} rows of ${table}, and should have ${count}.`);
    }
    for (const { name, last } of footer.sequences)
      await tx.query({ text: "select setval($1::regclass, $2)" }, [quoted(name), last]);
    return rows;
  });
}

async function prepared(tx: Sql, line: string): Promise<readonly MovedTable[]> {
  const header = toHeader(line) ?? refuse("This is no export of Bobbin's.");
  const schema = await schemaOf(tx);
  if (schema.join() !== header.schema.join())
    refuse(
      "The file was made by another version of Bobbin. Import it with that version, and then start this one, which brings it up to date.",
    );
  const tables = await tablesOf(tx);
  for (const { name } of tables) {
    // Held to the end: what somebody says meanwhile would meet what is imported.
    await tx.query({ text: `lock table ${quoted(name)} in exclusive mode` });
    const [found] = await tx.query<{ is: boolean }>({
      text: `select exists (select from ${quoted(name)}) as is`,
    });
    if (found?.is === true)
      refuse(
        `The database is not empty: ${name} has rows, and an import would mix two bots. Use a new one, which is Bobbin's alone.`,
      );
  }
  return tables;
}

interface RowWriter {
  add(table: string, row: string): Promise<void>;
  /** How many rows each table has got. */
  end(): Promise<Readonly<Record<string, number>>>;
}

function rowWriter(tx: Sql, tables: readonly MovedTable[]): RowWriter {
  const known = new Map(tables.map((table) => [table.name, table]));
  const rows: Record<string, number> = {};
  let held: { readonly table: MovedTable; readonly rows: string[]; units: number } | undefined;

  async function flush(): Promise<void> {
    if (held === undefined) return;
    const { table, rows: texts } = held;
    held = undefined;
    const [name, columns] = [quoted(table.name), table.columns.map(quoted).join(", ")];
    const text =
      `insert into ${name} (${columns}) overriding system value ` +
      `select ${columns} from json_populate_recordset(null::${name}, $1::json)`;
    await tx.query({ text }, [`[${texts.join(",")}]`]);
    rows[table.name] = (rows[table.name] ?? 0) + texts.length;
  }

  return {
    async add(name, row) {
      const table = known.get(name) ?? refuse(`The file has a table ${name}, which is not there.`);
      if (held?.table !== table) await flush();
      held ??= { table, rows: [], units: 0 };
      held.rows.push(row);
      held.units += row.length;
      if (held.rows.length >= ROWS_AT_ONCE || held.units >= UNITS_AT_ONCE) await flush();
    },
    async end() {
      await flush();
      return rows;
    },
  };
}

function refuse(sentence: string): never {
  throw new ImportRefused(sentence);
}
