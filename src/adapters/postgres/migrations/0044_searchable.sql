-- `sessions.rev` of which all entries can be searched for. The rest of an overview is made before its words: a process that dies between
-- the two has left it behind, and so has a version that knows nothing of this column.
alter table overviews add column words_rev bigint;
