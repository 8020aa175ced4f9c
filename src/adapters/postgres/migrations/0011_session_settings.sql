-- What people set for a thread. In the session's own row, since whoever stores a message and whoever claims the session reads that
-- row already; only a command writes these columns, and none of them has an index, so what a run writes there stays as cheap.

alter table sessions add column model text;
alter table sessions add column effort text;
alter table sessions add column title text;
alter table sessions add column title_source text;
-- Only messages that mention the bot are for it.
alter table sessions add column mentions_only boolean;
alter table sessions add column muted boolean;
-- Prompt and tools hold that an attempt with a higher fence froze than the session had when somebody asked for new ones.
alter table sessions add column reload_fence bigint;
alter table sessions add column frozen_fence bigint;
