-- An export reads the threads of a space in the order of their ids, which stays while it is read.

create index overviews_session on overviews (platform, space, session);
