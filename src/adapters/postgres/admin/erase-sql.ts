/**
 * What is done to each table when a thread is erased, and which tables hold nothing that anybody said. A table that stands in neither
 * list fails a test: whoever adds one says here what becomes of its words.
 */

import { holding, holdingThread } from "./hold-sql.ts";

/** What stands where words were. */
export const ERASED = "[erased]";

/** Hold no words of people and none of a model: ids, numbers, settings, and what admins did. */
export const WITHOUT_WORDS: ReadonlySet<string> = new Set([
  // Which process is there.
  "attendance",
  "attempts",
  // Prompts and tool lists as the configuration has them.
  "blobs",
  // What the platforms say of channels.
  "channel_privacy",
  "erased_threads",
  "goal_spaces",
  "installs",
  // Keys of posts and ids of messages on the platform.
  "pages",
  "migrations",
  "processes",
  "reader_terms",
  "reading_marks",
  "used_states",
  // Reasons of admins for what they did, which are the record of it. Their names go with them.
  "erasures",
  "holds",
]);

/** Taken away beside the threads. */
export const BESIDE_THREADS: ReadonlySet<string> = new Set([
  "admin_browsers",
  "admin_offers",
  "audit",
  "thread_reviews",
]);

export interface EraseStep {
  readonly table: string;
  /** $1 thread, $2 extent, $3 whose words, null for anybody's. Answers the ids of the rows as `id`. */
  readonly text: string;
}

const IS_ALL = "$2::text = 'all'";
const AUTHOR = (body: string): string =>
  `json_build_object('id', ${body}->'author'->>'id', 'name', '${ERASED}')`;

/** By whom, when and where stays, so that a platform that delivers it again finds it known. */
const INBOUND = `jsonb_strip_nulls(jsonb_build_object('v', 1, 'kind', i.kind, 'id', i.id, 'session', i.session, 'author', ${AUTHOR("i.body")}::jsonb,
  'at', i.body->'at', 'addressed', i.body->'addressed', 'where', i.body->'where', 'message', i.body->'message'))
  || case i.kind when 'note' then '{"text":"${ERASED}"}'::jsonb when 'delete' then '{}'::jsonb
    when 'command' then jsonb_build_object('command', case when i.body->'command'->>'name' in ('title', 'goal')
      then (i.body->'command') || '{"value":"${ERASED}"}'::jsonb else i.body->'command' end)
    else '{"parts":[]}'::jsonb end`;

/** SQL: whether the inbound `i` goes with all its words. */
export const INBOUND_GOES = `(${IS_ALL} or i.kind = 'note' or coalesce(i.body->'author'->>'id' = $3, false))`;

/** The same role, and the same pairing of calls and results, as a strict provider demands it. */
const ENTRY = `case e.kind
  when 'user' then json_build_object('v', 1, 'kind', 'user', 'author', case when e.body->'author' is not null then ${AUTHOR("e.body")} end,
    'parts', '[{"kind":"text","text":"${ERASED}"}]'::json, 'inbound', e.body->'inbound')
  when 'assistant' then json_build_object('v', 1, 'kind', 'assistant',
    'text', case when e.body->>'text' = '' and json_array_length(e.body->'calls') > 0 then '' else '${ERASED}' end,
    'calls', coalesce((select json_agg(json_build_object('id', c->>'id', 'name', c->>'name', 'arguments', '{}'))
      from json_array_elements(e.body->'calls') c), '[]'::json),
    'interrupted', e.body->'interrupted', 'cut', e.body->'cut')
  when 'tool' then json_build_object('v', 1, 'kind', 'tool', 'call', e.body->'call', 'name', e.body->'name', 'ok', e.body->'ok',
    'content', '${ERASED}', 'durationMs', e.body->'durationMs')
  when 'summary' then json_build_object('v', 1, 'kind', 'summary', 'text', '${ERASED}', 'upTo', e.body->'upTo')
  else json_build_object('v', 1, 'kind', 'note', 'text', '${ERASED}') end`;

/** Copied into it from another thread, up to here. */
const COPIED_TO = `(select max(b.copied_to) from branches b where b.target = $1)`;

/** SQL: whether the entry `e` goes with all its words. */
export const ENTRY_GOES = `(${IS_ALL} or e.kind <> 'user' or coalesce(e.body->'author'->>'id' = $3, false)
  or coalesce($2 = 'copied' and e.epoch = 1 and e.seq <= ${COPIED_TO}, false))`;

/**
 * SQL: the parts in `body` of what somebody wrote beside a note. The note quotes what the bot had read, the files beside it are those of
 * what it quotes, and of a question about a message no word is the one's who asked.
 */
const partsWithoutNotes = (body: string, inbound: string): string => `(select jsonb_agg(case
    when p->>'kind' = 'note' or (p->>'kind' = 'text' and ${inbound} like '%-about-%') then jsonb_build_object('kind', p->'kind', 'text', '${ERASED}')
    when p->>'kind' in ('file', 'image')
      then jsonb_build_object('kind', 'file', 'id', '${ERASED}', 'name', '${ERASED}', 'mimeType', p->'mimeType')
    else p end order by n) from jsonb_array_elements(${body}->'parts') with ordinality parts(p, n))`;

