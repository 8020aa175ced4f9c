-- Which branches a person has asked for. Few messages are such commands, and no other row is touched.

create index inbox_branching on inbox (split_part(session, ':', 2), (body->'author'->>'id'), seq)
  where kind = 'command' and body->'command'->>'name' = 'branch';
