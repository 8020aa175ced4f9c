-- Whoever calls or reacts names the goal that waits for it by what stands in its wait: few wait, and only those are in these.

create index goals_waiting_call on goals ((body->'wait'->>'token')) where status = 'waiting' and closed is null;
create index goals_waiting_reaction on goals (session)
  where status = 'waiting' and closed is null and body->'wait'->>'kind' = 'reaction';
