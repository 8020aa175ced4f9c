-- What people say of answers: one row for each person and run, which takes the place of what they said before.

create table feedback (
  run text not null,
  person text not null,
  session text not null,
  -- As others saw the person then.
  name text not null,
  value text not null,
  at bigint not null,
  primary key (run, person)
);
create index feedback_session on feedback (session, at);
create index feedback_at on feedback (at);

-- How much of the tools people want to see in this thread. Null where it is as the configuration has it.
alter table sessions add column verbosity text;
