// The clock of goals is the database's: time passes there by what is planned, waited for and left coming nearer.
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { SessionId } from "../../src/core/thread.ts";

/** As if so many ms had passed for the goal of this session. */
export async function goalTimePasses(sql: Sql, session: SessionId, ms: number): Promise<void> {
  await sql.query(
    {
      text: `update goals set wake_at = wake_at - $2::bigint, body = body
  || jsonb_build_object('updatedAt', (body->>'updatedAt')::bigint - $2)
  || case when body ? 'wait' then jsonb_build_object('wait',
    jsonb_set(body->'wait', '{until}', to_jsonb((body->'wait'->>'until')::bigint - $2))) else '{}' end
  || case when body ? 'next' then jsonb_build_object('next',
    jsonb_set(body->'next', '{dueAt}', to_jsonb((body->'next'->>'dueAt')::bigint - $2))) else '{}' end
where session = $1`,
    },
    [session, ms],
  );
}
