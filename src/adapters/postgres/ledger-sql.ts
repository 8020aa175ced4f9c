/**
 * The rules of the ledger as pieces of SQL, each in one place: what counts as work, what a stop has dropped, in which order
 * messages are admitted, and what they become. `i` is always a row of the inbox.
 */

/** Whether it asks for something to be done. Notes, also those on edits and deletes, wait for a run and are no reason for one. */
export const IS_WORK = `i.kind in ('message', 'command')`;

/** Whether it waits and asks for something to be done. */
export const WAITS = `i.state = 'waiting' and ${IS_WORK}`;

/**
 * Whether a stop or reset took it back while it waited, given a row with the session's `stop_seq`. A note is no work that could
 * be stopped; a reset has cancelled those of its epoch already.
 */
export const isDropped = (by: string): string => `(i.seq < ${by}.stop_seq and ${IS_WORK})`;

/** Whether a stop or reset came that is newer than everything the run admitted. */
export const isStopped = (by: string, run: string): string => `${by}.stop_seq > ${run}.admitted_seq`;

/** The order in which messages are admitted; whoever is last in it is the one who asks. */
export const IN_ORDER = `at, seq`;
export const LAST_FIRST = `at desc, seq desc`;

/** The entry that the message `m` (a row with `id` and `body`) becomes. */
export const USER_ENTRY = `jsonb_build_object('v', 1, 'kind', 'user', 'author', m.body->'author',
  'parts', m.body->'parts', 'inbound', m.id)`;

/** @param text an SQL expression. */
export const noteEntry = (text: string): string =>
  `jsonb_build_object('v', 1, 'kind', 'note', 'text', ${text})`;

/** @param text an SQL expression. A turn that holds nothing but what the bot notes, for where no one's words follow. */
export const notedTurn = (text: string): string =>
  `jsonb_build_object('v', 1, 'kind', 'user', 'parts', jsonb_build_array(jsonb_build_object('kind', 'note', 'text', ${text})))`;

/** CTE: session $1 and run $3 as the snapshot has them. The answer of the statement is judged by it (`judgeHeld`). */
export const WAS = `was as materialized (
  select s.rev, s.fence, s.stop_seq, s.last_seq, r.epoch, r.rounds, r.reply = 'open' as open,
    ${isStopped("s", "r")} as stopped
  from sessions s left join runs r on r.id = $3 and r.session = s.id where s.id = $1)`;

/** CTE: the messages of `sorted` that join the run, numbered in their order. */
export const JOINED = `joined as (
  select row_number() over (order by ${IN_ORDER}) as n, seq, id, body from sorted where state = 'admitted')`;

/** CTE: the entries $6 of round $4, behind what `held` says was last. */
export const STORED = `stored as (
  insert into entries (session, epoch, seq, run, round, kind, body)
  select $1, h.epoch, h.base + t.n, $3, $4, t.body->>'kind', t.body
  from held h, jsonb_array_elements($6::jsonb) with ordinality as t(body, n)
  returning seq, epoch, run, round, body)`;

/** In the update of a run: what changes with the messages that joined it. */
export const WITH_JOINED = `admitted_seq = greatest(r.admitted_seq, (select max(seq) from joined)),
    requester = coalesce((select body->'author' from joined order by n desc limit 1), r.requester)`;
