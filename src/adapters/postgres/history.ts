/** The agent library's history over the same entries that the bot uses. It has no fence: the library's lock guards it. */

import { ENTRY_JSON, entriesText, toEntry, type EntryRow } from "./entry-row.ts";
import type { History } from "../../core/ports/history.ts";
import type { Sql } from "./sql.ts";

const APPEND = {
  name: "history-append",
  text: `
with held as (
  insert into sessions (id, last_seq) values ($1, $3::integer)
  on conflict (id) do update set rev = sessions.rev + 1, last_seq = sessions.last_seq + $3
  returning last_seq - $3 as base, epoch),
e as (
  insert into entries (session, epoch, seq, kind, body)
  select $1, h.epoch, h.base + t.n, t.body->>'kind', t.body
  from held h, json_array_elements($2::json) with ordinality as t(body, n)
  returning seq, epoch, run, round, body)
select json_agg(${ENTRY_JSON} order by e.seq) as entries from e`,
};

const READ = {
  name: "history-read",
  text: `
select json_agg(${ENTRY_JSON} order by e.seq) as entries
from (
  select e.* from entries e join sessions s on s.id = e.session and s.epoch = e.epoch
  where e.session = $1 order by e.seq desc limit $2::integer) e`,
};

interface EntriesRow {
  readonly entries: readonly EntryRow[] | null;
}

export function createHistory(sql: Sql): History {
  return {
    async append(session, bodies) {
      if (bodies.length === 0) return [];
      const [row] = await sql.query<EntriesRow>(APPEND, [session, entriesText(bodies), bodies.length]);
      return (row?.entries ?? []).map(toEntry);
    },
    async read(session, options = {}) {
      const [row] = await sql.query<EntriesRow>(READ, [session, options.limit ?? null]);
      return (row?.entries ?? []).map(toEntry);
    },
  };
}
