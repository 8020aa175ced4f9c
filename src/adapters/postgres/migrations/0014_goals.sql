-- Goals: what a thread works on by itself. A session without one has nothing of it but a null.

alter table sessions add column goal text;
-- What people were told of the goal at the end of this run.
alter table runs add column goal_said text;

create table goals (
  id text primary key,
  session text not null,
  n bigint generated always as identity,
  -- Raised by each write: one that was made from an older state is refused.
  version bigint not null default 1,
  status text not null,
  closed text,
  -- When it has to be looked at by itself: the next turn is due, or a wait is over. Null when never.
  wake_at bigint,
  body jsonb not null
);
create index goals_session on goals (session, n);
create index goals_wake on goals (wake_at) where wake_at is not null;

-- What happened to each, for the audit; `key` is the identity of what a person asked for, so that a second delivery changes nothing.
create table goal_events (
  goal text not null,
  n bigint generated always as identity,
  key text unique,
  at bigint not null default now_ms(),
  kind text not null,
  who text,
  status text not null,
  body jsonb not null,
  primary key (goal, n)
);
