/** Forgetting over SQL: a thread in one transaction, under its row, with all that was true of it looked at again there. */

import type { Space } from "../../../core/ports/overviews.ts";
import { isStoreAway } from "../../../core/errors.ts";
import type { Forgotten, ForgetOptions, Retained, Retention } from "../../../core/ports/retention.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { hasWork } from "../ledger-sql.ts";
import { createAudit } from "./audit.ts";
import { eraseThread, openBook } from "./erase-thread.ts";
import { holding, holdingThread, SEE_HOLDS } from "./hold-sql.ts";

const SPACES = {
  name: "retention-spaces",
  text: `
select platform, space from overviews union select platform, space from audit
union select distinct split_part(session, ':', 1), split_part(session, ':', 2) from inbox where fate = 'refused'`,
};

/** Not held. $1 platform, $2 space; `session` is an expression. */
const isFree = (session: string): string =>
  `not exists (select from holds h where ${holding("$1", "$2")} and ${holdingThread(session)})`;

/** Nothing of it is to be done. A note that waits for a next run, as on an edit of what was answered, may wait for ever. */
const RESTS = `s.goal is null and s.wiped_rev is distinct from s.rev and not ${hasWork("s.id")}
  and not exists (select from inbox i where i.session = s.id and i.state = 'admitted')`;

/** The next ones behind $5 $6. */
const OLD = {
  name: "retention-threads",
  text: `
select o.touched_at as at, o.session as id from overviews o join sessions s on s.id = o.session
where o.platform = $1 and o.space = $2 and o.touched_at < now_ms() - $3::bigint and s.touched_at < now_ms() - $3
  and (o.touched_at, o.session) > ($5::bigint, $6::text) and ${RESTS} and ${isFree("s.id")}
order by o.touched_at, o.session limit $4::integer`,
};

const STILL_OLD = {
  name: "retention-thread",
  text: `
select s.id from sessions s where s.id = $4 and s.touched_at < now_ms() - $3::bigint and ${RESTS} and ${isFree("s.id")}
for update skip locked`,
};

/** What an erasure leaves so that a platform that delivers it again finds it known: nobody delivers anything so late. */
const REST: readonly string[] = [
  `delete from inbox where session = $1 and state = 'done'`,
  `delete from web_messages where session = $1`,
  `delete from web_threads where session = $1`,
  `delete from pages p using runs r where r.session = $1 and p.run = r.id`,
  `delete from attempts where session = $1`,
  `update sessions set wiped_rev = rev where id = $1`,
];

/** SQL: how many are gone, and the last of those that were looked at; no row where none was. `taken` and `gone` stand before it. */
const COUNTED = `
select t.at, t.id, (select count(*)::integer from taken) as looked, (select count(*)::integer from gone) as count
from taken t`;

/** First messages that were refused: no thread began that they could go with. */
const REFUSED = {
  name: "retention-refused",
  text: `
with taken as materialized (
  select i.seq as at, i.session as id, i.id as inbound from inbox i
  where i.fate = 'refused' and starts_with(i.session, concat($1::text, ':', $2::text, ':')) and i.received_at < now_ms() - $3::bigint
    and (i.session, i.seq) > ($6::text, $5::bigint) and ${isFree("i.session")}
    and not exists (select from sessions s where s.id = i.session)
  order by i.session, i.seq limit $4::integer),
reviewed as (delete from thread_reviews v using taken t where v.session = t.id),
gone as (delete from inbox i using taken t where i.id = t.inbound returning 1)
${COUNTED} order by t.id desc, t.at desc limit 1`,
};

/** The next runs of the space, with what `gone` takes of them. */
const ofRuns = (gone: string): string => `
with taken as materialized (
  select r.started_at as at, r.id, r.session from runs r
  where split_part(r.session, ':', 1) = $1 and split_part(r.session, ':', 2) = $2 and r.reply = 'settled'
    and r.started_at < now_ms() - $3::bigint and (r.started_at, r.id) > ($5::bigint, $6::text)
  order by r.started_at, r.id limit $4::integer),
gone as (${gone} returning 1)
${COUNTED} order by t.at desc, t.id desc limit 1`;

