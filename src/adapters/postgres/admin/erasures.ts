/** Erasures in their tables. One transaction for each thread; the row of the erasure says how far it is. */

import type {
  Begun,
  ErasedThing,
  ErasedThread,
  Erasure,
  Erasures,
  Extent,
} from "../../../core/ports/erasures.ts";
import type { Hold } from "../../../core/ports/holds.ts";
import { cleanText } from "../../../core/text.ts";
import type { Platform, SessionId } from "../../../core/thread.ts";
import type { Sql } from "../sql.ts";
import { ERASED, HELD_BACK, holdingBack, JOINED, THREADS_OF_PERSON, THREADS_OF_THREAD } from "./erase-sql.ts";
import { eraseRepeated } from "./erase-lines.ts";
import { eraseReactions, eraseThread, holdThread, openBook } from "./erase-thread.ts";
import { holding, SEE_HOLDS } from "./hold-sql.ts";

const BEGIN = {
  name: "erasure-begin",
  text: `
insert into erasures (id, platform, space, kind, subject, reason, person, name) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/** A hold on a thread of an erasure, or on what that erases; `t` and `x` are their rows. */
const HOLDS = `from holds h where ${holding("x.platform", "x.space")} and ${holdingBack("x.kind", "x.subject", "t.session")}`;

/** What is held is left until the hold is lifted. */
const LEFT = {
  name: "erasure-left",
  text: `
with taken as (update erasures set taken_at = now_ms() where id = $1)
select t.session from erased_threads t join erasures x on x.id = t.erasure
where t.erasure = $1 and t.done_at is null and not exists (select ${HOLDS}) order by t.session`,
};

const HALT = {
  name: "erasure-halt",
  text: `
with it as materialized (
  select not exists (
    select from erased_threads t where t.erasure = $2 and t.session = $1 and t.extent = 'reactions') as halts),
halted as (
  update sessions s set stop_seq = nextval('inbox_seq'), rev = s.rev + 1 from it
  where s.id = $1 and it.halts and exists (select from runs r where r.session = $1 and r.reply = 'open'))
select halts from it`,
};

const IS_RUNNING = {
  name: "erasure-is-running",
  text: `select exists (select from runs r where r.session = $1 and r.reply <> 'settled') as "isRunning"`,
};

const TAKEN = {
  name: "erasure-thread",
  text: `
select x.platform, x.space, x.kind, x.subject, t.extent from erasures x join erased_threads t on t.erasure = x.id
where x.id = $1 and t.session = $2 and t.done_at is null for update of t`,
};

const IS_HELD = {
  name: "erasure-thread-held",
  text: `
select 1 as one from erased_threads t join erasures x on x.id = t.erasure
where t.erasure = $1 and t.session = $2 and exists (select ${HOLDS})`,
};

const DONE = {
  name: "erasure-thread-done",
  text: `
update erased_threads set done_at = now_ms(), counts = $3::jsonb, digest = $4 where erasure = $1 and session = $2`,
};

const FINISH = {
  name: "erasure-finish",
  text: `
update erasures x set done_at = now_ms() where x.id = $1 and x.done_at is null
  and not exists (select from erased_threads t where t.erasure = x.id and t.done_at is null)
returning x.platform, x.space, x.kind, x.subject`,
};

/** Where the name of somebody stands beside what that one did on the admin pages: table, column of the id, column of the name. */
const NAMES_BY_SPACE = [
  ["admin_browsers", "person", "name"],
  ["audit", "person", "name"],
  ["erasures", "person", "name"],
  ["holds", "person", "name"],
  ["holds", "lifted_person", "lifted_name"],
] as const;
const NAMES_BY_THREAD = [
  ["remarks", "person", "name"],
  ["remarks", "assignee", "assignee_name"],
  ["remarks", "resolved_by", "resolved_name"],
  ["thread_reviews", "assignee", "assignee_name"],
  ["thread_reviews", "reviewed_by", "reviewed_name"],
] as const;
const IN_SPACE = `platform = $1 and space = $2`;
const OF_SPACE = `starts_with(session, concat($1::text, ':', $2::text, ':'))`;

/** Whether somebody who may never have written to the bot has left a name on the admin pages. */
const IS_NAMED = {
  name: "erasure-person-named",
  text: `select 1 as one where exists (select from admin_offers where ${IN_SPACE} and person = $3) or ${[
    ...NAMES_BY_SPACE.map((names) => [...names, IN_SPACE]),
    ...NAMES_BY_THREAD.map((names) => [...names, OF_SPACE]),
  ]
    .map(
      ([table, person, name, where]) =>
        `exists (select from ${table} where ${where} and ${person} = $3 and ${name} <> '${ERASED}')`,
    )
    .join(" or ")}`,
};

/** Of a person: the name, wherever that one has come in to the admin pages. */
const BESIDE: readonly string[] = [
  `delete from admin_offers where ${IN_SPACE} and person = $3`,
  `update admin_browsers set browser = '' where ${IN_SPACE} and person = $3`,
  `select audit_erase_name($1, $2, $3)`,
  ...NAMES_BY_SPACE.filter(([table]) => table !== "audit").map(
    ([table, person, name]) =>
      `update ${table} set ${name} = '${ERASED}' where ${person} = $3 and ${IN_SPACE}`,
  ),
  ...NAMES_BY_THREAD.map(
    ([table, person, name]) =>
      `update ${table} set ${name} = '${ERASED}' where ${person} = $3 and ${OF_SPACE}`,
  ),
];

const ABANDONED = {
  name: "erasures-abandoned",
  text: `
select id from erasures where done_at is null and taken_at <= now_ms() - $1::bigint order by n limit $2::integer`,
};

const COLUMNS = `x.id, x.platform, x.space, x.kind, x.subject, x.reason, x.person, x.name, x.at, x.done_at as "doneAt"`;

const LIST = {
  name: "erasures-list",
  text: `select ${COLUMNS} from erasures x where x.platform = $1 and x.space = $2 order by x.n desc limit $3::integer`,
};

const GET = {
  name: "erasure-get",
  text: `
select ${COLUMNS}, (
  select json_agg(json_build_object('session', t.session, 'extent', t.extent, 'doneAt', t.done_at, 'counts', t.counts, 'digest', t.digest,
      'heldBack', case when t.done_at is null then (
        select json_build_object('id', h.id, 'kind', h.kind, 'subject', h.subject, 'reason', h.reason, 'name', h.name, 'at', h.at)
        ${HOLDS} order by h.n limit 1) end)
    order by t.session) from erased_threads t where t.erasure = x.id) as threads
from erasures x where x.platform = $1 and x.space = $2 and x.id = $3`,
};

const OF_THREAD = {
  name: "erasures-of-thread",
  text: `
select x.id, x.at from erased_threads t join erasures x on x.id = t.erasure
where t.session = $1 and t.done_at is not null order by x.n desc limit 20`,
};

interface ErasureRow {
  readonly id: string;
  readonly platform: Platform;
  readonly space: string;
  readonly kind: ErasedThing["kind"];
  readonly subject: string;
  readonly reason: string;
  readonly person: string;
  readonly name: string;
  readonly at: number;
  readonly doneAt: number | null;
}

interface ThreadRow {
  readonly session: SessionId;
  readonly extent: Extent;
  readonly doneAt: number | null;
  readonly counts: Readonly<Record<string, number>> | null;
  readonly digest: string | null;
  readonly heldBack: Hold | null;
}

class HeldBack extends Error {
  readonly hold: Hold;
  constructor(hold: Hold) {
    super("held");
    this.hold = hold;
  }
}

export function createErasures(sql: Sql): Erasures {
  async function begin(
    tx: Sql,
    [id, { kind, subject }, reason, { platform, space, person, name }]: Parameters<Erasures["begin"]>,
  ): Promise<Begun> {
    await tx.query(BEGIN, [id, platform, space, kind, subject, cleanText(reason), person, cleanText(name)]);
    const threads = kind === "thread" ? THREADS_OF_THREAD : THREADS_OF_PERSON;
    const found = await tx.query<{ session: string }>(
      {
        text: `insert into erased_threads (erasure, session, extent) select $4::text, f.session, f.extent from (${threads}) f returning session`,
      },
      [platform, space, subject, id],
    );
    const [hold] = await tx.query<Hold>({ text: HELD_BACK }, [platform, space, id, kind, subject]);
    // Rolled back with all that was written of it.
    if (hold !== undefined) throw new HeldBack(hold);
    if (found.length > 0) return { kind: "begun" };
    const isNamed = kind === "person" && (await tx.query(IS_NAMED, [platform, space, subject])).length > 0;
    return { kind: isNamed ? "begun" : "nothing" };
  }

  return {
    async begin(...given) {
      try {
        return await sql.transaction(async (tx) => {
          const begun = await begin(tx, given);
          if (begun.kind === "nothing")
            await tx.query({ text: "delete from erasures where id = $1" }, [given[0]]);
          return begun;
        });
      } catch (error) {
        if (error instanceof HeldBack) return { kind: "held", hold: error.hold };
        throw error;
      }
    },
    async left(id) {
      return (await sql.query<{ session: SessionId }>(LEFT, [id])).map(({ session }) => session);
    },
    async halt(id, session) {
      const [row] = await sql.query<{ halts: boolean }>(HALT, [session, id]);
      return row?.halts ?? true;
    },
    async isRunning(session) {
      const [row] = await sql.query<{ isRunning: boolean }>(IS_RUNNING, [session]);
      return row?.isRunning ?? false;
    },
    erase: (id, session) =>
      sql.transaction(async (tx) => {
        await holdThread(tx, session);
        const [taken] = await tx.query<ErasureRow & { readonly extent: Extent }>(TAKEN, [id, session]);
        // Somebody else has done it.
        if (taken === undefined) return;
        const { platform, space, kind, subject, extent } = taken;
        await tx.query(SEE_HOLDS, [platform, space]);
        if ((await tx.query(IS_HELD, [id, session])).length > 0) return;
        const book = openBook();
        if (extent === "reactions") await eraseReactions(tx, session, subject, book);
        else {
          const thread = { session, extent, person: kind === "person" ? subject : null };
          book.add("audit", await eraseRepeated(tx, { platform, space }, thread));
          await eraseThread(tx, thread, book);
          await tx.query({ text: JOINED }, [id, session]);
        }
        const { counts, digest } = book.proof();
        await tx.query(DONE, [id, session, JSON.stringify(counts), digest]);
      }),
    finish: (id) =>
      sql.transaction(async (tx) => {
        const [done] = await tx.query<ErasureRow>(FINISH, [id]);
        if (done?.kind !== "person") return;
        for (const text of BESIDE) await tx.query({ text }, [done.platform, done.space, done.subject]);
      }),
    async abandoned(idleMs, limit) {
      return (await sql.query<{ id: string }>(ABANDONED, [Math.round(idleMs), limit])).map(({ id }) => id);
    },
    async list({ platform, space }, limit) {
      return (await sql.query<ErasureRow>(LIST, [platform, space, limit])).map(toErasure);
    },
    async get({ platform, space }, id) {
      const [row] = await sql.query<ErasureRow & { readonly threads: readonly ThreadRow[] | null }>(GET, [
        platform,
        space,
        id,
      ]);
      return row && { ...toErasure(row), threads: (row.threads ?? []).map(toThread) };
    },
    ofThread: (session) => sql.query<{ id: string; at: number }>(OF_THREAD, [session]),
  };
}

function toErasure({
  id,
  platform,
  space,
  kind,
  subject,
  reason,
  person,
  name,
  at,
  doneAt,
}: ErasureRow): Omit<Erasure, "threads"> {
  return {
    id,
    thing: { kind, subject } as ErasedThing,
    reason,
    who: { platform, space, person, name },
    at,
    ...(doneAt === null ? {} : { doneAt }),
  };
}

function toThread({ session, extent, doneAt, counts, digest, heldBack }: ThreadRow): ErasedThread {
  return {
    session,
    extent,
    counts: counts ?? {},
    ...(doneAt === null ? {} : { doneAt }),
    ...(digest === null ? {} : { digest }),
    ...(heldBack === null ? {} : { heldBack }),
  };
}
