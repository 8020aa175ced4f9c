/** A person's threads, out of the ledger of what they wrote. */

import type { EndReason } from "../../core/events.ts";
import { labelOf } from "../../core/label.ts";
import type { PersonThreads, ThreadOfPerson, ThreadState } from "../../core/ports/person-threads.ts";
import type { SessionId } from "../../core/thread.ts";
import { WAITS } from "./ledger-sql.ts";
import type { Sql } from "./sql.ts";
import { FIRST_SAID } from "./transcripts.ts";

/** Newest messages of a person that are looked at, so that a list costs the same for whoever writes all day. */
const LOOKED_AT = 1_000;

/** Newest branches. */
const BRANCHES = 100;

/** Begins with what the indexes `inbox_person` and `inbox_branching` are made of. */
const OF = {
  name: "person-threads",
  text: `
with newest as materialized (
  select i.session from inbox i
  where split_part(i.session, ':', 2) = $2 and i.body->'author'->>'id' = $3 and i.kind = 'message'
    and i.fate is distinct from 'refused'
  order by i.seq desc limit ${LOOKED_AT}),
branched as materialized (
  select b.target as session from inbox i join branches b on b.id = i.id
  where split_part(i.session, ':', 2) = $2 and i.body->'author'->>'id' = $3 and i.kind = 'command'
    and i.body->'command'->>'name' = 'branch' and i.fate is distinct from 'refused' and b.target is not null
  order by i.seq desc limit ${BRANCHES}),
mine as materialized (
  select s.* from sessions s
  where s.id in (select session from newest union select session from branched) and starts_with(s.id, $1 || ':' || $2 || ':')
  order by s.touched_at desc, s.id desc limit $4)
select s.id as session, s.touched_at as "touchedAt",
  exists (select from runs r where r.session = s.id and r.reply = 'open') as running,
  exists (select from inbox i where i.session = s.id and ${WAITS} and i.seq > s.stop_seq) as waiting,
  (select r.reason from runs r where r.session = s.id and r.epoch = s.epoch and r.reply <> 'open'
    order by r.n desc limit 1) as reason,
  s.title, ${FIRST_SAID} as said
from mine s order by s.touched_at desc, s.id desc`,
};

interface Row {
  readonly session: SessionId;
  readonly touchedAt: number;
  readonly running: boolean;
  readonly waiting: boolean;
  readonly reason: EndReason | null;
  readonly title: string | null;
  readonly said: string | null;
}

export function createPersonThreads(sql: Sql): PersonThreads {
  return {
    async of(platform, space, person, limit) {
      const rows = await sql.query<Row>(OF, [platform, space, person, limit]);
      return rows.map((row): ThreadOfPerson => ({
        session: row.session,
        label: labelOf({ title: row.title ?? undefined, firstText: row.said ?? undefined }),
        state: stateOf(row),
        touchedAt: row.touchedAt,
      }));
    },
  };
}

function stateOf({ running, waiting, reason }: Row): ThreadState {
  if (running) return { kind: "working" };
  if (waiting) return { kind: "queued" };
  return reason === null ? { kind: "new" } : { kind: "ended", reason };
}
