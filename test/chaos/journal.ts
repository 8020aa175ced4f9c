// What the database itself saw: each write with who made it and who owned the session in that moment, noted by triggers in the
// same transaction, and so true whatever becomes of the writer.
import pg from "pg";
import type { NotedWrite } from "./checker/record.ts";

const TABLES = ["inbox", "sessions", "runs", "attempts", "entries", "model_calls", "tool_results", "pages"];

const SETUP = `
create table chaos_writes (
  n bigint generated always as identity primary key,
  writer text not null,
  of text not null,
  session text,
  fence bigint,
  owner text,
  was jsonb,
  now jsonb
);
create function chaos_note() returns trigger language plpgsql as $$
declare
  was_row jsonb := to_jsonb(old) - 'body' - 'content' - 'tries' - 'params';
  now_row jsonb := to_jsonb(new) - 'body' - 'content' - 'tries' - 'params';
  some_row jsonb := coalesce(now_row, was_row);
  the_session text;
  the_fence bigint;
  the_owner text;
begin
  the_session := case tg_table_name
    when 'sessions' then some_row->>'id'
    when 'pages' then (select r.session from runs r where r.id = some_row->>'run')
    when 'tool_results' then (select r.session from runs r where r.id = some_row->>'run')
    else some_row->>'session' end;
  select s.fence into the_fence from sessions s where s.id = the_session;
  select a.worker into the_owner from attempts a where a.session = the_session and a.fence = the_fence;
  insert into chaos_writes (writer, of, session, fence, owner, was, now)
  values (current_setting('application_name'), tg_table_name, the_session, the_fence, the_owner, was_row, now_row);
  return null;
end $$;
${TABLES.map((table) =>
  table === "sessions"
    ? `create trigger chaos_note after update on sessions for each row when (old.fence <> new.fence) execute function chaos_note();`
    : `create trigger chaos_note after insert or update or delete on ${table} for each row execute function chaos_note();`,
).join("\n")}`;

/** In a database with today's schema, before anybody writes. */
export async function noteWrites(url: string): Promise<void> {
  await withClient(url, (client) => client.query(SETUP));
}

/** In the order in which they were made, within each session. */
export async function notedWrites(url: string): Promise<readonly NotedWrite[]> {
  return rowsOf<NotedWrite>(
    url,
    "select n, writer, of, session, fence, owner, was, now from chaos_writes order by n",
  );
}

export async function rowsOf<R>(url: string, sql: string): Promise<readonly R[]> {
  const { rows } = await withClient(url, (client) => client.query(sql));
  return rows as readonly R[];
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    // Numbers that are no longer exact as such do not come up in one run.
    types: { getTypeParser: (oid: number) => (oid === 20 ? Number : (pg.types.getTypeParser(oid) as never)) },
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
