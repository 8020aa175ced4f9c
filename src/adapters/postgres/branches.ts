/** Branches in their table, and the copy of a history. */

import { labelOf } from "../../core/label.ts";
import type { BorderLine } from "../../core/branch/border.ts";
import type { Where } from "../../core/inbound.ts";
import type { InboundId, RunId } from "../../core/ids.ts";
import type { Branch, Branches, Trunk } from "../../core/ports/branches.ts";
import { cleanText } from "../../core/text.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import { createInbox } from "./inbox.ts";
import { holdsFrozen } from "./frozen-row.ts";
import { noteEntry } from "./ledger-sql.ts";
import type { Sql } from "./sql.ts";
import { fieldsOf, optional, textOf } from "./stored-json.ts";
import { FIRST_SAID } from "./transcripts.ts";

/** $2: the message that is asked about; $3: whether it is the one that opened the thread. */
const LOOK = {
  name: "branch-look",
  text: `
select s.epoch,
  (select json_agg(json_build_array(e.seq, e.run, e.kind) order by e.seq)
    from entries e where e.session = s.id and e.epoch = s.epoch) as lines,
  (select r.id from runs r where r.session = s.id and r.reply = 'open') as unfinished,
  coalesce(
    (select r.id from pages p join runs r on r.id = p.run where r.session = s.id and p.message = $2 order by r.n desc limit 1),
    (select i.run from inbox i where i.session = s.id and i.kind = 'message' and i.message = $2 order by i.seq desc limit 1)) as run,
  case when $3 then (select b.copied_to from branches b where b.target = s.id) end as seq,
  s.title, ${FIRST_SAID} as said
from sessions s where s.id = $1`,
};

const OWE = {
  name: "branch-owe",
  text: `
insert into branches (id, source, epoch, up_to, entries, label, prompt_hash, tools_hash)
select $1, was.id, $3::integer, $4::bigint, $5::integer, $6,
  case when ${holdsFrozen("$3")} then was.prompt_hash end, case when ${holdsFrozen("$3")} then was.tools_hash end
from sessions was where was.id = $2`,
};

/** Nobody waits for a thread any more after so long, ms. */
const KEPT_MS = 24 * 3_600_000;

/** $1: how long who took it is waited for; $2: the one that is meant, or null. */
const TAKE = {
  name: "branch-take",
  text: `
with taken as (
  update branches set taken_at = now_ms(), tries = tries + 1 where id in (
    select id from branches
    where not done and asked_at > now_ms() - ${KEPT_MS} and (taken_at is null or taken_at <= now_ms() - $1::bigint) and ($2::text is null or id = $2)
    order by asked_at limit 1 for update skip locked)
  returning *)
select t.id, t.source, t.entries, t.label, t.target, t.refusal, t.copied_to is not null as copied, t.asked_at as "askedAt",
  t.tries, i.body->'author'->>'name' as by, i.body->'where' as "where"
from taken t join inbox i on i.id = t.id`,
};

const OPENED = {
  name: "branch-opened",
  text: `
update branches set target = $2 where id = $1 and target is null
  and not exists (select from branches b where b.target = $2)
returning 1 as one`,
};

const REFUSED = { name: "branch-refused", text: `update branches set refusal = $2 where id = $1` };
const DONE = { name: "branch-done", text: `update branches set done = true where id = $1` };

const IS_OPEN = `b.id = $1 and b.target is not null and b.copied_to is null and not b.done`;

const ENDS = { name: "branch-copy-ends", text: `select b.source, b.target from branches b where ${IS_OPEN}` };

const OPEN = {
  name: "branch-copy-open",
  text: `
select b.epoch, b.up_to as "upTo", b.prompt_hash as prompt, b.tools_hash as tools
from branches b where ${IS_OPEN} for update`,
};

const MADE = {
  name: "branch-copy-made",
  text: `insert into sessions (id) values ($1) on conflict (id) do nothing`,
};

/** An erasure of the source is waited for: what is copied behind it is what it left, if that may be copied at all. */
const SOURCE_HELD = {
  name: "branch-copy-source",
  text: `select id from sessions where id = $1 for key share`,
};

/** Whoever claims the session waits for this row, and then reads what was copied. */
const HELD = {
  name: "branch-copy-held",
  text: `select last_seq as "lastSeq" from sessions where id = $1 for no key update`,
};

/**
 * $1 branch, $2 its source, $3 epoch, $4 the last entry, $5 its target, $6 how far the entries are moved, $7 prompt, $8 tools. Runs
 * keep their names, since what joined one run is one turn. What waits to correct a message that is copied stands behind it.
 */
