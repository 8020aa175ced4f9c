/** The database for questions that may be dear: few at a time, and none for long, so that messages always find a connection. */

import { createTurns, TooBusy } from "../../../core/admin/too-busy.ts";
import type { Sql } from "../sql.ts";

const AT_ONCE = 2;
const WAITING = 8;
/** Of one question, ms. */
export const LONGEST_MS = 5_000;

/**
 * What is found in many lines is else remembered by the page only, and each line of those pages looked at again: three quarters of the time.
 * And what looks dear to the planner is compiled first, which takes longer than most of it does.
 */
const SETTINGS = `select set_config('statement_timeout', '${LONGEST_MS}', true), set_config('work_mem', '32MB', true), set_config('jit', 'off', true)`;

export const TOOK_TOO_LONG = "That took too long. Ask for fewer days or a less frequent word.";

/** What Postgres says of a statement that took too long. */
const CANCELLED = "57014";

/** The same database; a question of it throws `TooBusy` where too many are asked, or where it takes longer than 5 s. */
export function behindOthers(sql: Sql): Sql {
  const turns = createTurns(AT_ONCE, WAITING);
  const transaction: Sql["transaction"] = (body) =>
    turns.run(async () => {
      try {
        return await sql.transaction(async (tx) => {
          await tx.query({ text: SETTINGS });
          return body(tx);
        });
      } catch (error) {
        if (!isCancelled(error)) throw error;
        throw new TooBusy(TOOK_TOO_LONG, { cause: error });
      }
    });
  return {
    transaction,
    query: (statement, values) => transaction((tx) => tx.query(statement, values)),
    close: () => sql.close(),
  };
}

/** Also where it was told as trouble of the store. */
function isCancelled(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  return code === CANCELLED || (cause !== undefined && cause !== error && isCancelled(cause));
}
