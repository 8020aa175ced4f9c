/** What is left to do where nobody can be answered any more. The specification is the port's. */

import type { Departures } from "../../core/ports/departures.ts";
import type { SessionId } from "../../core/thread.ts";
import { WAITS } from "./ledger-sql.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

const WORK_IN = {
  name: "departures-work",
  text: `
select i.session from inbox i where ${WAITS} and starts_with(i.session, $1)
union
select r.session from runs r where r.reply <> 'settled' and starts_with(r.session, $1)
union
select s.id from sessions s where s.goal is not null and starts_with(s.id, $1)
order by 1`,
};

const POSITION = {
  name: "departures-position",
  text: "select nextval('inbox_seq') as position",
};

/** Holds the session's row as a stop does, whose position it takes: what is under way sees that it was stopped. */
const EXPIRE = {
  name: "departures-expire",
  text: `
with was as materialized (select id, rev from sessions where id = $1),
held as (
  update sessions s set rev = s.rev + 1, stop_seq = greatest(s.stop_seq, coalesce($3::bigint, nextval('inbox_seq')))
  from was where s.id = was.id and s.rev = was.rev returning s.id, s.stop_seq),
expired as (
  update inbox i set state = 'done', fate = 'expired', reason = $2, done_at = now_ms()
  from held where i.session = held.id and i.state = 'waiting' and i.seq < held.stop_seq)
select exists (select from was) as known, exists (select from held) as held`,
};

export function createDepartures(sql: Sql): Departures {
  return {
    async workIn(platform, space) {
      const rows = await sql.query<{ session: SessionId }>(WORK_IN, [`${platform}:${space}:`]);
      return rows.map(({ session }) => session);
    },
    async position() {
      const [row] = await sql.query<{ position: number }>(POSITION);
      if (row === undefined) throw new Error("a statement without a row");
      return row.position;
    },
    async expire(session, reason, upTo) {
      await snapshotRetry(async () => {
        const [row] = await sql.query<{ known: boolean; held: boolean }>(EXPIRE, [
          session,
          reason,
          upTo ?? null,
        ]);
        return row?.known && !row.held ? "stale" : "done";
      });
    },
  };
}
