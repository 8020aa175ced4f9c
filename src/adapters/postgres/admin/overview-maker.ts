/** Makes the overview of a thread, and the words by which its entries are found, from what is stored. */

import { wordsOf } from "../../../core/admin/words.ts";
import type { Entry } from "../../../core/entry.ts";
import type { OverviewMaker } from "../../../core/ports/overviews.ts";
import { threadOf, type SessionId } from "../../../core/thread.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "../entry-row.ts";
import { FIRST_SAID } from "../transcripts.ts";
import type { Sql } from "../sql.ts";
import { textOfEntry } from "./entry-text.ts";
import { openFlagsOf } from "./remarks.ts";

const AT_ONCE = 300;

/** SQL: read without a parser, which would fail for good on a text that is no JSON. Inside a text its quotes are escaped. */
const WINDOW = `substring(last_call.params from '"contextWindow": *([0-9]{1,15})')::bigint`;

/** SQL: the entries of $1 whose words were not written yet, behind the seq that is this expression; so many at a time. */
const entriesBehind = (seq: string): string => `
select json_agg(json_build_array(e.created_at, ${ENTRY_JSON}) order by e.seq) as entries from (
  select * from entries e where e.session = $1 and e.seq > ${seq} order by e.epoch, e.seq limit ${AT_ONCE}) e`;

/**
 * The revision is read in the statement that reads what stands behind it, so that what comes later is seen to be later. Nothing is
 * read where all of it is made. It waits for no run, but for who erases: behind that it finds another revision, and makes nothing of
 * the words that it has seen. Flags are counted for the first one alone, also for that behind an erasure: later each counts itself.
 */
const OVERVIEW = {
  name: "overview-make",
  text: `
with held as materialized (
select s.* from sessions s, sessions w
where s.id = $1 and w.id = $1 and s.rev = w.rev and s.wiped_rev is distinct from s.rev and not exists (
  select from overviews made where made.session = $1 and made.rev = w.rev and made.words_rev = w.rev)
for key share of s),
made as (
insert into overviews as o (session, platform, space, channel, rev, seq, started_at, touched_at, said, people, first_name, is_direct,
  runs, rounds, model, cause, reason, has_error, has_goal, tokens, cost, context_tokens, context_window, source, flags)
select s.id, $2, $3, $4, s.rev, 0, s.created_at, s.touched_at, ${FIRST_SAID},
  coalesce(who.people, '[]'), who.first_name, coalesce(who.is_direct, false),
  coalesce(r.runs, 0), coalesce(r.rounds, 0), last_call.model, last_run.cause, last_run.reason, coalesce(r.has_error, false),
  s.goal is not null, used.tokens, used.cost, last_call.read, ${WINDOW},
  (select b.source from branches b where b.target = s.id), ${openFlagsOf("s.id")}
from held s
left join lateral (
  select jsonb_agg(p.id order by p.seq) as people, (array_agg(p.name order by p.seq))[1] as first_name, bool_or(p.direct) as is_direct
  from (
    select distinct on (i.body->'author'->>'id') i.body->'author'->>'id' as id, i.body->'author'->>'name' as name, i.seq,
      i.body->'where'->>'isDirect' = 'true' as direct
    from inbox i where i.session = s.id and i.kind = 'message' and i.fate is distinct from 'refused'
    order by i.body->'author'->>'id', i.seq) p) who on true
left join lateral (
  select count(*) as runs, sum(r.rounds) as rounds, bool_or(r.error_code is not null) as has_error
  from runs r where r.session = s.id) r on true
left join lateral (
  select r.id, r.cause, r.reason from runs r where r.session = s.id order by r.n desc limit 1) last_run on true
left join lateral (
  select sum(coalesce(c.input, 0) + coalesce(c.cache_read, 0) + coalesce(c.cache_write, 0) + coalesce(c.output, 0)
      + coalesce(c.reasoning, 0)) as tokens, sum(c.cost) as cost
  from runs r join model_calls c on c.run = r.id where r.session = s.id) used on true
left join lateral (
  select c.model, c.params, coalesce(c.input, 0) + coalesce(c.cache_read, 0) + coalesce(c.cache_write, 0) as read
  from runs r join model_calls c on c.run = r.id where r.session = s.id
  order by r.n desc, c.started_at desc, c.id desc limit 1) last_call on true
on conflict (session) do update set rev = excluded.rev, touched_at = excluded.touched_at, said = excluded.said,
  people = excluded.people, first_name = excluded.first_name, is_direct = excluded.is_direct, runs = excluded.runs,
  rounds = excluded.rounds, model = excluded.model, cause = excluded.cause, reason = excluded.reason,
  has_error = excluded.has_error, has_goal = excluded.has_goal, tokens = excluded.tokens, cost = excluded.cost,
  context_tokens = excluded.context_tokens, context_window = excluded.context_window, source = excluded.source
where o.rev <= excluded.rev
returning o.rev, o.seq)
select made.rev, found.entries from made left join lateral (${entriesBehind("made.seq")}) found on true`,
};

