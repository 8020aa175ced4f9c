/** What admins wrote that repeats the words of an erased thread: searches by which it was found, and reasons that were given for it. */

import { repeatedLines, type WrittenLine } from "../../../core/admin/repeated-lines.ts";
import type { Space } from "../../../core/ports/overviews.ts";
import type { Sql } from "../sql.ts";
import { ERASED } from "./erase-sql.ts";
import type { ThreadToErase } from "./erase-thread.ts";
import { erasedTexts } from "./erased-texts.ts";

/** Each once, however often it was searched for. A reason without a thread counts where who gave it took this thread out for it. */
const LINES = {
  name: "erase-lines",
  text: `
select distinct 'search' as kind, a.about as text, 0::bigint as n from audit a
where a.platform = $1 and a.space = $2 and a.kind = 'search' and a.about <> '${ERASED}'
union all
select 'sentence', split_part(a.about, ' (an export of ', 1), a.n from audit a join (
    select e.person, max(e.n) as n from audit e
    where e.session = $3 and e.platform = $1 and e.space = $2 and e.kind = 'export' group by e.person) taken
  on taken.person = a.person and taken.n > a.n
where a.platform = $1 and a.space = $2 and a.kind = 'reason' and a.session is null and a.about <> '${ERASED}'`,
};

const ERASE = {
  name: "erase-lines-found",
  text: `select audit_erase_words($1, $2, $3, $4::jsonb, $5::jsonb) as id`,
};

/** Before the thread's own words go. @returns the lines of the audit log that were changed. */
export async function eraseRepeated(
  tx: Sql,
  { platform, space }: Space,
  thread: ThreadToErase,
): Promise<readonly { readonly id: number }[]> {
  const place = [platform, space, thread.session];
  const lines = await tx.query<WrittenLine & { readonly n: number }>(LINES, place);
  const repeated = repeatedLines(lines);
  if (lines.length > 0) for await (const text of erasedTexts(tx, thread)) repeated.hear(text);
  const found = repeated.found();
  const searched = found.flatMap(({ kind, text }) => (kind === "search" ? [text] : []));
  const given = found.flatMap(({ kind, n }) => (kind === "sentence" ? [n] : []));
  return tx.query<{ id: number }>(ERASE, [...place, JSON.stringify(searched), JSON.stringify(given)]);
}
