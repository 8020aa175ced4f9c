-- Which reply of the bot a person reacts to is found by its message.
-- Who has many of them builds it before the upgrade, concurrently (docs/operations.md).

create index if not exists pages_message on pages (message) where message is not null;
