/** What was erased of what platforms still show, as the erasures have it. */

import type { ErasedUntil, ErasedWords } from "../../core/ports/erased-words.ts";
import type { SessionId } from "../../core/thread.ts";
import type { Sql } from "./sql.ts";

/** $1 platform, $2 space; $3 threads and $4 people as JSON. Of a person as soon as it is asked for: it is read in other threads meanwhile. */
const UNTIL = {
  name: "erased-until",
  text: `
select t.session as id, false as "isPerson", max(t.done_at) filter (where t.extent = 'all') as "all", max(t.done_at) filter (where t.extent <> 'reactions') as "replies"
from erased_threads t
where t.session in (select jsonb_array_elements_text($3::jsonb)) and t.done_at is not null group by t.session
union all
select x.subject, true, max(coalesce(x.done_at, x.at)), null from erasures x
where x.platform = $1 and x.space = $2 and x.kind = 'person' and x.subject in (select jsonb_array_elements_text($4::jsonb))
group by x.subject`,
};

interface UntilRow {
  readonly id: string;
  readonly isPerson: boolean;
  readonly all: number | null;
  readonly replies: number | null;
}

export function createErasedWords(sql: Sql): ErasedWords {
  return {
    async of({ platform, space }, threads, people): Promise<ErasedUntil> {
      const values = [platform, space, JSON.stringify(threads), JSON.stringify(people)];
      const rows = await sql.query<UntilRow>(UNTIL, values);
      const until = {
        threads: new Map<SessionId, number>(),
        replies: new Map<SessionId, number>(),
        people: new Map<string, number>(),
      };
      for (const { id, isPerson, all, replies } of rows) {
        if (isPerson) until.people.set(id, all ?? 0);
        else {
          if (all !== null) until.threads.set(id as SessionId, all);
          if (replies !== null) until.replies.set(id as SessionId, replies);
        }
      }
      return until;
    },
  };
}
