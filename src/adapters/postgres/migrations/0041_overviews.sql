-- What admins look for threads by: made beside the work from what is stored, and made anew whenever that is further. Nothing that a
-- message or a run writes has an index for it.

create table overviews (
  session text primary key,
  platform text not null,
  space text not null,
  channel text not null,
  -- `sessions.rev` that it was made from: another one means that it is old.
  rev bigint not null,
  -- The newest entry that can be searched for.
  seq bigint not null,
  started_at bigint not null,
  touched_at bigint not null,
  said text,
  -- Ids of those who wrote in it; the first one began it.
  people jsonb not null,
  first_name text,
  is_direct boolean not null,
  runs integer not null,
  rounds integer not null,
  model text,
  cause text,
  reason text,
  has_error boolean not null,
  has_goal boolean not null,
  tokens bigint,
  cost double precision,
  -- What the newest call read, and what its model could read.
  context_tokens bigint,
  context_window bigint,
  source text,
  flags integer not null default 0
);
create index overviews_space on overviews (platform, space, touched_at, session);
create index overviews_channel on overviews (platform, space, channel, touched_at, session);

create table search_lines (
  session text not null,
  epoch integer not null,
  seq bigint not null,
  at bigint not null,
  -- Words, pairs of letters where a language has no spaces, and the space.
  words tsvector not null,
  primary key (session, epoch, seq)
);
create index search_lines_words on search_lines using gin (words);
-- What is in many entries is found by walking back from the newest.
create index search_lines_at on search_lines (at, session, seq);
