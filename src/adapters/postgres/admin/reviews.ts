/** Who looks through which threads, in their table, and what was refused, as it stands in the ledger. */

import type { IsDirectAddress, ReviewState } from "../../../core/ports/overviews.ts";
import type { Refusal, Reviews } from "../../../core/ports/reviews.ts";
import { MENTION_RULE, MUTE_RULE } from "../../../core/session-settings.ts";
import { cleanText } from "../../../core/text.ts";
import { threadOf, type SessionId } from "../../../core/thread.ts";
import { toInbound } from "../inbound-row.ts";
import type { Sql } from "../sql.ts";

const OF = {
  name: "review-of",
  text: `
select v.assignee_name as "assigneeName", v.reviewed_at as "reviewedAt", v.reviewed_name as "reviewedName"
from thread_reviews v where v.session = $1`,
};

const ASSIGN = {
  name: "review-assign",
  text: `
insert into thread_reviews (session, assignee, assignee_name) values ($1, $2, $3)
on conflict (session) do update set assignee = excluded.assignee, assignee_name = excluded.assignee_name`,
};

const DONE = {
  name: "review-done",
  text: `
insert into thread_reviews (session, reviewed_at, reviewed_by, reviewed_name) values ($1, now_ms(), $2, $3)
on conflict (session) do update
set reviewed_at = excluded.reviewed_at, reviewed_by = excluded.reviewed_by, reviewed_name = excluded.reviewed_name`,
};

/** Settings of the thread itself refuse nobody. */
const PASSED_OVER = `i.rule is distinct from '${MENTION_RULE}' and i.rule is distinct from '${MUTE_RULE}'`;

const REFUSALS = {
  name: "review-refusals",
  text: `
select i.seq, i.session, i.received_at as at, i.body, i.reason, i.rule,
  exists (select from sessions s where s.id = i.session) as "hasThread",
  coalesce(i.body->'where'->>'isDirect' = 'true', false) as "isDirect",
  (select p.is_private from channel_privacy p
    where p.platform = $1 and p.space = $2 and p.channel = split_part(i.session, ':', 3)) as "isPrivate",
  v.assignee_name as "assigneeName", v.reviewed_at as "reviewedAt", v.reviewed_name as "reviewedName"
from inbox i left join thread_reviews v on v.session = i.session
where i.fate = 'refused' and starts_with(i.session, $1 || ':' || $2 || ':') and ${PASSED_OVER}
  and i.seq < coalesce($3::bigint, 9223372036854775807) and (not $4::boolean or coalesce(v.reviewed_at, 0) < i.received_at)
order by i.seq desc limit $5::integer`,
};

const HAS_REFUSAL = {
  name: "review-has-refusal",
  text: `select 1 as one from inbox i where i.session = $1 and i.fate = 'refused' limit 1`,
};

const PEOPLE = {
  name: "review-people",
  text: `
select distinct on (b.person) b.person, b.name from admin_browsers b
where b.platform = $1 and b.space = $2 and b.seen_at > now_ms() - 30 * 86400000::bigint
order by b.person, b.seen_at desc limit 100`,
};

/** SQL: the review of the overview `o`, as a `ReviewRow`; null where nobody has to do with it. */
export const REVIEW = `(select json_build_object('assigneeName', v.assignee_name, 'reviewedAt', v.reviewed_at,
  'reviewedName', v.reviewed_name) from thread_reviews v where v.session = o.session)`;

export interface ReviewRow {
  readonly assigneeName: string | null;
  readonly reviewedAt: number | null;
  readonly reviewedName: string | null;
}

interface RefusalRow extends ReviewRow {
  readonly seq: number;
  readonly session: SessionId;
  readonly at: number;
  readonly body: unknown;
  readonly reason: string | null;
  readonly rule: string | null;
  readonly hasThread: boolean;
  readonly isDirect: boolean;
  readonly isPrivate: boolean | null;
}

/** @param dear for the question that reads a whole space. */
export function createReviews(sql: Sql, isDirectAddress: IsDirectAddress, dear: Sql = sql): Reviews {
  return {
    async of(session) {
      const [row] = await sql.query<ReviewRow>(OF, [session]);
      return toState(row ?? null);
    },
    async assign(session, { person, name }) {
      await sql.query(ASSIGN, [session, person, cleanText(name)]);
    },
    async done(session, { person, name }) {
      await sql.query(DONE, [session, person, cleanText(name)]);
    },
    async refusals({ platform, space }, { before, limit, isUnreviewed }) {
      const values = [platform, space, before ?? null, isUnreviewed, limit];
      const rows = await dear.query<RefusalRow>(REFUSALS, values);
      return rows.map(({ seq, session, at, body, reason, rule, hasThread, ...row }): Refusal => ({
        seq,
        session,
        at,
        inbound: toInbound(body),
        ...(reason === null ? {} : { reason }),
        ...(rule === null ? {} : { rule }),
        hasThread,
        isDirect: row.isDirect || isDirectAddress(threadOf(session)),
        isPrivate: row.isPrivate ?? true,
        review: toState(row),
      }));
    },
    async hasRefusal(session) {
      return (await sql.query(HAS_REFUSAL, [session])).length > 0;
    },
    people: ({ platform, space }) => sql.query(PEOPLE, [platform, space]),
  };
}

export function toState(row: ReviewRow | null): ReviewState {
  const { assigneeName = null, reviewedAt = null, reviewedName = null } = row ?? {};
  return {
    ...(assigneeName === null ? {} : { assigneeName }),
    ...(reviewedAt === null ? {} : { reviewedAt }),
    ...(reviewedName === null ? {} : { reviewedName }),
  };
}
