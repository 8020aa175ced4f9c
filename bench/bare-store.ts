/** The store without anything: a claim with its history and a commit, each as one statement over tables without indexes to spare. */

import type pg from "pg";
import { LONG_BODY } from "./long-session.ts";

/** $1 session, $2 how many of its newest messages. */
export const BARE_CLAIM = {
  name: "bare-claim",
  text: `
with s as (
  insert into bare_sessions (id, epoch) values ($1, 1)
  on conflict (id) do update set epoch = bare_sessions.epoch + 1 returning epoch, seq)
select s.epoch, s.seq,
  (select json_agg(json_build_object('id', id, 'body', body)) from bare_inbox where session = $1 and not done) as inbox,
  (select json_agg(h.body order by h.seq) from (
    select body, seq from bare_messages where session = $1 order by seq desc limit $2::integer) h) as history
from s`,
};

/** $1 session, $2 epoch, $3 body of the message, $4 body of the record beside it. */
export const BARE_COMMIT = {
  name: "bare-commit",
  text: `
with u as (update bare_sessions set seq = seq + 1 where id = $1 and epoch = $2 returning seq),
  m as (insert into bare_messages (session, seq, body) select $1, seq, $3::jsonb from u)
insert into bare_events (session, body) select $1, $4::jsonb from u returning id`,
};

/** A claim that takes what waits into the history and reads so many messages before it. $1 session. */
export const bareTake = (messages: number): { readonly name: string; readonly text: string } => ({
  name: `bare-take-${messages}`,
  text: `
with s as (
  update bare_sessions set epoch = epoch + 1, seq = seq + 1 where id = $1 returning epoch, seq),
  taken as (update bare_inbox set done = true from s where session = $1 and not done returning bare_inbox.body),
  m as (insert into bare_messages (session, seq, body) select $1, s.seq, t.body from s, taken t returning body)
select s.epoch, s.seq, (select json_agg(body) from m) as taken,
  (select json_agg(h.body order by h.seq) from (
    select body, seq from bare_messages where session = $1 order by seq desc limit ${messages}) h) as history
from s`,
});

/** A round of a reply and one result. $1 session, $2 epoch, $3 and $4 bodies of the messages, $5 body of the record beside them. */
export const BARE_ROUND = {
  name: "bare-round",
  text: `
with u as (update bare_sessions set seq = seq + 2 where id = $1 and epoch = $2 returning seq),
  m as (insert into bare_messages (session, seq, body)
    select $1, u.seq - 2 + v.n, v.body from u, (values (1, $3::jsonb), (2, $4::jsonb)) as v(n, body))
insert into bare_events (session, body) select $1, $5::jsonb from u returning id`,
};

export const BARE_PUT = {
  name: "bare-put",
  text: "insert into bare_inbox (id, session, body) values ($1, $2, $3::jsonb)",
};

export async function createBareTables(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create table bare_sessions (id text primary key, epoch bigint not null, seq bigint not null default 0);
    create table bare_inbox (id text primary key, session text not null, body jsonb not null, done boolean not null default false);
    create index on bare_inbox (session) where not done;
    create table bare_messages (session text not null, seq bigint not null, body jsonb not null, primary key (session, seq));
    create table bare_events (id bigint generated always as identity primary key, session text not null, body jsonb not null)`);
}

/** A session with the same messages as `createLongSession`. */
export async function createBareSession(pool: pg.Pool, id: string, messages: number): Promise<void> {
  await pool.query("insert into bare_sessions (id, epoch, seq) values ($1, 1, $2)", [id, messages]);
  await pool.query(
    `insert into bare_messages (session, seq, body) select $1, n, ${LONG_BODY} from generate_series(1, $2::integer) n`,
    [id, messages],
  );
}
