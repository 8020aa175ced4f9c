/** A person's message in the web chat, with the inbound that it is: one statement, so that nobody waits for two commits. */

import type { WebInbox } from "../../core/ports/web-messages.ts";
import { inboundText } from "./inbound-row.ts";
import type { Sql } from "./sql.ts";
import { INSERTED, insertValues, toMessage, type MessageRow } from "./web-messages.ts";

interface PutRow extends MessageRow {
  readonly seq: number | null;
  readonly before: number | null;
  readonly running: boolean;
}

const PUT = {
  name: "web-inbox-put",
  text: `${INSERTED},
put as (
  insert into inbox (id, session, kind, message, at, body, state)
  select $8::text, row.session, 'message', row.id, row.at, jsonb_set($9::jsonb, '{at}', to_jsonb(row.at)), 'waiting' from row
  on conflict (id) do nothing returning seq),
made as (
  insert into sessions (id) select session from row on conflict (id) do nothing)
select row.*, put.seq, (select seq from inbox where id = $8) as before,
  exists (select from runs where session = $1 and reply = 'open') as running
from row left join put on true`,
};

export function createWebInbox(sql: Sql): WebInbox {
  return {
    async put(message, inbound) {
      const values = [...insertValues({ ...message, from: "person" }), inbound.id, inboundText(inbound)];
      const [found] = await sql.query<PutRow>(PUT, values);
      if (found === undefined) return undefined;
      const { seq, before, running, ...row } = found;
      return {
        row: toMessage(row),
        stored: seq === null ? { kind: "duplicate", seq: before ?? 0 } : { kind: "stored", seq, running },
      };
    },
  };
}
