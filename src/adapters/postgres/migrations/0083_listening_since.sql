-- When somebody listened for the first time: what was said in a space since the bot came there is answered, even where nobody has heard
-- of the space before, and what was said before anybody listened is not. Of those that listen already it is not known, so it is now.

alter table reader_terms add column first_began_at bigint not null default now_ms();

-- The mark of a space as a whole had the name of the space, which in an old server on Discord is its first channel's too.
insert into reading_marks (platform, channel, space, seen)
  select platform, 'all:' || space, space, seen from reading_marks where channel = space
  on conflict do nothing;
