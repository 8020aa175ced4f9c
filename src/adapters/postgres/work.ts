/** What there is to do: read without a lock, since whoever looks only rings or claims. */

import type { Work } from "../../core/ports/work.ts";
import type { SessionId } from "../../core/thread.ts";
import { spaceIn } from "./goal-places.ts";
import { hasWork, WAITS } from "./ledger-sql.ts";
import type { Sql } from "./sql.ts";

const HAS_WORK = {
  name: "has-work",
  text: `select ${hasWork("$1")} as work`,
};

/** First the one of each space that was touched longest ago, then the second ones: one that has very many takes nobody's place. */
const DUE = {
  name: "due",
  text: `
select p.session from (
select w.session, s.touched_at, min(w.since) as since,
  row_number() over (partition by ${spaceIn("w.session")} order by s.touched_at, min(w.since), w.session) as place
from (
  select i.session, i.received_at as since from inbox i where ${WAITS}
  union all
  select r.session, r.started_at from runs r where r.reply <> 'settled') w
join sessions s on s.id = w.session
where w.since <= now_ms() - $1::bigint and s.touched_at <= now_ms() - $1
  and not exists (select from installs x where x.state = 'broken' and starts_with(s.id, concat(x.platform, ':', x.space, ':')))
group by w.session, s.touched_at) p
order by p.place, p.touched_at, p.since, p.session limit $2::integer`,
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
