/** A person's message in the web chat, with the inbound that it is: one statement, so that nobody waits for two commits. */

import type { Stored } from "../../core/ports/inbox.ts";
import type { WebInbox } from "../../core/ports/web-messages.ts";
import { inboundText } from "./inbound-row.ts";
import { passedOver, withoutWords } from "./ledger-sql.ts";
import type { Sql } from "./sql.ts";
import { INSERTED, insertValues, toMessage, type MessageRow } from "./web-messages.ts";

interface PutRow extends MessageRow {
  readonly seq: number | null;
  readonly before: number | null;
  readonly running: boolean;
  /** The rule by which it is not for the bot. */
  readonly refused: string | null;
}

const PUT = {
  name: "web-inbox-put",
  text: `${INSERTED},
judged as materialized (
  select row.*, found.passed, case when $11::boolean then $10::text else found.passed end as refused
  from row left join lateral (
    select ${passedOver("s", "m")} as passed from sessions s,
      (values ('message', $12::boolean)) as m(kind, mention) where s.id = row.session) found on true),
put as (
  insert into inbox (id, session, kind, message, at, body, rule, state, fate, reason, done_at)
  select $8::text, j.session, 'message', j.id, j.at,
    case when j.passed is null then b.body else ${withoutWords("b.body")} end, coalesce(j.refused, $10),
    case when j.refused is null then 'waiting' else 'done' end, case when j.refused is not null then 'refused' end, j.refused,
    case when j.refused is not null then now_ms() end
  from judged j, lateral (select jsonb_set($9::jsonb, '{at}', to_jsonb(j.at)) as body) b
  on conflict (id) do nothing returning seq),
made as (
  insert into sessions (id) select session from row where not $11 on conflict (id) do nothing)
select row.*, (select refused from judged) as refused, put.seq, (select seq from inbox where id = $8) as before,
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
        inbound.isMention ?? inbound.addressed,
      ];
      const [found] = await sql.query<PutRow>(PUT, values);
      if (found === undefined) return undefined;
      const { seq, before, running, refused, ...row } = found;
      return { row: toMessage(row), stored: storedAs() };

      function storedAs(): Stored {
        if (seq === null) return { kind: "duplicate", seq: before ?? 0 };
        return refused === null ? { kind: "stored", seq, running } : { kind: "refused", seq, rule: refused };
      }
    },
  };
}
