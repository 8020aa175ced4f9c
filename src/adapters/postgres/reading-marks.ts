/** How far channels were read, as rows that only the newest reader moves. */

import { markOfWhole, type ReadingMarks } from "../../core/ports/reading-marks.ts";
import type { Sql } from "./sql.ts";

const BEGIN = {
  name: "reading-begin",
  text: `
insert into reader_terms as t (platform, term, began_at, restarts) values ($1, 1, now_ms(), 0)
on conflict (platform) do update set term = t.term + 1, began_at = now_ms(), gap = now_ms() - t.began_at,
  restarts = case when now_ms() - t.began_at < 600000 then t.restarts + 1 else 0 end
returning term, restarts, gap, first_began_at as since`,
};

const ENTERING = {
  name: "reading-entering",
  text: `update reader_terms set began_at = now_ms() where platform = $1 and term = $2::bigint`,
};

const LIST = {
  name: "reading-list",
  text: `select space, channel, seen::text as seen from reading_marks
    where platform = $1 and (seen > $2::bigint or starts_with(channel, $3)) order by reading_marks.seen`,
};

/** The term's row is held, so that a term that begins meanwhile waits and then sees what was moved. */
const MOVE = {
  name: "reading-move",
  text: `
with term as materialized (select term from reader_terms where platform = $1 and term = $2::bigint for share),
moved as (
  insert into reading_marks as m (platform, channel, space, seen)
  select $1, w.channel, w.space, w.seen::bigint
  from term, jsonb_to_recordset($3::jsonb) as w(channel text, space text, seen text)
  on conflict (platform, channel) do update set seen = greatest(m.seen, excluded.seen), space = excluded.space)
select exists (select from term) as mine`,
};

const DROP = {
  name: "reading-drop",
  text: `
with term as materialized (select term from reader_terms where platform = $1 and term = $2::bigint for share)
delete from reading_marks m using term where m.platform = $1 and m.space = $3`,
};

interface BegunRow {
  readonly term: number;
  readonly restarts: number;
  readonly gap: number | null;
  readonly since: number;
}

export function createReadingMarks(sql: Sql): ReadingMarks {
  return {
    async begin(platform) {
      const [row] = await sql.query<BegunRow>(BEGIN, [platform]);
      if (row === undefined) throw new Error("a statement without a row");
      const { term: number, restarts, gap, since: sinceMs } = row;
      return { number, restarts, sinceMs, ...(gap === null ? {} : { gapMs: gap }) };
    },
    async entering(platform, term) {
      await sql.query(ENTERING, [platform, term]);
    },
    list: (platform, since) =>
      sql.query<{ space: string; channel: string; seen: string }>(LIST, [platform, since, markOfWhole("")]),
    async move(platform, term, marks) {
      const [row] = await sql.query<{ mine: boolean }>(MOVE, [platform, term, JSON.stringify(marks)]);
      return row?.mine === true;
    },
    async drop(platform, term, space) {
      await sql.query(DROP, [platform, term, space]);
    },
  };
}
