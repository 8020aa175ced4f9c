-- Threads that began with the history of another one, from the moment they are asked for until both threads tell of them.

create table branches (
  -- The identity of the command: the same for every delivery of it.
  id text primary key,
  source text not null,
  epoch integer not null,
  -- The last entry that is copied, and how many are.
  up_to bigint not null,
  entries integer not null,
  label text not null,
  -- What the model was told beside them, as it was when the branch was asked for.
  prompt_hash text,
  tools_hash text,
  target text unique,
  refusal text,
  -- The last entry of the copy, once it is made.
  copied_to bigint,
  done boolean not null default false,
  asked_at bigint not null default now_ms(),
  -- When somebody last set out to finish it, and how many did.
  taken_at bigint,
  tries integer not null default 0
);
create index branches_owed on branches (asked_at) where not done;
