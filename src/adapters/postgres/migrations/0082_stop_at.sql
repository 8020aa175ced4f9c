-- When the newest stop or reset was given by the platform's clock: what was said before it is taken back with the rest, whenever it comes.

alter table sessions add column stop_at bigint;