const MORE = {
  name: "overview-entries",
  text: entriesBehind("(select o.seq from overviews o where o.session = $1)"),
};

/**
 * All of it or nothing: an entry is never taken for found that is not. With the last of them ($5) the overview is made, up to the
 * revision $4; what ends before is made again. Only under the overview with which they were read: one that was erased meanwhile, or that
 * somebody else makes anew, gets none.
 */
const LINES = {
  name: "overview-lines",
  text: `
with held as materialized (
  select session from overviews where session = $1 and rev = $4::bigint for update),
lines as (
  insert into search_lines (session, epoch, seq, at, words)
  select held.session, (l->>0)::integer, (l->>1)::bigint, (l->>2)::bigint,
    array_to_tsvector(array(select jsonb_array_elements_text(l->3)))
  from held, jsonb_array_elements($2::jsonb) l
  on conflict do nothing)
update overviews o set seq = greatest(o.seq, $3::bigint),
  words_rev = case when $5 then greatest(coalesce(o.words_rev, 0), $4) else o.words_rev end
from held where o.session = held.session
returning 1 as one`,
};

const BEHIND = {
  name: "overviews-behind",
  text: `
select s.id from sessions s left join overviews o on o.session = s.id
where (o.rev is distinct from s.rev or o.words_rev is distinct from s.rev) and s.wiped_rev is distinct from s.rev
limit $1::integer`,
};

/** With the time at which it was stored. */
type TimedEntry = readonly [at: number, entry: EntryRow];

interface Entries {
  readonly entries: readonly TimedEntry[] | null;
}

export function createOverviewMaker(sql: Sql): OverviewMaker {
  /** @param rev what is made with the last of them. @returns whether there are more to write. */
  async function writeLines(
    session: SessionId,
    entries: readonly TimedEntry[],
    rev: number,
  ): Promise<boolean> {
    const isMore = entries.length === AT_ONCE;
    const { platform, space } = threadOf(session);
    const lines = entries.map(([at, stored]) => {
      const entry: Entry = toEntry(stored);
      return [entry.epoch, entry.seq, at, [placeWord(platform, space), ...wordsOf(textOfEntry(entry.body))]];
    });
    const newest = entries.at(-1)?.[1][0] ?? 0;
    const written = await sql.query(LINES, [session, JSON.stringify(lines), newest, rev, !isMore]);
    return isMore && written.length > 0;
  }

  return {
    async make(session) {
      const { platform, space, channel } = threadOf(session);
      const values = [session, platform, space, channel];
      const [made] = await sql.query<Entries & { readonly rev: number }>(OVERVIEW, values);
      // All of it is there, or somebody else makes a newer one.
      if (made === undefined) return;
      let { entries } = made;
      while (await writeLines(session, entries ?? [], made.rev))
        entries = (await sql.query<Entries>(MORE, [session]))[0]?.entries ?? null;
    },
    async behind(limit) {
      return (await sql.query<{ id: SessionId }>(BEHIND, [limit])).map(({ id }) => id);
    },
  };
}

/** No word of a text has such a sign. */
export function placeWord(platform: string, space: string): string {
  return `@${platform}:${space}`;
}
