-- A platform may deliver one request twice, and only one of the two is answered, whichever that is: each has an offer of its own.
alter table admin_offers drop column command;
