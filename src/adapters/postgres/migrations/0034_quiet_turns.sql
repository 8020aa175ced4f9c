-- The run began by itself and had no news: no reply of it is shown.
alter table runs add column quiet boolean;
