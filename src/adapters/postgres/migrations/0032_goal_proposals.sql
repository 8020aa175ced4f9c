-- Goals that the model proposed and nobody has started yet. One is open while its session is in the same epoch and has had no goal
-- since; nothing has to be cleared away for that.

create table goal_proposals (
  id text primary key,
  session text not null,
  epoch integer not null,
  -- The newest goal of the session at that time (`goals.n`), 0 for none.
  goals bigint not null,
  body jsonb not null,
  at bigint not null default now_ms()
);
create index goal_proposals_session on goal_proposals (session);
