/**
 * Storing what needs no look at what was there before: messages, notes, and commands where nothing lies. What comes while
 * others are being stored goes with them in one statement and one commit, so a burst costs little more than one message.
 */

import { BobbinError } from "../../core/errors.ts";
import { gathered } from "../../core/gather.ts";
import type { Inbound } from "../../core/inbound.ts";
import type { Stored } from "../../core/ports/inbox.ts";
import { cleanJsonText } from "../../core/text.ts";
import type { Sql } from "./sql.ts";

interface Put {
  readonly inbound: Inbound;
  /** It is kept, and there is nothing to do. */
  readonly isDone: boolean;
}

interface PutRow {
  readonly seq: number | null;
  readonly before: number | null;
  readonly wanted: boolean;
  readonly running: boolean;
}

/** More would hold the first one back for too long. */
const MOST = 50;
/** A connection on which nothing moves any more holds up only what it carries. */
const AT_ONCE = 3;

/**
 * Takes no lock that another thread of work holds: a message never waits for a run. Two of these that run into each other's
 * rows cannot wait in a circle, as all take first the inbounds and then the sessions, each in the order of their ids. The
 * first that is addressed makes the session, also for what stands behind it.
 */
const PUT = {
  name: "inbox-put",
  text: `
with given as materialized (
  select g.*, (select true from sessions s where s.id = g.session) as known
  from jsonb_to_recordset($1::jsonb) as g(n integer, id text, session text, kind text, message text, at bigint,
    addressed boolean, done boolean, note text, body jsonb)),
judged as materialized (
  select g.*, g.addressed or g.known is true or exists (
    select from given f where f.session = g.session and f.addressed and f.n < g.n) as wanted
  from given g),
put as (
  insert into inbox (id, session, kind, message, at, body, note, state, fate, done_at)
  select id, session, kind, message, at, body, note, case when done then 'done' else 'waiting' end,
    case when done then 'answered' end, case when done then now_ms() end
  from judged where wanted order by id, n
  on conflict (id) do nothing returning id, seq),
made as (
  insert into sessions (id)
  select distinct j.session from judged j where j.known is null and j.id in (select id from put) order by 1
  on conflict (id) do nothing)
select put.seq, (select i.seq from inbox i where i.id = j.id) as before, j.wanted,
  coalesce((select true from runs r where r.session = j.session and r.reply = 'open' limit 1), false) as running
from judged j left join put on put.id = j.id order by j.n`,
};

const BEFORE = { name: "inbox-before", text: `select seq from inbox where id = $1` };

export function createPut(sql: Sql): (inbound: Inbound, isDone: boolean) => Promise<Stored> {
  async function store(puts: readonly Put[]): Promise<readonly (Stored | Promise<Stored>)[]> {
    const rows = await sql.query<PutRow>(PUT, [cleanJsonText(puts.map(recordOf))]);
    const given = new Set<string>();
    return puts.map(({ inbound: { id } }, index) => {
      const row = rows[index];
      if (row === undefined) throw new Error("a statement without a row");
      if (!row.wanted) return { kind: "ignored" };
      if (row.seq !== null && !given.has(id)) {
        given.add(id);
        return { kind: "stored", seq: row.seq, running: row.running };
      }
      const seq = row.seq ?? row.before;
      return seq === null ? otherDelivery(id) : { kind: "duplicate", seq };
    });
  }

  /** It committed after the statement's snapshot was taken. */
  async function otherDelivery(id: string): Promise<Stored> {
    const [before] = await sql.query<{ seq: number }>(BEFORE, [id]);
    if (before === undefined) throw new Error("an inbound was neither stored nor found");
    return { kind: "duplicate", seq: before.seq };
  }

  async function alone(put: Put): Promise<Stored> {
    const [stored] = await store([put]);
    if (stored === undefined) throw new Error("a statement without a row");
    return stored;
  }

  const together = gathered<Put, Stored>(
    async (puts) => {
      try {
        return await store(puts);
      } catch (error) {
        // What the database says about one of them is no reason to refuse the others.
        if (error instanceof BobbinError || puts.length === 1) throw error;
        return puts.map(alone);
      }
    },
    { atOnce: AT_ONCE, most: MOST },
  );
  return (inbound, isDone) => together({ inbound, isDone });
}

/** As the statement takes it. */
function recordOf({ inbound, isDone }: Put, index: number): object {
  return {
    n: index,
    id: inbound.id,
    session: inbound.session,
    kind: inbound.kind,
    message: "message" in inbound ? inbound.message : null,
    at: Math.round(inbound.at),
    addressed: inbound.addressed,
    done: isDone,
    note: inbound.kind === "note" ? inbound.text : null,
    body: inbound,
  };
}
