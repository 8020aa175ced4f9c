-- How whoever takes an offer has shown who they are: by a link that they were told, or by the platform's own sign-in. The audit log says it.
alter table admin_offers add column way text not null default 'link';
