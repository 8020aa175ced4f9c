-- Which lines of the audit log repeat what was erased is found out by those who cut words for the search, and no more by parts of words in
-- JSON: here what they found is taken away, and of nothing but searches and reasons. The function with texts stays for processes of the
-- version before.

create function audit_erase_words(of_platform text, of_space text, of_session text, searched jsonb, given jsonb) returns setof bigint language plpgsql as $$
begin
  perform set_config('bobbin.audit', 'erase', true);
  return query update audit a set about = '[erased]'
    where a.platform = of_platform and a.space = of_space and a.about <> '[erased]'
      and ((a.kind = 'reason' and a.session = of_session)
        -- Each is a list that is made once and looked up in.
        or (a.kind = 'search' and a.about in (select value from jsonb_array_elements_text(searched)))
        or (a.kind = 'reason' and a.session is null and a.n in (select value::bigint from jsonb_array_elements_text(given))))
    returning a.n;
  perform set_config('bobbin.audit', '', true);
end $$;
