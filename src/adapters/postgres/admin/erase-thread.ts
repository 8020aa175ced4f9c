/** All steps of erasing one thread, inside one transaction, and the proof of them. */

import { createHash } from "node:crypto";
import type { Extent } from "../../../core/ports/erasures.ts";
import type { Sql } from "../sql.ts";
import { ERASE_STEPS, LEFT_ALONE, REACTIONS_OF_PERSON } from "./erase-sql.ts";

export interface Proof {
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>;
  readonly digest: string;
}

/** Collects what was erased, row by row. */
export interface Book {
  add(table: string, ids: readonly { readonly id: string | number }[]): void;
  proof(): Proof;
}

export function openBook(): Book {
  const lines = new Set<string>();
  const counts: Record<string, number> = {};
  return {
    add(table, ids) {
      for (const { id } of ids) {
        const line = `${table} ${id}`;
        // A row that two steps have changed is one row.
        if (lines.has(line)) continue;
        lines.add(line);
        counts[table] = (counts[table] ?? 0) + 1;
      }
    },
    proof() {
      const hash = createHash("sha256");
      for (const line of [...lines].toSorted()) hash.update(`${line}\n`);
      return { counts, digest: hash.digest("hex") };
    },
  };
}

const HOLD = { name: "erase-hold", text: "select id from sessions where id = $1 for update" };

const HOLD_BRANCHES = {
  name: "erase-hold-branches",
  text: "select id from branches where source = $1 or target = $1 order by id for update",
};

/**
 * Whoever writes in the thread waits for its row, and finds another fence behind it. A copy that is under way, of it or to it, is
 * waited for: what it brought is there then.
 */
export async function holdThread(tx: Sql, session: string): Promise<void> {
  await tx.query(HOLD, [session]);
  await tx.query(HOLD_BRANCHES, [session]);
}

export interface ThreadToErase {
  readonly session: string;
  readonly extent: Extent;
  /** Whose words; null for those of anybody. */
  readonly person: string | null;
}

export async function eraseThread(
  tx: Sql,
  { session, person, extent }: ThreadToErase,
  book: Book,
): Promise<void> {
  for (const { table, text } of ERASE_STEPS) {
    const values = [session, extent, person].slice(0, parametersOf(text));
    book.add(table, await tx.query<{ id: string }>({ text }, values));
  }
  await tx.query({ text: LEFT_ALONE }, [session]);
}

/** Of somebody who did nothing else in the thread: all that is of others stays, and whoever works on it goes on. */
export async function eraseReactions(tx: Sql, session: string, person: string, book: Book): Promise<void> {
  book.add("reactions", await tx.query<{ id: string }>({ text: REACTIONS_OF_PERSON }, [session, person]));
  // Who waited to write one finds that something happened.
  await tx.query({ text: "update sessions set rev = rev + 1 where id = $1" }, [session]);
}

/** Postgres takes no value that a statement does not name. */
function parametersOf(text: string): number {
  return text.includes("$3") ? 3 : text.includes("$2") ? 2 : 1;
}
