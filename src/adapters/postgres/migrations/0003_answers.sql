-- What one person alone is told after a command: owed before the command is acknowledged, so that a crash loses none and a
-- second delivery doubles none.

create table answers (
  -- The identity of the command: the same for every delivery of it.
  command text primary key,
  platform text not null,
  space text not null,
  -- Where the platform wants it, in its adapter's words.
  place text not null,
  text text not null,
  owed_at bigint not null default now_ms(),
  -- When somebody last set out to tell it.
  taken_at bigint not null default now_ms(),
  told boolean not null default false
);
create index answers_owed on answers (platform, space, owed_at) where not told;
