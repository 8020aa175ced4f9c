-- What was used is looked at by time. Rows are added in the order of their time, so a block range index finds them at hardly any cost
-- for whoever adds one.

create index model_calls_started on model_calls using brin (started_at) with (pages_per_range = 16);
create index runs_started on runs using brin (started_at) with (pages_per_range = 16);
