-- What is older than it is kept is looked for from the oldest run of a space on, each step behind the one before.
-- Who has many of them builds it before the upgrade, concurrently (docs/operations.md).

create index if not exists runs_space on runs (split_part(session, ':', 1), split_part(session, ':', 2), started_at, id) where reply = 'settled';
