/** The lines of a file that holds all of a database: a header, a line for each row, and a footer without which it is not whole. */

import type { MovedSequence } from "./tables.ts";

export const FORMAT = { bobbin: "export", version: 1 } as const;

export interface Header {
  readonly bobbin: "export";
  readonly version: 1;
  /** ms since 1970. */
  readonly at: number;
  /** Names of its migrations. */
  readonly schema: readonly string[];
}

export interface Footer {
  readonly end: true;
  /** For each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly sequences: readonly MovedSequence[];
}

/** Undefined where the line is none. */
export function toHeader(line: string): Header | undefined {
  const header = parsed(line) as Partial<Header> | null | undefined;
  const isOurs = header?.bobbin === FORMAT.bobbin && header.version === FORMAT.version;
  return isOurs && Array.isArray(header.schema) ? (header as Header) : undefined;
}

/** Undefined where the line is none. */
export function toFooter(line: string): Footer | undefined {
  const footer = parsed(line) as Partial<Footer> | null | undefined;
  const isFooter = footer?.end === true && typeof footer.rows === "object" && Array.isArray(footer.sequences);
  return isFooter ? (footer as Footer) : undefined;
}

/** `{"table":"…","row":…}`, whose row stays the text that it is. */
const ROW = /^\{"table":("(?:[^"\\]|\\.)*"),"row":(\{.*\})\}$/s;

export function toRow(line: string): { readonly table: string; readonly row: string } | undefined {
  const [, table, row] = ROW.exec(line) ?? [];
  const name = table === undefined ? undefined : parsed(table);
  return typeof name === "string" && row !== undefined ? { table: name, row } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
