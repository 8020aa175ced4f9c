/**
 * Storing what needs no look at what was there before: messages, notes, and commands where nothing lies. What comes while
 * others are being stored goes with them in one statement and one commit, so a burst costs little more than one message.
 */

import { BobbinError } from "../../core/errors.ts";
import { gathered } from "../../core/gather.ts";
import type { Limit } from "../../core/access/decide.ts";
import type { Inbound } from "../../core/inbound.ts";
import type { Admission, Stored } from "../../core/ports/inbox.ts";
import { cleanJsonText } from "../../core/text.ts";
import { IS_CHANGE, NEWEST_CHANGE, passedOver, withoutWords } from "./ledger-sql.ts";
import { shaped } from "./shaped.ts";
import type { Sql } from "./sql.ts";

interface Put {
  readonly inbound: Inbound;
  readonly admission: Admission;
  /** It is kept, and there is nothing to do. */
  readonly isDone: boolean;
}

interface PutRow {
  readonly seq: number | null;
  readonly before: number | null;
  readonly wanted: boolean;
  readonly running: boolean;
  /** The rule that refused it, now or when it was stored. */
  readonly refused: string | null;
}

/** More would hold the first one back for too long. */
const MOST = 50;
/** A connection on which nothing moves any more holds up only what it carries. */
const AT_ONCE = 3;

interface Shape {
  /** Some of them have limits. */
  readonly counts: boolean;
  /** Some of them are refused, or may be. */
  readonly refuses: boolean;
}

/** Its own session keeps it from the bot: that shows at once, and not only where somebody may be refused. */
const REFUSED_NOW = `case when put.seq is not null and j.fate = 'refused' then j.reason end`;

const LIMITS = `, who text, place text, user_most integer, user_ms bigint, user_rule text, channel_most integer,
    channel_ms bigint, channel_rule text, pair_most integer, pair_ms bigint, pair_rule text`;

const LIMIT_COLUMNS = LIMITS.replaceAll(/^, | (?:text|integer|bigint)/g, "");

/** Whether an inbound counts for a limit. */
const COUNTS = `c.fate is distinct from 'refused'`;

/** How many there are already for the row `w` by what `same` says of an inbound `c`, and how many before it in this statement. */
const reached = (by: Limit["by"], same: string): string => `
    when ${by}_most <= w.${by}_before + (
      select count(*) from (select from inbox c
        where ${same} and c.received_at > now_ms() - w.${by}_ms and ${COUNTS} limit w.${by}_most) c) then ${by}_rule`;

/** Why the message was cancelled before it came: a stop or reset was given after it was said, or it was taken back. Else null. */
const UNDONE = `case when g.fate is not null then null when g.stopped then 'stop' when changed.kind = 'delete' then 'deleted' end`;

/** Where the rows are that may be stored. */
const readyOf = (counts: boolean): string => (counts ? "ready" : "judged");

/**
 * Takes no lock that another thread of work holds: a message never waits for a run. Two of these that run into each other's
 * rows cannot wait in a circle, as all take first the inbounds and then the sessions, each in the order of their ids. The
 * first that is addressed and not refused makes the session, also for what stands behind it. `found`: why the session keeps the
 * message from the bot, empty where it does not, and null where there is no session. `changed`: the change of the message that came
 * before it, which is looked for only where the session has such changes.
 */
