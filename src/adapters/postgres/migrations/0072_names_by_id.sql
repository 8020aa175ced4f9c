-- Beside each name that is stored stands whose it is, so that it goes when they are erased.

alter table thread_reviews add column reviewed_by text;
alter table remarks add column resolved_by text;

-- What was stored before: by what the audit log, which is written first, says of the same thing.
update remarks m set resolved_by = (
  select a.person from audit a where a.session = m.session and a.kind = 'flag' and a.about = 'resolve ' || m.id order by a.n limit 1)
where m.resolved_at is not null;
update thread_reviews v set reviewed_by = (
  select a.person from audit a where a.session = v.session and a.kind = 'review' and a.about = 'reviewed' order by a.n desc limit 1)
where v.reviewed_at is not null;

create or replace function audit_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('bobbin.audit', true) = 'erase'
    and (new.n, new.at, new.platform, new.space, new.person, new.kind, new.session)
      is not distinct from (old.n, old.at, old.platform, old.space, old.person, old.kind, old.session)
    and (new.about is not distinct from old.about or new.about = '[erased]'
      or (old.kind in ('review', 'flag') and new.about = regexp_replace(old.about, ' to .* \(([^ ()]+)\)$', ' to \1')))
    and (new.name = old.name or new.name = '[erased]') then
    return new;
  end if;
  if tg_op = 'DELETE' and current_setting('bobbin.audit', true) = 'forget' then
    return old;
  end if;
  raise exception 'the audit log is only ever added to';
end $$;

-- A person's name, where that one has looked at these pages, and where something was given to them: there the id alone stays.
create or replace function audit_erase_name(of_platform text, of_space text, of_person text) returns setof bigint language plpgsql as $$
begin
  perform set_config('bobbin.audit', 'erase', true);
  return query update audit a set name = '[erased]'
    where a.platform = of_platform and a.space = of_space and a.person = of_person and a.name <> '[erased]' returning a.n;
  return query update audit a set about = regexp_replace(a.about, ' to .* \(([^ ()]+)\)$', ' to \1')
    where a.platform = of_platform and a.space = of_space and a.kind in ('review', 'flag')
      and right(a.about, length(of_person) + 3) = ' (' || of_person || ')' returning a.n;
  perform set_config('bobbin.audit', '', true);
end $$;
