/** The ledger of inbounds. The specification is the port's; here is why it holds when many write at once. */

import type { Inbound } from "../../core/inbound.ts";
import { reduceGoal } from "../../core/goal/reduce.ts";
import type { Inbox, Stored } from "../../core/ports/inbox.ts";
import { cleanText } from "../../core/text.ts";
import { ERASED } from "./admin/erase-sql.ts";
import { goalPart, readOpen, isSameGoal } from "./goal-row.ts";
import { inboundText } from "./inbound-row.ts";
import { createPut } from "./inbox-put.ts";
import { putSetting } from "./inbox-settings.ts";
import { IS_CHANGE, IS_WORK, passedOver, WAITS } from "./ledger-sql.ts";
import type { RoundPart } from "./round-values.ts";
import { shaped } from "./shaped.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

interface HeldRow {
  readonly seq: number | null;
  readonly before: number | null;
  readonly known: boolean;
  readonly target: boolean;
  readonly running: boolean;
}

const RUNNING = `exists (select from runs where session = $2 and reply = 'open')`;

/**
 * Stop and reset. The seq is drawn only once the session's row is held: whoever admits an inbound holds that row too, so
 * everything that was admitted before has a smaller seq, and the comparison of positions can be trusted. A note on an edit or
 * a delete is no work that could be stopped: what it corrects is still in the epoch, unless a reset left that behind. What was
 * said before it and comes later, as what the platform has to send again, is told by the platform's time (`inbox-put`).
 */
const STOP = shaped<{ readonly goal: RoundPart | undefined }>({
  name: ({ goal }) => (goal === undefined ? "inbox-stop" : "inbox-stop-goal"),
  text: ({ goal }) => `
with was as materialized (select id, rev, goal from sessions where id = $2),
held as materialized (
  select s.id from sessions s, was w
  where s.id = w.id and s.rev = w.rev and ${goal === undefined ? "w.goal is null" : isSameGoal(10)} for no key update of s),
put as (
  insert into inbox (id, session, kind, at, body, state, fate, rule, done_at)
  select $1::text, held.id, $3::text, $4::bigint, $5::jsonb, 'done', 'answered', $8::text, now_ms() from held
  on conflict (id) do nothing returning seq),
raised as (
  update sessions s set rev = s.rev + 1, stop_seq = put.seq, stop_at = greatest(s.stop_at, $9::bigint), epoch = s.epoch + $6::integer,
    goal = case when $6 = 0 then s.goal end
  from put where s.id = $2),
cancelled as (
  update inbox i set state = 'done', fate = 'cancelled', reason = $7::text, done_at = now_ms()
  from put where i.session = $2 and i.state = 'waiting' and i.seq < put.seq and ($6 > 0 or ${IS_WORK}))${goal === undefined ? "" : `,\n${goal.sql(10)}`}
select (select seq from put) as seq, (select seq from inbox where id = $1) as before,
  exists (select from was) as known, true as target,
  ${RUNNING} or exists (select from inbox i where i.session = $2 and ${WAITS}) as running`,
});

/**
 * Edits and deletes. They hold the session's row, because whether their message still waits is decided by whoever admits it.
 * Of a waiting message they change the row; of one that the model has read in this epoch they wait, as a note, for the next
 * run. What was refused, or erased, is no such message: nobody reads it, and what is said in its place is not kept where it was not.
 * Discord's history gives the text of an erased message as a change of it. A change that is older than another of its message is
 * kept and changes nothing. One that comes before its message, which the platform has to send again, is kept for it (`inbox-put`),
 * but for words that would not be: of an aside, or where the session keeps them out.
 */
const CHANGE = {
  name: "inbox-change",
  text: `
with was as materialized (
  select s.id, s.rev, s.epoch, ${passedOver("s", "m")} is null as listens
  from sessions s, (values ($3::text, false)) as m(kind, mention) where s.id = $2),
target as materialized (
  select i.seq, i.state = 'waiting' as waits,
    exists (select from entries e, was where e.inbound = i.id and e.epoch = was.epoch) as used,
    (select left(string_agg(p->>'text', ' '), 200) from jsonb_array_elements(i.body->'parts') p
      where p->>'kind' = 'text') as said
  from inbox i where i.session = $2 and i.kind = 'message' and i.message = $4 and i.fate is distinct from 'refused'
    and i.body->'author'->>'name' is distinct from '${ERASED}'
  order by i.seq desc limit 1),
early as materialized (
  select from was where ($3 = 'delete' or (was.listens and not $9::boolean))
    and not exists (select from inbox i where i.session = $2 and i.kind = 'message' and i.message = $4)),
found as materialized (
  select exists (select from target) as target, exists (select from early) as early, $3 = 'edit' and exists (
    select from inbox c where c.session = $2 and c.message = $4 and ${IS_CHANGE} and (c.kind = 'delete' or c.at > $5::bigint))
    as outdated),
held as (
  update sessions s set rev = s.rev + 1, changed_early = s.changed_early or f.early
  from was, found f where s.id = was.id and s.rev = was.rev and (f.target or f.early) returning s.id, f.outdated),
put as (
  insert into inbox (id, session, kind, message, at, body, rule, note, state, fate, done_at)
  select $1::text, $2::text, $3::text, $4::text, $5::bigint, $6::jsonb, $8::text,
    case when not w.early then replace($7::text, '{said}', coalesce(w.said, '')) end,
    case when w.waits then 'waiting' else 'done' end,
    case when not w.waits then 'answered' end, case when not w.waits then now_ms() end
  from (
    select t.seq is null as early, t.said, coalesce(t.used and not held.outdated, false) as waits
    from held left join target t on true) w
  on conflict (id) do nothing returning seq),
edited as (
  update inbox i set body = jsonb_set(i.body, '{parts}', $6::jsonb->'parts')
  from put, target t, found f where $3 = 'edit' and not f.outdated and t.waits and i.seq = t.seq),
deleted as (
  update inbox i set state = 'done', fate = 'cancelled', reason = 'deleted', done_at = now_ms()
  from put, target t where $3 = 'delete' and t.waits and i.seq = t.seq)
select (select seq from put) as seq, (select seq from inbox where id = $1) as before,
  exists (select from was) as known, (select target or early from found) as target, ${RUNNING} as running`,
};

