-- What the bot itself notes for the model before a turn: what a thread said before the bot was called.

alter table inbox drop constraint inbox_kind_check;
alter table inbox add constraint inbox_kind_check check (kind in ('message', 'edit', 'delete', 'command', 'note'));