const PUT = shaped<Shape>({
  name: ({ counts, refuses }) => `inbox-put${counts ? "-counted" : ""}${refuses ? "-refused" : ""}`,
  text: ({ counts, refuses }) => `
with given as materialized (
  select g.*, here.found, here.stopped, here.changed_early
  from jsonb_to_recordset($1::jsonb) as g(n integer, id text, session text, kind text, message text, at bigint,
    addressed boolean, mention boolean, fate text, reason text, rule text, note text, body jsonb${counts ? LIMITS : ""})
  left join lateral (
    select coalesce(${passedOver("s", "g")}, '') as found, g.kind = 'message' and g.at < s.stop_at as stopped, s.changed_early
    from sessions s where s.id = g.session offset 0) here on true),
judged as materialized (
  select g.n, g.id, g.session, g.kind, g.message, g.at, g.note, g.found,
    case when g.found > '' then 'refused' when ${UNDONE} is not null then 'cancelled' else g.fate end as fate,
    case when g.found > '' and g.fate is null then g.found else coalesce(${UNDONE}, g.reason) end as reason,
    case when g.found > '' and g.fate is null then g.found else g.rule end as rule,
    case when g.found > '' then ${withoutWords("g.body")}
      when changed.parts is not null then jsonb_set(g.body, '{parts}', changed.parts) else g.body end as body,
    g.addressed or g.found is not null or exists (
      select from given f where f.session = g.session and f.addressed and f.fate is distinct from 'refused' and f.n < g.n) as wanted${
        counts ? `, ${LIMIT_COLUMNS}` : ""
      }
  from given g
  left join lateral (
    select c.kind, c.body->'parts' as parts from inbox c
    where g.changed_early and g.kind = 'message' and c.session = g.session and c.message = g.message and ${IS_CHANGE}
    order by ${NEWEST_CHANGE} limit 1) changed on true),
${
  counts
    ? `weighed as materialized (
  select w.*, count(*) filter (where countable) over by_user as user_before,
    count(*) filter (where countable) over by_channel as channel_before,
    count(*) filter (where countable) over by_pair as pair_before
  from (
    select j.*, j.wanted and j.fate is distinct from 'refused' and row_number() over (partition by j.id order by j.n) = 1
      and not exists (select from inbox x where x.id = j.id) as countable
    from judged j) w
  window by_user as (partition by who order by n rows between unbounded preceding and 1 preceding),
    by_channel as (partition by place order by n rows between unbounded preceding and 1 preceding),
    by_pair as (partition by who, session order by n rows between unbounded preceding and 1 preceding)),
stopped as materialized (
  select w.*, case when w.fate = 'refused' then null${reached("user", "c.who = w.who")}${reached("channel", "c.place = w.place")}${reached("pair", "c.who = w.who and c.session = w.session")}
    end as over
  from weighed w),
ready as materialized (
  select n, id, session, kind, message, at, note, body, who, place, found, wanted,
    case when over is null then fate else 'refused' end as fate,
    coalesce(over, reason) as reason, coalesce(over, rule) as rule
  from stopped),
`
    : ""
}put as (
  insert into inbox (id, session, kind, message, at, body, note, rule, state, fate, reason, done_at${counts ? ", who, place" : ""})
  select id, session, kind, message, at, body, note, rule, case when fate is null then 'waiting' else 'done' end,
    fate, reason, case when fate is not null then now_ms() end${counts ? ", who, place" : ""}
  from ${readyOf(counts)} where wanted order by id, n
  on conflict (id) do nothing returning id, seq),
made as (
  insert into sessions (id)
  select distinct j.session from ${readyOf(counts)} j
  where j.found is null and j.fate is distinct from 'refused' and j.id in (select id from put) order by 1
  on conflict (id) do nothing)
select put.seq, (select i.seq from inbox i where i.id = j.id) as before, j.wanted,
  coalesce((select true from runs r where r.session = j.session and r.reply = 'open' limit 1), false) as running,
  ${refuses ? `coalesce((select i.reason from inbox i where i.id = j.id and i.fate = 'refused'), ${REFUSED_NOW})` : REFUSED_NOW} as refused
from ${readyOf(counts)} j left join put on put.id = j.id order by j.n`,
});

const BEFORE = {
  name: "inbox-before",
  text: `select seq, case when fate = 'refused' then reason end as refused from inbox where id = $1`,
};

