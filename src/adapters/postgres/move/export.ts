/** Everything that a database holds, as lines of JSON, as it stood in one moment. */

import { schemaOfThisVersion } from "../migrate.ts";
import type { Sql } from "../sql.ts";
import { quoted, schemaOf, sequencesOf, tablesOf } from "./tables.ts";
import { FORMAT, type Footer, type Header } from "./format.ts";

export class ExportRefused extends Error {
  override readonly name = "ExportRefused";
}

/** How much is held at the same time: so many letters, by what the rows before weighed, and so many rows at most. */
const UNITS_AT_ONCE = 4 * 1024 * 1024;
const MOST_AT_ONCE = 100;
/** Of rows with bytes in them: a small picture says nothing of the next one, which may have 8 MB, and twice that as text. */
const MOST_WITH_BYTES = 4;

/**
 * Hands over line after line, in the order in which they have to be read. Memory stays flat; others may read and write meanwhile,
 * and nothing of that is in it. Changes nothing, so a database of another version stays one.
 * @param write resolves when there is room for the next. @param at ms since 1970.
 * @returns how many rows each table had.
 * @throws ExportRefused with a sentence for an operator: not this version's.
 */
export function exportAll(
  sql: Sql,
  write: (line: string) => Promise<void>,
  at: number,
): Promise<Readonly<Record<string, number>>> {
  return sql.transaction(async (tx) => {
    await tx.query({ text: "set transaction isolation level repeatable read, read only" });
    const schema = await schemaOf(tx);
    expectOwn(schema, await schemaOfThisVersion());
    const tables = await tablesOf(tx);
    const header: Header = { ...FORMAT, at, schema };
    await write(JSON.stringify(header));
    const rows: Record<string, number> = {};
    for (const { name, hasBytes } of tables) {
      rows[name] = 0;
      // As text that nobody has read: numbers keep their digits, and a stored request its bytes.
      const select = `select row_to_json(t)::text as line from ${quoted(name)} t`;
      await tx.query({ text: `declare moved no scroll cursor for ${select}` });
      const most = hasBytes ? MOST_WITH_BYTES : MOST_AT_ONCE;
      for (let count = 1; ;) {
        const found = await tx.query<{ line: string }>({ text: `fetch ${count} from moved` });
        for (const { line } of found) await write(`{"table":${JSON.stringify(name)},"row":${line}}`);
        rows[name] += found.length;
        if (found.length < count) break;
        count = nextCount(found, most);
      }
      await tx.query({ text: "close moved" });
    }
    const footer: Footer = { end: true, rows, sequences: await sequencesOf(tx) };
    await write(JSON.stringify(footer));
    return rows;
  });
}

function nextCount(last: readonly { readonly line: string }[], most: number): number {
  const units = last.reduce((sum, { line }) => sum + line.length, 0);
  return Math.max(1, Math.min(most, Math.floor((UNITS_AT_ONCE * last.length) / units)));
}

/** What reads a database does not change it: other processes may be at work on it, and they know only their own schema. */
function expectOwn(schema: readonly string[], own: readonly string[]): void {
  if (schema.length === 0)
    throw new ExportRefused("There is nothing of Bobbin's in this database. Correct DATABASE_URL.");
  if (schema.some((name) => !own.includes(name)))
    throw new ExportRefused(
      "The database is of a newer version of Bobbin than this one. Export it with that version.",
    );
  if (own.some((name) => !schema.includes(name)))
    throw new ExportRefused(
      "The database is of an older version of Bobbin than this one. Export it with that version, or bring it up to date first: npm run migrate.",
    );
}
