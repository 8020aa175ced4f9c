-- Where the app is installed. The secret is sealed (AES-256-GCM under a key from SECRET_KEY, bound to platform and space), and is
-- erased when the app is removed; the rest of the row stays as the record.

create table installs (
  platform text not null,
  space text not null,
  enterprise text,
  name text not null,
  url text,
  bot_user text not null,
  bot_id text not null,
  bot_name text not null,
  scopes text not null,
  installed_by text not null,
  installed_at bigint not null default now_ms(),
  state text not null check (state in ('active', 'broken', 'removed')),
  why text,
  -- Raised by each change: what was learnt of an older state says nothing of this one.
  revision bigint not null default 1,
  changed_at bigint not null default now_ms(),
  secret text,
  primary key (platform, space),
  check ((state = 'removed') = (secret is null))
);
create index installs_bot on installs (platform, bot_user);
create index installs_broken on installs (platform, space) where state = 'broken';

-- What may be used once and was: hashes of the states that people brought back from the platform's page, until they expire by themselves.
create table used_states (
  hash text primary key,
  until bigint not null
);
create index used_states_until on used_states (until);