export const HAS_NOTE = (body: string): string => `${body}->'parts' @> '[{"kind":"note"}]'`;

/** Texts that end, and no mask between them: what an older version masked may have lost the backslash of a quote, and is no JSON. */
const READABLE = String.raw`^(?:[^"\\*]|"(?:[^"\\]|\\.)*")*$`;

const REACTION_ID = "concat(x.message, '/', x.person, '/', x.emoji)";
/** $1 thread, $2 whose. */
export const REACTIONS_OF_PERSON = `delete from reactions x where x.session = $1 and x.person = $2 returning ${REACTION_ID} as id`;

/** In this order: what finds another table's rows comes before that one changes. */
export const ERASE_STEPS: readonly EraseStep[] = [
  {
    table: "tool_results",
    text: `delete from tool_results t using runs r where r.session = $1 and t.run = r.id returning concat(t.run, '/', t.round, '/', t.call) as id`,
  },
  {
    table: "answers",
    // Told to one alone and not yet told: of the whole channel, since it does not say of which thread.
    text: `update answers a set text = '', place = '', told = true
where not a.told and a.platform = split_part($1, ':', 1) and a.space = split_part($1, ':', 2)
  and split_part(a.command, '/', 4) = split_part($1, ':', 3) returning a.command as id`,
  },
  { table: "pictures", text: `delete from pictures p where p.session = $1 returning p.hash as id` },
  {
    table: "entries",
    text: `delete from entries e where e.session = $1 and ${IS_ALL} returning concat(e.epoch, '.', e.seq) as id`,
  },
  {
    table: "entries",
    text: `update entries e set body = ${ENTRY} where e.session = $1 and not ${IS_ALL} and ${ENTRY_GOES}
returning concat(e.epoch, '.', e.seq) as id`,
  },
  {
    table: "entries",
    // What the bot had read before it was called stands in what somebody else said to it.
    text: `update entries e set body = jsonb_set(e.body::jsonb, '{parts}', ${partsWithoutNotes("e.body::jsonb", "e.body->>'inbound'")})::json
where e.session = $1 and not ${IS_ALL} and e.kind = 'user' and ${HAS_NOTE("e.body::jsonb")}
returning concat(e.epoch, '.', e.seq) as id`,
  },
  {
    table: "inbox",
    text: `update inbox i set body = ${INBOUND}, note = null, state = 'done', fate = coalesce(i.fate, 'cancelled'),
  reason = case when i.fate is null then 'erased' else i.reason end, done_at = coalesce(i.done_at, now_ms())
where i.session = $1 and ${INBOUND_GOES} returning i.id`,
  },
  {
    table: "inbox",
    // As in the entry that was made of it.
    text: `update inbox i set body = jsonb_set(i.body, '{parts}', ${partsWithoutNotes("i.body", "i.id")})
where i.session = $1 and not ${IS_ALL} and i.kind in ('message', 'edit') and ${HAS_NOTE("i.body")} returning i.id`,
  },
  {
    table: "inbox",
    // What the run that was stopped had taken up, and what the model was told of changes.
    text: `update inbox i set state = 'done', fate = 'cancelled', reason = 'erased', done_at = now_ms()
where i.session = $1 and i.state = 'admitted' returning i.id`,
  },
  {
    table: "runs",
    text: `update runs r set error_message = null, goal_said = null, laid_out = null, reply = 'settled', reason = coalesce(r.reason, 'cancelled'),
  ended_at = coalesce(r.ended_at, now_ms()), requester = case when ${IS_ALL} or r.requester->>'id' = $3
    then jsonb_build_object('id', r.requester->>'id', 'name', '${ERASED}') else r.requester end
where r.session = $1 returning r.id`,
  },
  {
    table: "model_calls",
    text: `update model_calls c set params = case when c.params ~ '${READABLE}' then (c.params::jsonb - 'continued' - 'asked')::text else '{}' end, body_hash = null
where c.session = $1 returning c.id`,
  },
  {
    table: "web_messages",
    text: `with held as (update web_threads t set revision = t.revision + 1, label = '${ERASED}' where t.session = $1 returning t.revision)
update web_messages m set page = '{"markdown":"","buttons":[]}', speaker = '${ERASED}', deleted = true, revision = held.revision
from held where m.session = $1 returning m.id`,
  },
  {
    table: "web_messages",
    // A post that is on its way finds its place taken.
    text: `insert into web_messages (session, id, channel, revision, sender, speaker, page, deleted)
select t.session, p.key, t.channel, t.revision, 'bot', '${ERASED}', '{"markdown":"","buttons":[]}', true
from web_threads t join runs r on r.session = t.session join pages p on p.run = r.id and p.message is null
where t.session = $1 on conflict (session, id) do nothing returning id`,
  },
  { table: "web_threads", text: `select t.session as id from web_threads t where t.session = $1` },
  {
    table: "goal_events",
    text: `delete from goal_events v using goals g where g.session = $1 and v.goal = g.id returning concat(v.goal, '/', v.n) as id`,
  },
  { table: "goals", text: `delete from goals g where g.session = $1 returning g.id` },
  { table: "goal_proposals", text: `delete from goal_proposals p where p.session = $1 returning p.id` },
  {
    table: "branches",
    // Nothing is copied out of it any more, nor into it.
    text: `update branches b set label = '${ERASED}', refusal = null, done = b.done or b.source = $1 or b.copied_to is null
where b.source = $1 or b.target = $1 returning b.id`,
  },
  {
    table: "feedback",
    text: `delete from feedback f where f.session = $1 and (${IS_ALL} or f.person = $3) returning concat(f.run, '/', f.person) as id`,
  },
  {
    table: "reactions",
    text: `delete from reactions x where x.session = $1 and (${IS_ALL} or x.person = $3) returning ${REACTION_ID} as id`,
  },
  { table: "remarks", text: `update remarks m set text = '${ERASED}' where m.session = $1 returning m.id` },
  {
    table: "review_reasons",
    text: `delete from review_reasons v where v.session = $1 returning concat(v.browser, '/', v.session) as id`,
  },
  // Before the lines: who writes lines takes its row first.
  { table: "overviews", text: `delete from overviews o where o.session = $1 returning o.session as id` },
  {
    table: "search_lines",
    text: `delete from search_lines l where l.session = $1 returning concat(l.epoch, '.', l.seq) as id`,
  },
  {
    table: "thread_places",
    text: `update thread_places p set name = '${ERASED}' where p.session = $1 returning p.session as id`,
  },
  {
    table: "sessions",
    text: `update sessions s set title = null, title_source = null, goal = null, rev = s.rev + 1, fence = s.fence + 1,
  epoch = s.epoch + case when ${IS_ALL} then 1 else 0 end
where s.id = $1 returning s.id`,
  },
];

