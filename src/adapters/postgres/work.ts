/** What there is to do: read without a lock, since whoever looks only rings or claims. */

import type { Work } from "../../core/ports/work.ts";
import type { SessionId } from "../../core/thread.ts";
import { hasWork, WAITS } from "./ledger-sql.ts";
import type { Sql } from "./sql.ts";

const HAS_WORK = {
  name: "has-work",
  text: `select ${hasWork("$1")} as work`,
};

const DUE = {
  name: "due",
  text: `
select w.session
from (
  select i.session, i.received_at as since from inbox i where ${WAITS}
  union all
  select r.session, r.started_at from runs r where r.reply <> 'settled') w
join sessions s on s.id = w.session
where w.since <= now_ms() - $1::bigint and s.touched_at <= now_ms() - $1
  and not exists (select from installs x where x.state = 'broken' and starts_with(s.id, concat(x.platform, ':', x.space, ':')))
group by w.session, s.touched_at order by s.touched_at, min(w.since), w.session limit $2::integer`,
};

export function createWork(sql: Sql): Work {
  return {
    async due(idleMs, limit) {
      const rows = await sql.query<{ session: SessionId }>(DUE, [Math.round(idleMs), limit]);
      return rows.map((row) => row.session);
    },
    async hasWork(session) {
      const [row] = await sql.query<{ work: boolean }>(HAS_WORK, [session]);
      return row?.work ?? false;
    },
  };
}
