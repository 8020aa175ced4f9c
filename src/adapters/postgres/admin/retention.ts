/** Forgetting over SQL: a thread in one transaction, under its row, with all that was true of it looked at again there. */

import type { Space } from "../../../core/ports/overviews.ts";
import type { Retained, Retention } from "../../../core/ports/retention.ts";
import type { Sql } from "../sql.ts";
import { eraseThread, openBook } from "./erase-thread.ts";
import { holding, holdingThread } from "./hold-sql.ts";

const SPACES = {
  name: "retention-spaces",
  text: `
select platform, space from overviews union select platform, space from audit`,
};

/** Not held. $1 platform, $2 space; `session` is an expression. */
const isFree = (session: string): string =>
  `not exists (select from holds h where ${holding("$1", "$2")} and ${holdingThread(session)})`;

/** Nothing of it is to be done. */
const RESTS = `s.goal is null and s.wiped_rev is distinct from s.rev
  and not exists (select from runs r where r.session = s.id and r.reply <> 'settled')
  and not exists (select from inbox i where i.session = s.id and i.state <> 'done')`;

const OLD = {
  name: "retention-threads",
  text: `
select s.id from overviews o join sessions s on s.id = o.session
where o.platform = $1 and o.space = $2 and o.touched_at < now_ms() - $3::bigint and s.touched_at < now_ms() - $3
  and ${RESTS} and ${isFree("s.id")}
order by o.touched_at limit $4::integer`,
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

const OF_SPACE = `starts_with(r.session, concat($1::text, ':', $2::text, ':'))`;

const STEPS: Readonly<
  Record<Exclude<Retained, "conversations">, { readonly name: string; readonly text: string }>
> = {
  toolResults: {
    name: "retention-results",
    text: `
delete from tool_results where (run, round, call) in (
  select t.run, t.round, t.call from runs r join tool_results t on t.run = r.id
  where r.started_at < now_ms() - $3::bigint and r.reply = 'settled' and ${OF_SPACE} and ${isFree("r.session")} limit $4::integer)
returning 1 as one`,
  },
  modelRequests: {
    name: "retention-requests",
    text: `
update model_calls set params = '{}', body_hash = null where id in (
  select r.id from model_calls r
  where r.started_at < now_ms() - $3::bigint and r.params <> '{}' and ${OF_SPACE} and ${isFree("r.session")}
    and not exists (select from runs o where o.session = r.session and o.reply = 'open') limit $4::integer)
returning 1 as one`,
  },
  audit: {
    name: "retention-audit",
    text: `
select audit_forget($1, $2, now_ms() - $3::bigint, $4::integer) as one
where not exists (select from holds h where ${holding("$1", "$2")})`,
  },
};

export function createRetention(sql: Sql): Retention {
  async function forgetThread(
    { platform, space }: Space,
    olderThanMs: number,
    session: string,
  ): Promise<boolean> {
    return sql.transaction(async (tx) => {
      const [old] = await tx.query(STILL_OLD, [platform, space, olderThanMs, session]);
      if (old === undefined) return false;
      await eraseThread(tx, { session, extent: "all", person: null }, openBook());
      for (const text of REST) await tx.query({ text }, [session]);
      return true;
    });
  }

  return {
    spaces: () => sql.query<Space>(SPACES),
    async forget(at, kind, olderThanMs, limit) {
      const values = [at.platform, at.space, Math.round(olderThanMs), limit];
      if (kind !== "conversations") return (await sql.query(STEPS[kind], values)).length;
      const old = await sql.query<{ id: string }>(OLD, values);
      let count = 0;
      // One that is taken up again just now is left.
      for (const { id } of old) if (await forgetThread(at, Math.round(olderThanMs), id)) count += 1;
      return count;
    },
  };
}
