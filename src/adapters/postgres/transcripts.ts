/** The read model: what a session holds, for people who look. */

import { labelOf } from "../../core/label.ts";
import type {
  InboundView,
  RecentSession,
  RunView,
  SessionStatus,
  Transcripts,
} from "../../core/ports/transcripts.ts";
import type { Fate } from "../../core/inbound.ts";
import type { RunId } from "../../core/ids.ts";
import type { RunCause } from "../../core/run.ts";
import type { SessionId } from "../../core/thread.ts";
import { CHOSEN, toChosen, toShown, type ChosenRow } from "./chosen-row.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import { toInbound } from "./inbound-row.ts";
import { WAITS } from "./ledger-sql.ts";
import { OUTCOME_JSON, toOutcome, toUsage, USAGE_JSON, type OutcomeRow, type UsageRow } from "./run-row.ts";
import { readRun, readUsage } from "./spent.ts";
import type { Sql } from "./sql.ts";

const STATUS = {
  name: "transcript-status",
  text: `
select s.epoch,
  (select count(*) from inbox i where i.session = s.id and ${WAITS} and i.seq > s.stop_seq) as waiting,
  (select json_build_object('run', r.id, 'startedAt', r.started_at, 'rounds', r.rounds)
    from runs r where r.session = s.id and r.reply = 'open') as running,
  (select json_build_object('run', r.id, 'outcome', ${OUTCOME_JSON})
    from runs r where r.session = s.id and r.epoch = s.epoch and r.reply <> 'open' order by r.n desc limit 1) as last,
  (select count(*) from entries e where e.session = s.id and e.epoch = s.epoch) as entries,
  (select ${USAGE_JSON} from runs r join model_calls c on c.run = r.id where r.session = s.id) as usage
from sessions s where s.id = $1`,
};

const ENTRIES = {
  name: "transcript-entries",
  text: `select json_agg(${ENTRY_JSON} order by e.seq) as entries from entries e where e.session = $1`,
};

const INBOUNDS = {
  name: "transcript-inbounds",
  text: `select seq, body, state, run, fate, reason, rule from inbox where session = $1 order by seq`,
};

const RUNS = {
  name: "transcript-runs",
  text: `
select r.id, r.cause, r.epoch, r.started_at as "startedAt", r.rounds, r.reply,
  case when r.reason is not null then ${OUTCOME_JSON} end as outcome,
  (select ${USAGE_JSON} from model_calls c where c.run = r.id) as usage,
  (select json_agg(json_build_object('fence', a.fence, 'worker', a.worker, 'startedAt', a.started_at, 'ended', a.ended)
    order by a.fence) from attempts a where a.run = r.id) as attempts
from runs r where r.session = $1 order by r.n`,
};

/** SQL: how the first message of the session `s` began; null where it had no words. */
export const FIRST_SAID = `coalesce((select b.label from branches b where b.target = s.id),
  (select left(string_agg(p->>'text', ' '), 200) from (
      select body from inbox i where i.session = s.id and i.kind = 'message'
        and i.fate is distinct from 'refused' order by i.seq limit 1) first,
    jsonb_array_elements(first.body->'parts') p where p->>'kind' = 'text'))`;

/** An id begins with its channel's address. Reads all ids: this is asked by a person who opens a list, not by the bot's work. */
const RECENT = {
  name: "transcript-recent",
  text: `
select s.id as session, s.touched_at as "touchedAt", s.title,
  exists (select from runs r where r.session = s.id and r.reply = 'open') as running,
  ${FIRST_SAID} as said
from sessions s where starts_with(s.id, $1) order by s.touched_at desc, s.id desc limit $2`,
};

const SETTINGS = {
  name: "transcript-settings",
  text: `select ${CHOSEN}, was.title, was.title_source as "titleSource", was.mentions_only as "mentionsOnly", was.muted
from sessions was where was.id = $1`,
};

interface SettingsRow extends ChosenRow {
  readonly title: string | null;
  readonly titleSource: string | null;
  readonly mentionsOnly: boolean | null;
  readonly muted: boolean | null;
}