export function createPut(
  sql: Sql,
): (inbound: Inbound, admission: Admission, isDone: boolean) => Promise<Stored> {
  async function store(puts: readonly Put[]): Promise<readonly (Stored | Promise<Stored>)[]> {
    const counts = puts.some(({ admission }) => admission.counted !== undefined);
    const refuses = counts || puts.some(({ admission }) => admission.isRefused);
    const rows = await sql.query<PutRow>(PUT({ counts, refuses }), [cleanJsonText(puts.map(recordOf))]);
    /** Of each identity that stands here for the first time: by which rule it was refused. */
    const given = new Map<string, string | null>();
    return puts.map((put, index) => {
      const { id } = put.inbound;
      const row = rows[index];
      if (row === undefined) throw new Error("a statement without a row");
      if (!row.wanted) return { kind: "ignored" };
      if (row.seq !== null && !given.has(id)) {
        given.set(id, row.refused);
        return row.refused === null
          ? { kind: "stored", seq: row.seq, running: row.running }
          : { kind: "refused", seq: row.seq, rule: row.refused };
      }
      const seq = row.seq ?? row.before;
      return seq === null
        ? otherDelivery(put)
        : duplicate(put, seq, given.has(id) ? (given.get(id) ?? null) : row.refused);
    });
  }

  /** It committed after the statement's snapshot was taken. */
  async function otherDelivery(put: Put): Promise<Stored> {
    const [before] = await sql.query<{ seq: number; refused: string | null }>(BEFORE, [put.inbound.id]);
    if (before === undefined) throw new Error("an inbound was neither stored nor found");
    return duplicate(put, before.seq, before.refused);
  }

  async function alone(put: Put): Promise<Stored> {
    const [stored] = await store([put]);
    if (stored === undefined) throw new Error("a statement without a row");
    return stored;
  }

  const joined = (atOnce: number): ((put: Put) => Promise<Stored>) =>
    gathered<Put, Stored>(
      async (puts) => {
        try {
          return await store(puts);
        } catch (error) {
          // What the database says about one of them is no reason to refuse the others.
          if (error instanceof BobbinError || puts.length === 1) throw error;
          return puts.map(alone);
        }
      },
      { atOnce, most: MOST },
    );
  const together = joined(AT_ONCE);
  // What is counted goes one after the other, so that each sees what the one before it has stored.
  const counted = joined(1);
  return (inbound, admission, isDone) =>
    (admission.counted === undefined ? together : counted)({ inbound, admission, isDone });
}

/** Only who may be refused now is told that it was: for anyone else this is a copy like any other. */
function duplicate({ admission }: Put, seq: number, refused: string | null): Stored {
  const mayBe = admission.isRefused === true || admission.counted !== undefined;
  return { kind: "duplicate", seq, ...(mayBe && refused !== null ? { refused } : {}) };
}

/** As the statement takes it. */
function recordOf({ inbound, admission, isDone }: Put, index: number): object {
  const { rule, isRefused, counted } = admission;
  return {
    n: index,
    id: inbound.id,
    session: inbound.session,
    kind: inbound.kind,
    message: "message" in inbound ? inbound.message : null,
    at: Math.round(inbound.at),
    addressed: inbound.addressed,
    mention: inbound.kind === "message" && (inbound.isMention ?? inbound.addressed),
    fate: isRefused ? "refused" : isDone ? "answered" : null,
    ...(isRefused ? { reason: rule } : {}),
    ...(rule === "" ? {} : { rule }),
    note: inbound.kind === "note" ? inbound.text : null,
    body: inbound,
    ...(counted === undefined ? {} : countedFields(counted)),
  };
}

function countedFields({ who, place, limits }: NonNullable<Admission["counted"]>): object {
  const fields = limits.flatMap(({ by, most, withinMs, rule }) => [
    [`${by}_most`, most],
    [`${by}_ms`, Math.round(withinMs)],
    [`${by}_rule`, rule],
  ]);
  return { who, place, ...(Object.fromEntries(fields) as object) };
}
