-- The bytes of the images that replies and tools show: once for a thread, by the hash that the entries name.

create table pictures (
  session text not null,
  hash text not null,
  mime text not null,
  bytes bytea not null,
  created_at bigint not null default now_ms(),
  primary key (session, hash)
);
