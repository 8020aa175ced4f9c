-- A word that was searched for is looked for once in the words of an erased thread, however often it was searched for and however long
-- the thread is. What was written down as a reason without a thread (of an export of many) loses the erased words, and keeps the others:
-- it stays the record of why.

create or replace function audit_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('bobbin.audit', true) = 'erase'
    and (new.n, new.at, new.platform, new.space, new.person, new.kind, new.session)
      is not distinct from (old.n, old.at, old.platform, old.space, old.person, old.kind, old.session)
    and (new.about is not distinct from old.about or position('[erased]' in new.about) > 0)
    and (new.name = old.name or new.name = '[erased]') then
    return new;
  end if;
  if tg_op = 'DELETE' and current_setting('bobbin.audit', true) = 'forget' then
    return old;
  end if;
  raise exception 'the audit log is only ever added to';
end $$;

create or replace function audit_erase_words(of_platform text, of_space text, of_session text, texts text) returns setof bigint language plpgsql as $$
declare
  -- Each word once: what is looked for has no space in it.
  low constant text := coalesce(
    (select string_agg(distinct w, ' ') from regexp_split_to_table(lower(texts), '\s+') w), '');
  searched text[];
  line record;
  word text;
  left_over text;
begin
  perform set_config('bobbin.audit', 'erase', true);
  searched := array(
    select t.w from (
      select distinct w from audit a, regexp_split_to_table(lower(a.about), '\s+') w
      where a.platform = of_platform and a.space = of_space and a.kind = 'search' and a.about <> '[erased]' and length(w) >= 2) t
    where position(t.w in low) > 0);
  return query update audit a set about = '[erased]'
    where a.platform = of_platform and a.space = of_space and a.about <> '[erased]'
      and ((a.session = of_session and a.kind = 'reason')
        or (a.kind = 'search' and regexp_split_to_array(lower(a.about), '\s+') && searched))
    returning a.n;
  for line in
    select a.n, a.about from audit a
    where a.platform = of_platform and a.space = of_space and a.kind = 'reason' and a.session is null and a.about is not null
  loop
    left_over := line.about;
    for word in
      select t.w from (select distinct w from regexp_split_to_table(line.about, '[\s[:punct:]]+') w) t
      where length(t.w) >= 4 and t.w <> 'erased' and position(lower(t.w) in low) > 0 order by length(t.w) desc
    loop
      left_over := replace(left_over, word, '[erased]');
    end loop;
    if left_over <> line.about then
      update audit a set about = left_over where a.n = line.n;
      return next line.n;
    end if;
  end loop;
  perform set_config('bobbin.audit', '', true);
end $$;
