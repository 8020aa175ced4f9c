/** The lines of a file that holds all of a database: a header, a line for each row, and a footer without which it is not whole. */

import { z } from "zod";
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

const header = z.object({
  bobbin: z.literal(FORMAT.bobbin),
  version: z.literal(FORMAT.version),
  at: z.number(),
  schema: z.array(z.string()),
});

const footer = z.object({
  end: z.literal(true),
  rows: z.record(z.string(), z.number()),
  sequences: z.array(z.object({ name: z.string(), last: z.number() })),
});

/** Undefined where the line is none. */
export const toHeader = (line: string): Header | undefined => header.safeParse(parsed(line)).data;
export const toFooter = (line: string): Footer | undefined => footer.safeParse(parsed(line)).data;

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
