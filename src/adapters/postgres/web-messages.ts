/** The web chat's messages. A change takes its thread's row first, so revisions become visible in their order. */

import { labelOf } from "../../core/label.ts";
import type { WebMessage, WebMessages, WebThread } from "../../core/ports/web-messages.ts";
import { cleanText } from "../../core/text.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import { pageText, toPage } from "./page-json.ts";
import type { Sql } from "./sql.ts";

export interface MessageRow {
  readonly session: SessionId;
  readonly id: string;
  readonly revision: number;
  readonly sender: "person" | "bot";
  readonly speaker: string;
  readonly page: unknown;
  readonly deleted: boolean;
  readonly at: number;
}

const ROW = `m.session, m.id, m.revision, m.sender, m.speaker, m.page, m.deleted, m.at`;

/** Begins a statement; `row` is the message, if there was none with this id. Its values come from `insertValues`. */
export const INSERTED = `
with held as (
  insert into web_threads (session, channel, revision, label) values ($1, $3::text, 1, $7::text)
  on conflict (session) do update set revision = web_threads.revision + 1,
    at = case when $4::text = 'person' and not exists (
      select from web_messages m where m.session = $1 and m.id = $2) then now_ms() else web_threads.at end
  returning revision, channel),
row as (
  insert into web_messages as m (session, id, channel, revision, sender, speaker, page)
  select $1, $2, held.channel, held.revision, $4::text, $5::text, $6::jsonb from held
  on conflict (session, id) do nothing
  returning ${ROW})`;

const INSERT = { name: "web-insert", text: `${INSERTED} select * from row` };

const HELD = `held as (
  update web_threads t set revision = t.revision + 1
  where t.session = $1 and exists (select from web_messages m where m.session = $1 and m.id = $2 and not m.deleted)
  returning t.revision)`;

const UPDATE = {
  name: "web-update",
  text: `
with ${HELD}
update web_messages m set page = $3::jsonb, revision = held.revision from held
where m.session = $1 and m.id = $2 and not m.deleted
returning ${ROW}`,
};

const REMOVE = {
  name: "web-remove",
  text: `
with ${HELD}
update web_messages m set deleted = true, revision = held.revision from held
where m.session = $1 and m.id = $2 and not m.deleted
returning ${ROW}`,
};

const GET = { name: "web-get", text: `select ${ROW} from web_messages m where m.session = $1 and m.id = $2` };

const LIST = {
  name: "web-list",
  text: `select ${ROW} from web_messages m where m.session = $1 and m.revision > $2::bigint order by m.n`,
};

const THREADS = {
  name: "web-threads",
  text: `
select t.session, t.label, t.at, s.title from web_threads t left join sessions s on s.id = t.session
order by t.at desc, t.session desc limit $1::integer`,
};

export function createWebMessages(sql: Sql): WebMessages {
  const one = async (
    statement: typeof GET,
    values: readonly (string | null)[],
  ): Promise<WebMessage | undefined> => {
    const [row] = await sql.query<MessageRow>(statement, values);
    return row === undefined ? undefined : toMessage(row);
  };
  return {
    async insert(given, label) {
      const { session, id } = given;
      const inserted = await one(INSERT, insertValues(given, label));
      const message = inserted ?? (await one(GET, [session, id]));
      if (message === undefined) throw new Error("a web message was neither inserted nor found");
      return message;
    },
    update: (session, id, page) => one(UPDATE, [session, id, pageText(page)]),
    remove: (session, id) => one(REMOVE, [session, id]),
    get: (session, id) => one(GET, [session, id]),
    async list(session, sinceRevision = 0) {
      return (await sql.query<MessageRow>(LIST, [session, sinceRevision])).map(toMessage);
    },
    async threads(limit) {
      const rows = await sql.query<WebThread & { readonly title: string | null }>(THREADS, [limit]);
      return rows.map(({ session, label, at, title }) => ({
        session,
        label: labelOf({ title: title ?? label }),
        at,
      }));
    },
  };
}

/** $1 to $7 of `INSERTED`. */
export function insertValues(
  message: Parameters<WebMessages["insert"]>[0],
  given?: string,
): readonly string[] {
  const { session, id, from, speaker, page } = message;
  const label = labelOf({ firstText: cleanText(given ?? page.markdown) });
  return [session, id, channelOf(session), from, cleanText(speaker), pageText(page), label];
}

/** All threads of a channel have the same, and no other channel has. */
export function channelOf(session: SessionId): string {
  const { platform, space, channel } = threadOf(session);
  return [platform, space, channel].join(":");
}

export function toMessage({ sender, page, ...row }: MessageRow): WebMessage {
  return { ...row, from: sender, page: toPage(page) };
}
