-- A word that was searched for is looked for once in the words of an erased thread, however often it was searched for and however long
-- the thread is. A reason that was given for no one thread (for an export of many) goes too where it names one of its words.

create or replace function audit_erase_words(of_platform text, of_space text, of_session text, texts text) returns setof bigint language plpgsql as $$
declare
  -- Each word once: what is looked for has no space in it.
  low constant text := coalesce(
    (select string_agg(distinct w, ' ') from regexp_split_to_table(lower(texts), '\s+') w), '');
  searched text[];
  given text[];
begin
  searched := array(
    select t.w from (
      select distinct w from audit a, regexp_split_to_table(lower(a.about), '\s+') w
      where a.platform = of_platform and a.space = of_space and a.kind = 'search' and a.about <> '[erased]' and length(w) >= 2) t
    where position(t.w in low) > 0);
  -- A sentence and not a search: its short words say nothing of the thread.
  given := array(
    select t.w from (
      select distinct w from audit a, regexp_split_to_table(lower(split_part(a.about, ' (an export of ', 1)), '[\s[:punct:]]+') w
      where a.platform = of_platform and a.space = of_space and a.kind = 'reason' and a.session is null and a.about <> '[erased]'
        and length(w) >= 4) t
    where position(t.w in low) > 0);
  perform set_config('bobbin.audit', 'erase', true);
  return query update audit a set about = '[erased]'
    where a.platform = of_platform and a.space = of_space and a.about <> '[erased]'
      and ((a.kind = 'reason' and a.session = of_session)
        or (a.kind = 'search' and regexp_split_to_array(lower(a.about), '\s+') && searched)
        or (a.kind = 'reason' and a.session is null
          and regexp_split_to_array(lower(split_part(a.about, ' (an export of ', 1)), '[\s[:punct:]]+') && given))
    returning a.n;
  perform set_config('bobbin.audit', '', true);
end $$;
