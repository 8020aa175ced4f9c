-- An edit or a delete may come before its message, which the platform had to send again: it is kept, and what comes later is looked up
-- for one only where the thread has such a change.

alter table sessions add column changed_early boolean;

-- Few rows, and what is no change pays nothing for it. Who has a large ledger builds it before the upgrade, concurrently
-- (docs/operations.md).
create index if not exists inbox_changes on inbox (session, message) where kind in ('edit', 'delete');
