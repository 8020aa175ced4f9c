/**
 * Commands that set something of a session: the command and what it sets are one statement, so that a second delivery sets nothing
 * anew. It waits for no run: who claims the session just now has the row as it was, and the next one has it as it is.
 */

import { USUAL, type SettingCommand } from "../../core/command/command.ts";
import type { CommandInbound } from "../../core/inbound.ts";
import type { Stored } from "../../core/ports/inbox.ts";
import { cleanText } from "../../core/text.ts";
import { inboundText } from "./inbound-row.ts";
import { shaped } from "./shaped.ts";
import type { Sql, SqlValue } from "./sql.ts";

/** What each writes into its columns: SQL of the value `w.given`. */
const WRITES: Readonly<Record<SettingCommand["name"], Readonly<Record<string, string>>>> = {
  // Another model is told anew what it is told: its cache holds nothing of the old one's.
  model: { model: "w.given", reload_fence: "0", frozen_epoch: "null::integer" },
  effort: { effort: "w.given" },
  verbosity: { verbosity: "w.given" },
  title: { title: "w.given", title_source: "'person'" },
  follow: { mentions_only: "w.given = 'mention'" },
  mute: { muted: "w.given = 'on'" },
  reload: { reload_fence: "0", frozen_epoch: "null::integer" },
};

/** Of a row that is there. The fence of the newest claim: what that one has not frozen yet it freezes for nobody. */
const SETS = (column: string): string =>
  `${column} = ${column === "reload_fence" ? "s.fence" : `excluded.${column}`}`;

interface SetRow {
  readonly seq: number | null;
  readonly before: number | null;
  readonly wanted: boolean;
  readonly running: boolean;
}

const SET = shaped<SettingCommand["name"]>({
  name: (name) => `inbox-set-${name}`,
  text: (name) => {
    const columns = Object.keys(WRITES[name]);
    return `
with w as materialized (
  select $6::boolean or exists (select from sessions where id = $2) as wanted, $7::text as given),
put as (
  insert into inbox (id, session, kind, at, body, state, fate, rule, done_at)
  select $1::text, $2::text, 'command', $3::bigint, $4::jsonb, 'done', 'answered', $5::text, now_ms() from w where w.wanted
  on conflict (id) do nothing returning seq),
written as (
  insert into sessions as s (id, ${columns.join(", ")})
  select $2, ${Object.values(WRITES[name]).join(", ")} from put, w
  on conflict (id) do update set ${columns.map(SETS).join(", ")})
select (select seq from put) as seq, (select seq from inbox where id = $1) as before, w.wanted,
  exists (select from runs where session = $2 and reply = 'open') as running
from w`;
  },
});

const BEFORE = { name: "inbox-set-before", text: `select seq from inbox where id = $1` };

/** @param rule of access that let it in. */
export async function putSetting(
  sql: Sql,
  inbound: CommandInbound,
  command: SettingCommand,
  rule: string | null,
): Promise<Stored> {
  const values = [
    inbound.id,
    inbound.session,
    Math.round(inbound.at),
    inboundText(inbound),
    rule,
    inbound.addressed,
    valueOf(command),
  ];
  const [row] = await sql.query<SetRow>(SET(command.name), values);
  if (row === undefined) throw new Error("a statement without a row");
  if (row.seq !== null) return { kind: "stored", seq: row.seq, running: row.running };
  if (row.before !== null) return { kind: "duplicate", seq: row.before };
  if (!row.wanted) return { kind: "ignored" };
  // Another delivery of it committed after the statement's snapshot was taken.
  const [before] = await sql.query<{ seq: number }>(BEFORE, [inbound.id]);
  if (before === undefined) throw new Error("a command was neither stored nor found");
  return { kind: "duplicate", seq: before.seq };
}

/** Null for what is as the configuration has it. */
function valueOf(command: SettingCommand): SqlValue {
  if (command.name === "reload") return null;
  const { name, value } = command;
  return name !== "title" && value === USUAL ? null : cleanText(value);
}
