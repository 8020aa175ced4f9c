/** Owed answers in their table. Who takes one writes when, so that two that look at once never take the same. */

import type { Answers, OwedAnswer } from "../../core/ports/answers.ts";
import { cleanText } from "../../core/text.ts";
import type { Sql } from "./sql.ts";

const OWE = {
  name: "answers-owe",
  text: `
insert into answers as a (command, platform, space, place, text) values ($1, $2, $3, $4, $5)
on conflict (command) do update set place = excluded.place, text = excluded.text, owed_at = now_ms(), taken_at = now_ms(),
  told = false
  where a.owed_at <= now_ms() - $6::bigint
returning 1 as one`,
};

const TOLD = {
  name: "answers-told",
  text: `update answers set told = true, place = '', text = '' where command = $1`,
};

const UNTOLD = {
  name: "answers-untold",
  text: `
with forgotten as (
  update answers set told = true, place = '', text = ''
  where platform = $1 and ($2::text is null or space = $2) and not told and owed_at <= now_ms() - $4::bigint),
taken as (
  update answers set taken_at = now_ms() where command in (
    select command from answers
    where platform = $1 and ($2::text is null or space = $2) and not told
      and taken_at <= now_ms() - $3::bigint and owed_at > now_ms() - $4::bigint
    order by owed_at limit $5::integer for update skip locked)
  returning command, platform, space, place, text, owed_at)
select command, platform, space, place, text from taken order by owed_at, command`,
};

export function createAnswers(sql: Sql): Answers {
  return {
    async owe({ command, platform, space, place, text }, againAfterMs) {
      const again = againAfterMs === undefined ? null : Math.round(againAfterMs);
      const rows = await sql.query(OWE, [command, platform, space, place, cleanText(text), again]);
      return rows.length > 0;
    },
    async told(command) {
      await sql.query(TOLD, [command]);
    },
    untold: (platform, space, { idleMs, keptMs, limit }) =>
      sql.query<OwedAnswer>(UNTOLD, [platform, space ?? null, Math.round(idleMs), Math.round(keptMs), limit]),
  };
}
