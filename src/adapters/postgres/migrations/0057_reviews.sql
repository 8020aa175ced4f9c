-- Who looks through a thread, and when somebody has: what came after that is new again.

create table thread_reviews (
  session text primary key,
  assignee text,
  assignee_name text,
  reviewed_at bigint,
  reviewed_name text
);
create index thread_reviews_assignee on thread_reviews (assignee) where assignee is not null;
create index remarks_assignee on remarks (assignee) where resolved_at is null;

-- Refusals are looked through too, also of threads that never began. Only what is refused pays for it, and what leaves the waiting ones has
-- a new version in other indexes anyway.
create index inbox_refused on inbox (session, seq) where fate = 'refused';
