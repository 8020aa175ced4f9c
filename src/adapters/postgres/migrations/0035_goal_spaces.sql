-- One row for each space in which goals work: whoever begins a turn takes it, so that two do not count the same free place.

create table goal_spaces (
  space text primary key,
  rev bigint not null default 0
);
