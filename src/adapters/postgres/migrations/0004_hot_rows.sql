-- What a run writes becomes cheaper. The closed sets of kinds, states and reasons stay where they are decided, in the code.

-- A check is compiled anew by each statement that writes to its table: nine microseconds each, a fifth of a commit.
alter table inbox drop constraint if exists inbox_kind_check;
alter table inbox drop constraint if exists inbox_state_check;
alter table inbox drop constraint if exists inbox_fate_check;
alter table inbox drop constraint if exists inbox_check;
alter table runs drop constraint runs_cause_check;
alter table runs drop constraint runs_reply_check;
alter table runs drop constraint runs_check;
alter table attempts drop constraint attempts_ended_check;
alter table entries drop constraint entries_kind_check;
alter table model_calls drop constraint model_calls_outcome_check;

-- A claim reads the newest bodies as text and looks into none: to write jsonb as text again was half of what reading cost.
alter table entries alter column body type json using body::json;

-- Rows that change some times in a run, and mostly in columns without an index: room for their next versions on the same page.
alter table sessions set (fillfactor = 70);
alter table runs set (fillfactor = 80);
alter table attempts set (fillfactor = 90);
