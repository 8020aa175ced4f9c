/** An overview between its row and what admins see of a thread. */

import type { EndReason } from "../../../core/events.ts";
import { labelOf } from "../../../core/label.ts";
import type { IsDirectAddress, Overview } from "../../../core/ports/overviews.ts";
import type { RunCause } from "../../../core/run.ts";
import { threadOf, type SessionId } from "../../../core/thread.ts";
import { WAITS } from "../ledger-sql.ts";
import { IS_PRIVATE } from "./channel-privacy.ts";
import { REVIEW, toState, type ReviewRow } from "./reviews.ts";

export interface OverviewRow {
  readonly session: SessionId;
  readonly channel: string;
  readonly title: string | null;
  readonly said: string | null;
  readonly startedAt: number;
  readonly touchedAt: number;
  readonly isRunning: boolean;
  readonly waiting: number;
  readonly firstName: string | null;
  readonly people: number;
  readonly isDirect: boolean;
  readonly isPrivate: boolean | null;
  readonly runs: number;
  readonly rounds: number;
  readonly model: string | null;
  readonly cause: RunCause | null;
  readonly reason: EndReason | null;
  readonly hasError: boolean;
  readonly hasGoal: boolean;
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly contextTokens: number | null;
  readonly contextWindow: number | null;
  readonly source: SessionId | null;
  readonly flags: number;
  readonly review: ReviewRow | null;
}

/** SQL: what is shown of the overview `o` and its session `s`. Of few rows: what changes all the time is read for each. */
export const OVERVIEW_COLUMNS = `
o.session, o.channel, o.said, o.started_at as "startedAt", s.title, greatest(o.touched_at, s.touched_at) as "touchedAt",
  exists (select from runs r where r.session = o.session and r.reply = 'open') as "isRunning",
  (select count(*) from inbox i where i.session = o.session and ${WAITS} and i.seq > s.stop_seq)::integer as waiting,
  o.first_name as "firstName", jsonb_array_length(o.people) as people, o.is_direct as "isDirect",
  ${IS_PRIVATE} as "isPrivate", o.runs, o.rounds, o.model,
  o.cause, o.reason, o.has_error as "hasError", o.has_goal as "hasGoal", o.tokens, o.cost,
  o.context_tokens as "contextTokens", o.context_window as "contextWindow", o.source, o.flags, ${REVIEW} as review`;

export function toOverview({ title, said, ...row }: OverviewRow, isDirectAddress: IsDirectAddress): Overview {
  const label = labelOf({ title: title ?? undefined, firstText: said ?? undefined });
  const known = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  const isDirect = row.isDirect || isDirectAddress(threadOf(row.session));
  return {
    ...known,
    label,
    isDirect,
    isPrivate: row.isPrivate ?? true,
    review: toState(row.review),
  } as unknown as Overview;
}
