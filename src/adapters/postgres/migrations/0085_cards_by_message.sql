-- Which goal's card a person reacts to is found by its message.
-- Who has many of them builds it before the upgrade, concurrently (docs/operations.md).

create index if not exists goals_card_message on goals (card_message) where card_message is not null;