const COPY = {
  name: "branch-copy",
  text: `
with corrections as materialized (
  select i.note, row_number() over (order by i.at, i.seq) as n
  from inbox i
  where i.session = $2 and i.state = 'waiting' and i.kind in ('edit', 'delete') and exists (
    select from inbox m join entries e on e.inbound = m.id and e.session = $2 and e.epoch = $3::integer and e.seq <= $4::bigint
    where m.session = $2 and m.kind = 'message' and m.message = i.message)),
copied as (
  insert into entries (session, epoch, seq, run, round, kind, body)
  select $5, 1, e.seq + $6::bigint, e.run, e.round, e.kind,
    case when $6 <> 0 and e.kind = 'summary'
      then jsonb_set(e.body::jsonb, '{upTo}', to_jsonb((e.body->>'upTo')::bigint + $6))::json else e.body end
  from entries e where e.session = $2 and e.epoch = $3 and e.seq <= $4
  union all
  select $5, 1, $4 + c.n + $6, null, null, 'note', ${noteEntry("c.note")} from corrections c),
last as materialized (select $4 + (select count(*) from corrections) as seq),
known as (
  update sessions s set rev = s.rev + 1, last_seq = greatest(s.last_seq, last.seq + $6),
    frozen_epoch = coalesce(s.frozen_epoch, case when $7::text is not null then 1 end),
    prompt_hash = coalesce(s.prompt_hash, $7), tools_hash = coalesce(s.tools_hash, $8::text),
    gauge = coalesce(s.gauge, was.gauge), model = coalesce(s.model, was.model), effort = coalesce(s.effort, was.effort),
    title = coalesce(s.title, was.title), title_source = coalesce(s.title_source, was.title_source)
  from last, sessions was where s.id = $5 and was.id = $2)
update branches b set copied_to = last.seq + $6 from last where b.id = $1`,
};

interface LookRow {
  readonly epoch: number;
  readonly lines: readonly (readonly [seq: number, run: RunId | null, kind: BorderLine["kind"]])[] | null;
  readonly unfinished: RunId | null;
  readonly run: RunId | null;
  readonly seq: number | null;
  readonly title: string | null;
  readonly said: string | null;
}

interface TakenRow {
  readonly id: InboundId;
  readonly source: SessionId;
  readonly entries: number;
  readonly label: string;
  readonly target: SessionId | null;
  readonly refusal: string | null;
  readonly copied: boolean;
  readonly askedAt: number;
  readonly tries: number;
  readonly by: string;
  readonly where: unknown;
}

interface EndsRow {
  readonly source: string;
  readonly target: string;
}

interface OpenRow {
  readonly epoch: number;
  readonly upTo: number;
  readonly prompt: string | null;
  readonly tools: string | null;
}

export function createBranches(sql: Sql): Branches {
  return {
    async look(session, message) {
      const { root, channel } = threadOf(session);
      const isFirst = message !== undefined && message === (root ?? channel);
      const [row] = await sql.query<LookRow>(LOOK, [session, message ?? null, isFirst]);
      return row === undefined ? undefined : toTrunk(row);
    },
    put: (command, admission, { epoch, upTo, entries, label }) =>
      sql.transaction(async (tx) => {
        const stored = await createInbox(tx).put(command, admission);
        if (stored.kind === "stored") {
          const { id, session } = command;
          await tx.query(OWE, [id, session, epoch, upTo, entries, cleanText(label)]);
        }
        return stored;
      }),
    async take(idleMs, id) {
      const [row] = await sql.query<TakenRow>(TAKE, [Math.round(idleMs), id ?? null]);
      return row === undefined ? undefined : toBranch(row);
    },
    async opened(id, to) {
      return (await sql.query(OPENED, [id, to])).length > 0;
    },
    async refused(id, why) {
      await sql.query(REFUSED, [id, cleanText(why)]);
    },
    copy: (id) =>
      sql.transaction(async (tx) => {
        const [ends] = await tx.query<EndsRow>(ENDS, [id]);
        if (ends === undefined) return;
        const { source, target } = ends;
        // Sessions before branches, as who erases takes them.
        await tx.query(SOURCE_HELD, [source]);
        await tx.query(MADE, [target]);
        const [held] = await tx.query<{ lastSeq: number }>(HELD, [target]);
        const [branch] = await tx.query<OpenRow>(OPEN, [id]);
        if (branch === undefined) return;
        const { epoch, upTo, prompt, tools } = branch;
        // Somebody was called there before the history was: it stands before what they said.
        const moved = (held?.lastSeq ?? 0) === 0 ? 0 : -MOVED - upTo;
        await tx.query(COPY, [id, source, epoch, upTo, target, moved, prompt, tools]);
      }),
    async done(id) {
      await sql.query(DONE, [id]);
    },
  };
}

/** Room for corrections between the copy and the first entry of a session that had begun. */
const MOVED = 10_000;

function toTrunk({ epoch, lines, unfinished, run, seq, title, said }: LookRow): Trunk {
  const asked = run !== null ? { run } : seq !== null ? { seq } : undefined;
  return {
    epoch,
    lines: (lines ?? []).map(([at, of, kind]) => ({ seq: at, kind, ...(of === null ? {} : { run: of }) })),
    ...(unfinished === null ? {} : { unfinished }),
    label: labelOf({ title: title ?? undefined, firstText: said ?? undefined }),
    ...(asked === undefined ? {} : { asked }),
  };
}

function toBranch({ id, source, entries, label, by, where, askedAt, tries, ...row }: TakenRow): Branch {
  const { target, copied: isCopied, refusal } = row;
  const place = toWhere(where);
  return {
    id,
    from: source,
    entries,
    label,
    by,
    ...(place === undefined ? {} : { where: place }),
    askedAt,
    isAgain: tries > 1,
    ...(target === null ? {} : { to: target }),
    isCopied,
    ...(refusal === null ? {} : { refusal }),
  };
}

function toWhere(value: unknown): Where | undefined {
  if (value === null) return undefined;
  const where = fieldsOf(value, "where");
  return {
    ...(where["isDirect"] === true ? { isDirect: true } : {}),
    ...optional(where, "parent", textOf),
  };
}
