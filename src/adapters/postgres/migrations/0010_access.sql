-- By which rule of access each inbound was let in or refused, and, only where there are limits, whom and which channel it counts for.

alter table inbox add column rule text;
alter table inbox add column who text;
alter table inbox add column place text;
create index inbox_who on inbox (who, received_at) where who is not null;
create index inbox_place on inbox (place, received_at) where place is not null;
