-- The spine: the ledger of inbounds, runs with their attempts, and the entries of each session.
--
-- Times are bigint milliseconds since 1970, so that no time zone of a server or client can shift them. There are no
-- foreign keys: rows of one session are only written under its row lock, and the hot statements would pay for each check.

create function now_ms() returns bigint language sql volatile
  as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint $$;

create table sessions (
  id text primary key,
  -- Raised by each claim: a write that carries an older number is refused.
  fence bigint not null default 0,
  -- Raised by each write that took the row: a statement whose snapshot is older than the row starts again.
  rev bigint not null default 0,
  epoch integer not null default 1,
  -- The newest seq that was given to an entry.
  last_seq bigint not null default 0,
  -- Inbox position of the newest stop or reset: everything before it is cancelled.
  stop_seq bigint not null default 0,
  frozen_epoch integer,
  prompt_hash text,
  tools_hash text,
  created_at bigint not null default now_ms(),
  touched_at bigint not null default now_ms()
);

create sequence inbox_seq;

create table inbox (
  seq bigint primary key default nextval('inbox_seq'),
  id text not null unique,
  session text not null,
  kind text not null check (kind in ('message', 'edit', 'delete', 'command')),
  message text,
  at bigint not null,
  body jsonb not null,
  -- What the model is told where the thing itself is not a user turn (an edit or a delete of a used message).
  note text,
  state text not null check (state in ('waiting', 'admitted', 'done')),
  run text,
  -- Came in while its run was under way.
  joined boolean not null default false,
  fate text check (fate in ('answered', 'steered', 'failed', 'refused', 'cancelled', 'expired')),
  reason text,
  received_at bigint not null default now_ms(),
  done_at bigint,
  check ((state = 'done') = (fate is not null))
);
create index inbox_session on inbox (session, seq);
create index inbox_waiting on inbox (session) where state = 'waiting';
create index inbox_run on inbox (run) where run is not null;
create index inbox_message on inbox (session, message) where kind = 'message';

create table runs (
  id text primary key,
  n bigint generated always as identity,
  session text not null,
  cause text not null check (cause in ('message', 'retry')),
  retry_of text,
  epoch integer not null,
  rounds integer not null default 0,
  reply text not null default 'open' check (reply in ('open', 'settling', 'settled')),
  -- The largest inbox position that it admitted: a later stop is meant for it.
  admitted_seq bigint not null,
  -- Crashes of attempts before this fence do not count any more: a round was stored since.
  safe_fence bigint not null default 0,
  requester jsonb not null,
  reason text,
  error_code text,
  error_message text,
  started_at bigint not null default now_ms(),
  ended_at bigint,
  check ((reply = 'open') = (reason is null))
);
create unique index runs_open on runs (session) where reply = 'open';
create index runs_session on runs (session, n);
create index runs_unsettled on runs (session) where reply <> 'settled';

create table attempts (
  run text not null,
  fence bigint not null,
  session text not null,
  worker text not null,
  started_at bigint not null default now_ms(),
  ended text check (ended in ('ended', 'handed_over', 'lost', 'crashed')),
  ended_at bigint,
  primary key (run, fence)
);
create index attempts_unended on attempts (session) where ended is null;

create table entries (
  session text not null,
  epoch integer not null,
  seq bigint not null,
  run text,
  round integer,
  kind text not null check (kind in ('user', 'assistant', 'tool', 'note', 'summary')),
  body jsonb not null,
  inbound text,
  created_at bigint not null default now_ms(),
  primary key (session, epoch, seq)
);
create index entries_run on entries (run) where run is not null;
create index entries_inbound on entries (inbound) where inbound is not null;

create table blobs (
  hash text primary key,
  text text not null
);

create table model_calls (
  id text primary key,
  session text not null,
  run text not null,
  epoch integer not null,
  round integer not null,
  model text not null,
  prompt_hash text not null,
  tools_hash text not null,
  first_seq bigint not null,
  last_seq bigint not null,
  excluded jsonb not null,
  -- Text and not jsonb: the request is rebuilt from it to the byte, and jsonb orders keys anew.
  params text not null,
  body_hash text,
  -- Sums over `tries`; null where no try reported the bucket.
  input bigint,
  cache_read bigint,
  cache_write bigint,
  output bigint,
  reasoning bigint,
  cost double precision,
  tries jsonb not null,
  started_at bigint not null,
  duration_ms double precision not null,
  outcome text not null check (outcome in ('done', 'cut', 'failed', 'aborted')),
  error text
);
create index model_calls_run on model_calls (run);

create table tool_results (
  run text not null,
  round integer not null,
  call text not null,
  name text not null,
  ok boolean not null,
  content text not null,
  primary key (run, round, call)
);

create table pages (
  run text not null,
  index integer not null,
  key text not null,
  message text,
  primary key (run, index)
);

create table web_threads (
  session text primary key,
  channel text not null,
  -- Raised under the row's lock, so a reader that has seen n never finds a smaller one later.
  revision bigint not null default 0,
  label text not null,
  at bigint not null default now_ms()
);
create index web_threads_at on web_threads (at);

create table web_messages (
  session text not null,
  id text not null,
  n bigint generated always as identity,
  channel text not null,
  revision bigint not null,
  sender text not null check (sender in ('person', 'bot')),
  speaker text not null,
  page jsonb not null,
  deleted boolean not null default false,
  at bigint not null default now_ms(),
  primary key (session, id)
);
create index web_messages_session on web_messages (session, n);
create index web_messages_channel on web_messages (channel, n);

create table processes (
  name text primary key,
  holder text not null,
  host text not null,
  pid integer not null,
  renewed_at bigint not null
);
