-- The card of a goal: the one message that shows it. It is owed where it shows an older version of its goal, whoever wrote that version.

alter table goals
  add column card_version bigint not null default 0,
  -- Raised by whoever takes it to bring it up to date; nobody else does before card_at.
  add column card_fence bigint not null default 0,
  add column card_at bigint not null default 0,
  -- How often it was posted; the key of its newest post, and that one's message.
  add column card_posts integer not null default 0,
  add column card_key text,
  add column card_message text,
  -- The standing and the content that it showed last.
  add column card_said text,
  add column card_hash text;
-- What ended before there were cards has none.
update goals set card_version = version where closed is not null;
create index goals_card on goals (card_at) where card_version < version;
