-- What was erased, by whom and why, with what proves it: counts and hashes of ids, and no text. Beside it what may not be erased.

create table erasures (
  id text primary key,
  n bigint generated always as identity,
  platform text not null,
  space text not null,
  -- 'thread' or 'person', and the id of it.
  kind text not null,
  subject text not null,
  reason text not null,
  person text not null,
  name text not null,
  at bigint not null default now_ms(),
  -- Renewed by whoever works on it: one whose worker died is taken up.
  taken_at bigint not null default now_ms(),
  done_at bigint
);
create index erasures_space on erasures (platform, space, n);
create index erasures_open on erasures (taken_at) where done_at is null;

create table erased_threads (
  erasure text not null,
  session text not null,
  -- 'all' of it; or only what one 'person' said, or what was 'copied' into it, with all that may quote that.
  extent text not null,
  done_at bigint,
  -- Rows of each table.
  counts jsonb,
  -- SHA-256 of the ids of these rows.
  digest text,
  primary key (erasure, session)
);
create index erased_threads_session on erased_threads (session);

create table holds (
  id text primary key,
  n bigint generated always as identity,
  platform text not null,
  space text not null,
  -- 'thread', 'person' or 'space', and the id of it.
  kind text not null,
  subject text not null,
  reason text not null,
  person text not null,
  name text not null,
  at bigint not null default now_ms(),
  lifted_at bigint,
  lifted_person text,
  lifted_name text
);
create unique index holds_on on holds (platform, space, kind, subject) where lifted_at is null;
create index holds_space on holds (platform, space, n);

-- `sessions.rev` at which it was forgotten, being older than a configuration keeps: nothing is made of it for admins until it has another.
alter table sessions add column wiped_rev bigint;

-- Lines stay as they are, but for words that were erased and for lines that are older than they are kept. Both only by the functions below.
create or replace function audit_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('bobbin.audit', true) = 'erase'
    and (new.n, new.at, new.platform, new.space, new.person, new.kind, new.session)
      is not distinct from (old.n, old.at, old.platform, old.space, old.person, old.kind, old.session)
    and (new.about is not distinct from old.about or new.about = '[erased]')
    and (new.name = old.name or new.name = '[erased]') then
    return new;
  end if;
  if tg_op = 'DELETE' and current_setting('bobbin.audit', true) = 'forget' then
    return old;
  end if;
  raise exception 'the audit log is only ever added to';
end $$;

-- The reasons that were given for one thread, and what was searched for where a word of it is among the erased ones.
create function audit_erase_words(of_platform text, of_space text, of_session text, texts text) returns setof bigint language plpgsql as $$
begin
  perform set_config('bobbin.audit', 'erase', true);
  return query update audit a set about = '[erased]'
    where a.platform = of_platform and a.space = of_space and a.about is not null and a.about <> '[erased]'
      and ((a.session = of_session and a.kind = 'reason')
        or (a.kind = 'search' and exists (
          select from regexp_split_to_table(lower(a.about), '\s+') w where length(w) >= 2 and position(w in lower(texts)) > 0)))
    returning a.n;
  perform set_config('bobbin.audit', '', true);
end $$;

-- A person's name, also where that one has looked at these pages.
create function audit_erase_name(of_platform text, of_space text, of_person text) returns setof bigint language plpgsql as $$
begin
  perform set_config('bobbin.audit', 'erase', true);
  return query update audit a set name = '[erased]'
    where a.platform = of_platform and a.space = of_space and a.person = of_person and a.name <> '[erased]' returning a.n;
  perform set_config('bobbin.audit', '', true);
end $$;

-- Lines of a space from before a moment, at most so many: for a configuration that keeps them for some days only.
create function audit_forget(of_platform text, of_space text, before bigint, most integer) returns setof bigint language plpgsql as $$
begin
  perform set_config('bobbin.audit', 'forget', true);
  return query delete from audit a where a.n in (
    select o.n from audit o where o.platform = of_platform and o.space = of_space and o.at < before order by o.n limit most)
    returning a.n;
  perform set_config('bobbin.audit', '', true);
end $$;
