/** Who is there, of all processes that share a database: a row for each. */

import type { AttendanceBook, Attending, Doings } from "../../core/ports/attendance.ts";
import type { Sql } from "./sql.ts";

/** Whoever was killed leaves a row behind, which the others take out after a day: until then it is seen to be gone. */
const SIGN = {
  name: "attendance-sign",
  text: `
with old as (delete from attendance where seen_at < now_ms() - 86400000 and id <> $1)
insert into attendance as a (id, role, host, pid, version, facts) values ($1, $2, $3, $4::integer, $5, $6::jsonb)
on conflict (id) do update set seen_at = now_ms(), facts = excluded.facts`,
};

const LEAVE = { name: "attendance-leave", text: "delete from attendance where id = $1" };

/** So long ago is no news any more, ms. */
const LISTED_MS = 10 * 60_000;

const LIST = {
  name: "attendance-list",
  text: `
select id, role, host, pid, version, facts, now_ms() - started_at as "upMs", now_ms() - seen_at as "seenMsAgo"
from attendance where seen_at > now_ms() - ${LISTED_MS} order by started_at desc, id limit 200`,
};

interface Row extends Omit<Attending, keyof Doings> {
  readonly facts: Doings;
}

export function createAttendanceBook(sql: Sql): AttendanceBook {
  return {
    async sign({ id, role, host, pid, version }, doings) {
      await sql.query(SIGN, [id, role, host, pid, version, JSON.stringify(doings)]);
    },
    async leave(id) {
      await sql.query(LEAVE, [id]);
    },
    async list() {
      const rows = await sql.query<Row>(LIST);
      return rows.map(({ facts, ...row }) => ({ ...row, ...later(facts, row.seenMsAgo) }));
    },
  };
}

/** The same doings, so long after. */
function later({ sweptMsAgo, overviewsMsAgo, ...doings }: Doings, ms: number): Doings {
  return {
    ...doings,
    ...(sweptMsAgo === undefined ? {} : { sweptMsAgo: sweptMsAgo + ms }),
    ...(overviewsMsAgo === undefined ? {} : { overviewsMsAgo: overviewsMsAgo + ms }),
  };
}
