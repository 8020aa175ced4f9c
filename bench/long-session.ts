/** A session with a past, put there without living through it. */

import type { Sql } from "../src/adapters/postgres/sql.ts";
import type { SessionId } from "../src/core/thread.ts";

/** SQL: the n-th message: half questions, half answers, each of some 600 bytes. */
export const LONG_BODY = `case n % 2
  when 1 then jsonb_build_object('v', 1, 'kind', 'user',
    'parts', jsonb_build_array(jsonb_build_object('kind', 'text', 'text', repeat('word ', 110))),
    'author', jsonb_build_object('id', 'U1', 'name', 'Ana'))
  else jsonb_build_object('v', 1, 'kind', 'assistant', 'text', repeat('word ', 110), 'calls', '[]'::jsonb) end`;

export async function createLongSession(sql: Sql, session: SessionId, entries: number): Promise<void> {
  await sql.query({ text: "insert into sessions (id, last_seq) values ($1, $2::bigint)" }, [
    session,
    entries,
  ]);
  await sql.query(
    {
      text: `
insert into entries (session, epoch, seq, run, round, kind, body)
select $1, 1, n, 'bench-' || $1 || n / 2, n % 2, case n % 2 when 1 then 'user' else 'assistant' end,
  ${LONG_BODY}
from generate_series(1, $2::integer) n`,
    },
    [session, entries],
  );
}
