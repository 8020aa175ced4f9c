/** What people say of answers, over SQL. */

import type { RunId } from "../../core/ids.ts";
import { FEEDBACK, type FeedbackValue } from "../../core/feedback.ts";
import type { Feedback, FeedbackBook } from "../../core/ports/feedback.ts";
import { cleanText } from "../../core/text.ts";
import type { SessionId } from "../../core/thread.ts";
import type { Sql } from "./sql.ts";

const GIVE = {
  name: "feedback-give",
  text: `
with r as materialized (
  select r.id from runs r
  where r.session = $1 and case when $2::text is null then r.reason is not null else r.id = $2 end
  order by r.n desc limit 1),
given as (
  insert into feedback as f (run, person, session, name, value, at)
  select r.id, $3::text, $1, $4::text, $5::text, $6::bigint from r
  on conflict (run, person) do update set name = excluded.name, value = excluded.value, at = excluded.at
    where f.at < excluded.at)
select id from r`,
};

const COLUMNS = "f.session, f.run, f.person, f.name, f.value, f.at";
const OF_SESSION = {
  name: "feedback-of-session",
  text: `select ${COLUMNS} from feedback f where f.session = $1 order by f.at desc, f.person`,
};
const SINCE = {
  name: "feedback-since",
  text: `select ${COLUMNS} from feedback f where f.at >= $1::bigint order by f.at desc, f.run, f.person limit $2`,
};

interface Row {
  readonly session: SessionId;
  readonly run: RunId;
  readonly person: string;
  readonly name: string;
  readonly value: string;
  readonly at: number;
}

export function createFeedbackBook(sql: Sql): FeedbackBook {
  return {
    async give({ session, run, person, value, at }) {
      const values = [session, run ?? null, person.id, cleanText(person.name), value, Math.round(at)];
      return (await sql.query<{ id: string }>(GIVE, values)).length > 0;
    },
    ofSession: async (session) => (await sql.query<Row>(OF_SESSION, [session])).flatMap(toFeedback),
    since: async (at, limit) => (await sql.query<Row>(SINCE, [Math.round(at), limit])).flatMap(toFeedback),
  };
}

/** None for a word that only a later version knows. */
function toFeedback({ person, name, value, ...row }: Row): readonly Feedback[] {
  const known = FEEDBACK.find((each): each is FeedbackValue => each === value);
  return known === undefined ? [] : [{ ...row, person: { id: person, name }, value: known }];
}