export function createInbox(sql: Sql): Inbox {
  const put = createPut(sql);

  const putHeld = (query: () => Promise<readonly HeldRow[]>): Promise<Stored | "unknown"> =>
    snapshotRetry(async () => {
      const [row] = await query();
      if (row === undefined) throw new Error("a statement without a row");
      const stored = answer(row);
      if (stored !== undefined) return stored;
      if (!row.known) return "unknown";
      return row.target ? "stale" : { kind: "ignored" };
    });

  return {
    async put(inbound, admission = { rule: "" }) {
      // Nothing of it is done, whatever it is.
      if (admission.isRefused) return put(inbound, admission, false);
      const rule = admission.rule === "" ? null : admission.rule;
      if (inbound.kind === "edit" || inbound.kind === "delete") {
        const stored = await putHeld(() =>
          sql.query<HeldRow>(CHANGE, [
            inbound.id,
            inbound.session,
            inbound.kind,
            inbound.message,
            Math.round(inbound.at),
            inboundText(inbound),
            cleanText(changeNote(inbound)),
            rule,
            inbound.kind === "edit" && inbound.isAside === true,
          ]),
        );
        return stored === "unknown" ? { kind: "ignored" } : stored;
      }
      if (inbound.kind === "message" || inbound.kind === "note") return put(inbound, admission, false);
      switch (inbound.command.name) {
        case "stop":
        case "reset": {
          const { name } = inbound.command;
          let goal: RoundPart | undefined;
          const stored = await putHeld(async () => {
            const rows = await sql.query<HeldRow>(STOP({ goal }), [
              inbound.id,
              inbound.session,
              inbound.kind,
              Math.round(inbound.at),
              inboundText(inbound),
              name === "reset" ? 1 : 0,
              name,
              rule,
              inbound.hasPlatformTime === true ? Math.round(inbound.at) : null,
              ...(goal?.values ?? []),
            ]);
            // What becomes of a goal is made from what it is, so that it is read where there is one.
            if (rows[0]?.seq === null && rows[0].before === null)
              goal = await goalStopped(sql, inbound, name);
            return rows;
          });
          // Nothing lies here that could be stopped; the command itself is kept where it was meant for us.
          return stored === "unknown" ? put(inbound, admission, true) : stored;
        }
        case "retry":
          return put(inbound, admission, false);
        case "model":
        case "effort":
        case "verbosity":
        case "title":
        case "follow":
        case "mute":
        case "reload":
          return putSetting(sql, inbound, inbound.command, rule);
        // What there is to do stands in a row of its own.
        case "branch":
        case "goal":
          return put(inbound, admission, true);
        default:
          return inbound.command satisfies never;
      }
    },
  };
}

/** What a stop or reset makes of the thread's goal. */
async function goalStopped(
  sql: Sql,
  { session, author }: Inbound,
  kind: "stop" | "reset",
): Promise<RoundPart | undefined> {
  const before = await readOpen(sql, session);
  if (before === undefined) return undefined;
  const step = reduceGoal(before.goal, { kind }, before.now);
  return step.kind === "refused"
    ? undefined
    : goalPart({ before, goal: step.goal, kind, who: author.id }, "exists (select from put)");
}

function answer(row: HeldRow): Stored | undefined {
  if (row.seq !== null) return { kind: "stored", seq: row.seq, running: row.running };
  return row.before === null ? undefined : { kind: "duplicate", seq: row.before };
}

/** Read by the model. `{said}` stands for the beginning of what the message said when it was read. */
function changeNote(inbound: Inbound & { readonly kind: "edit" | "delete" }): string {
  const who = inbound.author.name;
  if (inbound.kind === "delete") {
    return `${who} deleted an earlier message; take it as not said. It began: "{said}"`;
  }
  const text = inbound.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  return `${who} corrected an earlier message. It began: "{said}". It now reads: "${text}"`;
}
