/** A person's message in the web chat, with the inbound that it is: one statement, so that nobody waits for two commits. */

import type { Stored } from "../../core/ports/inbox.ts";
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
  insert into inbox (id, session, kind, message, at, body, rule, state, fate, reason, done_at)
  select $8::text, row.session, 'message', row.id, row.at, jsonb_set($9::jsonb, '{at}', to_jsonb(row.at)), $10::text,
    case when $11::boolean then 'done' else 'waiting' end, case when $11 then 'refused' end, case when $11 then $10 end,
    case when $11 then now_ms() end
  from row
  on conflict (id) do nothing returning seq),
made as (
  insert into sessions (id) select session from row where not $11 on conflict (id) do nothing)
select row.*, put.seq, (select seq from inbox where id = $8) as before,
  exists (select from runs where session = $1 and reply = 'open') as running
from row left join put on true`,
};

export function createWebInbox(sql: Sql): WebInbox {
  return {
    async put(message, inbound, { rule, isRefused = false }) {
      const values = [
        ...insertValues({ ...message, from: "person" }),
        inbound.id,
        inboundText(inbound),
        rule,
        isRefused,
      ];
      const [found] = await sql.query<PutRow>(PUT, values);
      if (found === undefined) return undefined;
      const { seq, before, running, ...row } = found;
      return { row: toMessage(row), stored: storedAs() };

      function storedAs(): Stored {
        if (seq === null) return { kind: "duplicate", seq: before ?? 0 };
        return isRefused ? { kind: "refused", seq, rule } : { kind: "stored", seq, running };
      }
    },
  };
}