interface RecentRow {
  readonly session: SessionId;
  readonly touchedAt: number;
  readonly running: boolean;
  readonly title: string | null;
  readonly said: string | null;
}

interface StatusRow {
  readonly epoch: number;
  readonly waiting: number;
  readonly running: { readonly run: RunId; readonly startedAt: number; readonly rounds: number } | null;
  readonly last: { readonly run: RunId; readonly outcome: OutcomeRow } | null;
  readonly entries: number;
  readonly usage: UsageRow;
}

interface InboundRow {
  readonly seq: number;
  readonly body: unknown;
  readonly state: InboundView["state"];
  readonly run: RunId | null;
  readonly fate: Fate | null;
  readonly reason: string | null;
  readonly rule: string | null;
}

interface RunsRow {
  readonly id: RunId;
  readonly cause: RunCause;
  readonly epoch: number;
  readonly startedAt: number;
  readonly rounds: number;
  readonly reply: RunView["reply"];
  readonly outcome: OutcomeRow | null;
  readonly usage: UsageRow;
  readonly attempts: readonly AttemptRow[] | null;
}

type Attempt = RunView["attempts"][number];
type AttemptRow = Omit<Attempt, "ended"> & { readonly ended: NonNullable<Attempt["ended"]> | null };

export function createTranscripts(sql: Sql): Transcripts {
  return {
    async status(session) {
      const [row] = await sql.query<StatusRow>(STATUS, [session]);
      if (row === undefined) return undefined;
      const { running, last, usage, ...counts } = row;
      const status: SessionStatus = {
        ...counts,
        ...(running === null ? {} : { running }),
        ...(last === null ? {} : { last: { run: last.run, outcome: toOutcome(last.outcome) } }),
        usage: toUsage(usage),
      };
      return status;
    },
    async settings(session) {
      const [row] = await sql.query<SettingsRow>(SETTINGS, [session]);
      if (row === undefined) return undefined;
      const { title, titleSource, mentionsOnly, muted } = row;
      const shown = toShown(row);
      const source = titleSource === "model" ? "model" : "person";
      return {
        ...toChosen(row),
        ...(shown.verbosity === undefined ? {} : { verbosity: shown.verbosity }),
        ...(title === null ? {} : { title: { text: title, source } }),
        follow: mentionsOnly === true ? "mention" : "thread",
        isMuted: muted === true,
      };
    },
    usage: (session) => readUsage(sql, session),
    newestRun: (session) => readRun(sql, session),
    runOf: (session, message) => readRun(sql, session, { message }),
    run: (session, run) => readRun(sql, session, { run }),
    async entries(session) {
      const [row] = await sql.query<{ entries: readonly EntryRow[] | null }>(ENTRIES, [session]);
      return (row?.entries ?? []).map(toEntry);
    },
    async inbounds(session) {
      const rows = await sql.query<InboundRow>(INBOUNDS, [session]);
      return rows.map(({ seq, body, state, run, fate, reason, rule }): InboundView => ({
        seq,
        inbound: toInbound(body),
        state,
        ...(run === null ? {} : { run }),
        ...(fate === null ? {} : { fate }),
        ...(reason === null ? {} : { reason }),
        ...(rule === null ? {} : { rule }),
      }));
    },
    async recent(platform, space, channel, limit) {
      const rows = await sql.query<RecentRow>(RECENT, [`${platform}:${space}:${channel}:`, limit]);
      return rows.map(({ title, said, ...row }): RecentSession => ({
        ...row,
        label: labelOf({ title: title ?? undefined, firstText: said ?? undefined }),
      }));
    },
    async runs(session) {
      const rows = await sql.query<RunsRow>(RUNS, [session]);
      return rows.map(({ outcome, usage, attempts, ...row }): RunView => ({
        ...row,
        ...(outcome === null ? {} : { outcome: toOutcome(outcome) }),
        usage: toUsage(usage),
        attempts: (attempts ?? []).map(({ ended, ...attempt }): Attempt =>
          ended === null ? attempt : { ...attempt, ended },
        ),
      }));
    },
  };
}
