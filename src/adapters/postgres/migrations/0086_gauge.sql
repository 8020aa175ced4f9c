-- What a session has learnt of how much its model takes: without it each message of a long thread would pay for requests that are refused.
-- Rarely written, and with a row that is written anyway.

alter table sessions add column gauge jsonb;
