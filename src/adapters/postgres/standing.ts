/** How much there is to do in the whole ledger just now, for those who watch. Read through the indexes of what is unfinished only. */

import type { Standing } from "../../core/ports/standing.ts";
import { WAITS } from "./ledger-sql.ts";
import type { Sql } from "./sql.ts";

const STANDING = {
  name: "standing",
  text: `
select w.waiting, w.oldest / 1000.0 as "oldestSeconds", r.open, r.settling, g.goals
from (select count(*) as waiting, coalesce(max(greatest(now_ms() - i.received_at, 0)), 0)::float8 as oldest from inbox i where ${WAITS}) w,
  (select count(*) filter (where reply = 'open') as open, count(*) filter (where reply = 'settling') as settling
    from runs where reply <> 'settled') r,
  (select coalesce(json_object_agg(status, n), '{}'::json) as goals
    from (select status, count(*) as n from goals where wake_at is not null group by status) s) g`,
};

export async function standingOf(sql: Sql): Promise<Standing> {
  const [row] = await sql.query<Standing>(STANDING);
  return row ?? { waiting: 0, oldestSeconds: 0, open: 0, settling: 0, goals: {} };
}
