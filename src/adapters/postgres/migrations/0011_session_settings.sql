-- What people set for a thread. In the session's own row, since whoever stores a message and whoever claims the session reads that
-- row already; only a command writes these columns, and none of them has an index, so what a run writes there stays as cheap.

alter table sessions add column model text;
alter table sessions add column effort text;
alter table sessions add column title text;
alter table sessions add column title_source text;
-- Only messages that mention the bot are for it.
alter table sessions add column mentions_only boolean;
alter table sessions add column muted boolean;
-- The fence of the newest claim when somebody asked for new prompt and tools: an attempt with this one or a lower one freezes none.
alter table sessions add column reload_fence bigint;
