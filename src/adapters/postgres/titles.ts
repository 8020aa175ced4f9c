/** What a model calls a thread, together with the call that it took. */

import type { Titles } from "../../core/ports/titles.ts";
import { cleanText } from "../../core/text.ts";
import { partsOf, storing, type RoundPart } from "./round-values.ts";
import { shaped } from "./shaped.ts";
import type { Sql } from "./sql.ts";

/**
 * $2: the title, or null. $4: the epoch. $5: the fence, which an erasure of what one person said changes as well. From $6: `parts`.
 * The row is locked first, so that both are asked of it as it is behind an erasure that is just being stored.
 */
const GIVE = shaped<readonly RoundPart[]>({
  name: (parts) => ["title", ...parts.map((part) => part.name)].join("-"),
  text: (parts) => `
with held as (select epoch from sessions where id = $1 and epoch = $4::integer and fence = $5::bigint for update),
named as (
  update sessions s set title = $2::text, title_source = 'model' from held
  where s.id = $1 and s.title is null and $2::text is not null
  returning s.id)${storing(parts, 6)}
select (select count(*) from named)::integer as named from held`,
});

export function createTitles(sql: Sql): Titles {
  return {
    async give({ session, run, number }, epoch, call, title) {
      const parts = partsOf(undefined, { calls: [call], frozen: undefined }, () => false);
      const [row] = await sql.query<{ named: number }>(GIVE(parts), [
        session,
        title === undefined ? null : cleanText(title),
        run,
        epoch,
        number,
        ...parts.flatMap((part) => part.values),
      ]);
      return row?.named === 1;
    },
  };
}
