/** Everything that a database holds, as lines of JSON, as it stood in one moment. */

import type { Sql } from "../sql.ts";
import { quoted, schemaOf, sequencesOf, tablesOf } from "./tables.ts";
import { FORMAT, type Footer, type Header } from "./format.ts";

/** Rows that are held at the same time. One may have a megabyte. */
const AT_ONCE = 100;

/**
 * Hands over line after line, in the order in which they have to be read. Memory stays flat; others may read and write meanwhile,
 * and nothing of that is in it.
 * @param write resolves when there is room for the next. @param at ms since 1970.
 * @returns how many rows each table had.
 */
export function exportAll(
  sql: Sql,
  write: (line: string) => Promise<void>,
  at: number,
): Promise<Readonly<Record<string, number>>> {
  return sql.transaction(async (tx) => {
    await tx.query({ text: "set transaction isolation level repeatable read, read only" });
    const [schema, tables] = [await schemaOf(tx), await tablesOf(tx)];
    const header: Header = { ...FORMAT, at, schema };
    await write(JSON.stringify(header));
    const rows: Record<string, number> = {};
    for (const { name } of tables) {
      rows[name] = 0;
      // As text that nobody has read: numbers keep their digits, and a stored request its bytes.
      const select = `select row_to_json(t)::text as line from ${quoted(name)} t`;
      await tx.query({ text: `declare moved no scroll cursor for ${select}` });
      for (;;) {
        const found = await tx.query<{ line: string }>({ text: `fetch ${AT_ONCE} from moved` });
        for (const { line } of found) await write(`{"table":${JSON.stringify(name)},"row":${line}}`);
        rows[name] += found.length;
        if (found.length < AT_ONCE) break;
      }
      await tx.query({ text: "close moved" });
    }
    const footer: Footer = { end: true, rows, sequences: await sequencesOf(tx) };
    await write(JSON.stringify(footer));
    return rows;
  });
}
