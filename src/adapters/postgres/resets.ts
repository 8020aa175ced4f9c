/** Resets, as the ledger knows them. */

import type { Resets } from "../../core/ports/resets.ts";
import type { Sql } from "./sql.ts";

/** SQL: the platform time of the newest reset of the session that `session` names; null when it never was. */
export const newestReset = (session: string): string => `(select max(i.at) from inbox i
  where i.session = ${session} and i.kind = 'command' and i.body->'command'->>'name' = 'reset')`;

const NEWEST = { name: "newest-reset", text: `select ${newestReset("$1")} as at` };

export function createResets(sql: Sql): Resets {
  return {
    async newest(session) {
      const [row] = await sql.query<{ at: number | null }>(NEWEST, [session]);
      return row?.at ?? undefined;
    },
  };
}
