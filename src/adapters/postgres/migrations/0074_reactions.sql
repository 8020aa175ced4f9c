-- Emoji that people gave to messages of a thread: one row for each person, message and emoji, however often it is given and taken back.

create sequence reactions_n;

create table reactions (
  session text not null,
  -- The platform's id.
  message text not null,
  person text not null,
  -- Which one it is to the platform, and how it is shown.
  emoji text not null,
  shown text not null,
  -- As others saw the person last; null where nobody said.
  name text,
  -- When it was last given and last taken back. Null where that was not heard of, as of what comes in another order.
  given_at bigint,
  taken_at bigint,
  -- Another number after each change.
  n bigint not null default nextval('reactions_n'),
  primary key (session, message, person, emoji)
);
create index reactions_person on reactions (person);
