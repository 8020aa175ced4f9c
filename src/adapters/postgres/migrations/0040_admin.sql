-- Who comes in to the admin pages, and what they do there. Secrets only by their hash.

create table admin_offers (
  hash text primary key,
  -- The identity of the command that asked for it: of one command only the newest counts.
  command text not null unique,
  platform text not null,
  space text not null,
  person text not null,
  name text not null,
  session text,
  until bigint not null,
  used_at bigint
);
create index admin_offers_until on admin_offers (until);

create table admin_browsers (
  hash text primary key,
  id text not null unique,
  platform text not null,
  space text not null,
  person text not null,
  name text not null,
  browser text not null,
  created_at bigint not null default now_ms(),
  seen_at bigint not null default now_ms(),
  until bigint not null,
  left_at bigint
);
create index admin_browsers_space on admin_browsers (platform, space, created_at) where left_at is null;

create table audit (
  n bigint generated always as identity primary key,
  at bigint not null default now_ms(),
  platform text not null,
  space text not null,
  person text not null,
  name text not null,
  kind text not null,
  session text,
  about text
);
create index audit_space on audit (platform, space, n);
create index audit_session on audit (session, n) where session is not null;

create function audit_is_append_only() returns trigger language plpgsql
  as $$ begin raise exception 'the audit log is only ever added to'; end $$;
create trigger audit_kept before update or delete on audit
  for each row execute function audit_is_append_only();
create trigger audit_not_emptied before truncate on audit
  for each statement execute function audit_is_append_only();