const STEPS: Readonly<
  Record<Exclude<Retained, "conversations">, { readonly name: string; readonly text: string }>
> = {
  toolResults: {
    name: "retention-results",
    text: ofRuns(`delete from tool_results r using taken t where r.run = t.id and ${isFree("t.session")}`),
  },
  modelRequests: {
    name: "retention-requests",
    text: ofRuns(`
  update model_calls c set params = '{}', body_hash = null from taken t
  where c.run = t.id and c.params <> '{}' and ${isFree("t.session")}
    and not exists (select from runs o where o.session = t.session and o.reply = 'open')`),
  },
  audit: {
    name: "retention-audit",
    // Of these none is passed over: the next step finds the next ones.
    text: `
with gone as materialized (
  select audit_forget($1, $2, now_ms() - $3::bigint, $4::integer) as n
  where not exists (select from holds h where ${holding("$1", "$2")}))
select 0 as at, '1' as id, count(*)::integer as looked, count(*)::integer as count from gone`,
  },
};

/** Behind which of them a step goes on. */
interface Place {
  readonly of: "threads" | "refused" | "rows";
  readonly at: number;
  readonly id: string;
}

interface StepRow {
  readonly at: number;
  readonly id: string;
  readonly looked: number;
  readonly count: number;
}

export function createRetention(sql: Sql): Retention {
  async function forgetThread(
    { platform, space }: Space,
    { olderThanMs, line }: ForgetOptions,
    session: string,
  ): Promise<boolean> {
    return sql.transaction(async (tx) => {
      await tx.query(SEE_HOLDS, [platform, space]);
      const [old] = await tx.query(STILL_OLD, [platform, space, Math.round(olderThanMs), session]);
      if (old === undefined) return false;
      await eraseThread(tx, { session, extent: "all", person: null }, openBook());
      for (const text of REST) await tx.query({ text }, [session]);
      if (line !== undefined) await createAudit(tx).write(line);
      return true;
    });
  }

  async function forgetThreads(
    at: Space,
    options: ForgetOptions,
    values: readonly SqlValue[],
  ): Promise<Forgotten> {
    const old = await sql.query<Pick<StepRow, "at" | "id">>(OLD, values);
    const { line, mayGoOn = () => true, ...rest } = options;
    const errors: unknown[] = [];
    let count = 0;
    let last: Pick<StepRow, "at" | "id"> | undefined;
    for (const each of old) {
      // A thread may take its time, and somebody waits for the end of the step.
      if (last !== undefined && !mayGoOn()) break;
      last = each;
      const { id } = each;
      try {
        // One that is taken up again just now is left.
        if (await forgetThread(at, count === 0 && line !== undefined ? options : rest, id)) count += 1;
      } catch (error) {
        if (isStoreAway(error)) throw error;
        errors.push(error);
      }
    }
    const isAll = last === old.at(-1) && old.length < options.limit;
    const next: Place =
      last === undefined || isAll ? { of: "refused", at: 0, id: "" } : { of: "threads", ...last };
    return { count, next: JSON.stringify(next), errors };
  }

  return {
    spaces: () => sql.query<Space>(SPACES),
    async forget(at, kind, options) {
      const { olderThanMs, limit, after, line } = options;
      const first: Place = { of: kind === "conversations" ? "threads" : "rows", at: -1, id: "" };
      const place = after === undefined ? first : (JSON.parse(after) as Place);
      const values = [at.platform, at.space, Math.round(olderThanMs), limit, place.at, place.id];
      if (place.of === "threads") return forgetThreads(at, options, values);
      const step = kind === "conversations" ? REFUSED : STEPS[kind];
      return sql.transaction(async (tx) => {
        await tx.query(SEE_HOLDS, [at.platform, at.space]);
        const [row] = await tx.query<StepRow>(step, kind === "audit" ? values.slice(0, 4) : values);
        if (row === undefined) return { count: 0, errors: [] };
        if (row.count > 0 && line !== undefined) await createAudit(tx).write(line);
        const next: Place = { of: place.of, at: row.at, id: row.id };
        return {
          count: row.count,
          ...(row.looked < limit ? {} : { next: JSON.stringify(next) }),
          errors: [],
        };
      });
    },
  };
}