/** Whoever still works on it has lost it. */
export const LEFT_ALONE = `
update attempts a set ended = 'lost', ended_at = now_ms() where a.session = $1 and a.ended is null`;

/** The threads $1 (platform) $2 (space) that somebody, $3, has to do with, what was branched from them, and those in which they only gave emoji. */
export const THREADS_OF_PERSON = `
with recursive of_person(session) as (
  select i.session from inbox i
    where split_part(i.session, ':', 2) = $2 and i.body->'author'->>'id' = $3 and i.kind = 'message'
  union select i.session from inbox i where i.body->'author'->>'id' = $3 and i.kind <> 'message'
  union select r.session from runs r where r.requester->>'id' = $3
  union select f.session from feedback f where f.person = $3
  union select g.session from goals g join goal_events v on v.goal = g.id where v.who = $3
  union select b.target from branches b join of_person o on o.session = b.source where b.target is not null)
select o.session, case when starts_with(o.session, 'web:') or not exists (
    select from inbox i where i.session = o.session and i.kind = 'message' and i.body->'author'->>'id' <> $3)
  and exists (select from inbox i where i.session = o.session and i.body->'author'->>'id' = $3) then 'all' else 'person' end as extent
from of_person o where starts_with(o.session, concat($1::text, ':', $2::text, ':'))
union all select distinct x.session, 'reactions' from reactions x
where x.person = $3 and starts_with(x.session, concat($1::text, ':', $2::text, ':'))
  and not exists (select from of_person o where o.session = x.session)`;

/** The thread $3, if it is of the space, also one that never began because its first message was refused, and what was branched from it. */
export const THREADS_OF_THREAD = `
with recursive of_thread(session) as (
  select f.id from (select s.id from sessions s where s.id = $3 union select i.session from inbox i where i.session = $3) f
    where starts_with(f.id, concat($1::text, ':', $2::text, ':'))
  union select b.target from branches b join of_thread o on o.session = b.source where b.target is not null)
select o.session, case when o.session = $3 then 'all' else 'copied' end as extent
from of_thread o where o.session = $3 or exists (select from sessions s where s.id = o.session)`;

/** What was copied out of the thread $2 while the erasure $1 was under way, or before somebody said anything there: now of it as well. */
export const JOINED = `
insert into erased_threads (erasure, session, extent)
select x.id, b.target, case x.kind when 'thread' then 'copied' else 'person' end
from erasures x, branches b where x.id = $1 and b.source = $2 and b.copied_to is not null on conflict do nothing`;

/** SQL: what stands against an erasure of this kind and subject: a hold on that itself, or on this thread. `h` is a hold. */
export const holdingBack = (kind: string, subject: string, session: string): string =>
  `((h.kind = ${kind} and h.subject = ${subject}) or ${holdingThread(session)})`;

/** The hold, if any, that stands against the erasure $3 in the space $1 $2, of kind $4 and subject $5: on that itself, or on a thread of it. */
export const HELD_BACK = `
select h.id, h.kind, h.subject, h.reason, h.name, h.at from holds h
where ${holding("$1", "$2")} and ((h.kind = $4::text and h.subject = $5::text)
  or exists (select from erased_threads t where t.erasure = $3 and ${holdingThread("t.session")}))
order by h.n limit 1`;
