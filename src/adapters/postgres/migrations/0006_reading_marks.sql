-- A platform that sends nothing again (Discord): how far its channels were read, by which reader, and where threads hang that are
-- claimed before they are there.

create table reader_terms (
  platform text primary key,
  term bigint not null,
  began_at bigint not null,
  restarts integer not null,
  -- How long after the one before it began.
  gap bigint
);

create table reading_marks (
  platform text not null,
  channel text not null,
  space text not null,
  seen bigint not null,
  primary key (platform, channel)
);

create table thread_places (
  session text primary key,
  parent text not null,
  name text not null
);
