-- Which processes are there: each writes its own row now and then, for those who watch. Nothing that works depends on it.

create table attendance (
  id text primary key,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at bigint not null default now_ms(),
  seen_at bigint not null default now_ms(),
  -- What it did last, as ms before `seen_at`: clocks of two machines are never compared.
  facts jsonb not null
);

-- Threads whose newest answer failed are few among many.
create index overviews_failed on overviews (platform, space, touched_at) where reason = 'error';
