-- What the platforms say of channels: threads of a private one are opened only by who says why. A channel without a row counts as private.

create table channel_privacy (
  platform text not null,
  space text not null,
  channel text not null,
  is_private boolean not null,
  asked_at bigint not null default now_ms(),
  primary key (platform, space, channel)
);
