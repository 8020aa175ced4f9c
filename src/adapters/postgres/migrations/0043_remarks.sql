-- What reviewers say of threads, and why they opened one that is somebody's own.

create table remarks (
  id text primary key,
  n bigint generated always as identity,
  session text not null,
  -- The entry that it is about; of the whole thread without one.
  epoch integer,
  seq bigint,
  kind text not null,
  text text not null,
  person text not null,
  name text not null,
  at bigint not null default now_ms(),
  assignee text,
  assignee_name text,
  resolved_at bigint,
  resolved_name text
);
create index remarks_session on remarks (session, n);

create table review_reasons (
  -- `admin_browsers.id`: a reason is good for as long as one stays in.
  browser text not null,
  session text not null,
  reason text not null,
  at bigint not null default now_ms(),
  primary key (browser, session)
);
