/** Goals between their rows and the vocabulary, and the parts of statements that read and write them. */

import { dueAtOf, type Goal } from "../../core/goal/goal.ts";
import { cleanJsonText } from "../../core/text.ts";
import type { SessionId } from "../../core/thread.ts";
import type { RoundPart } from "./round-values.ts";
import type { Sql } from "./sql.ts";
import { fieldsOf, StoredJsonError } from "./stored-json.ts";

/** A goal as it was read: what is made from it is stored only while its version is the same. */
export interface GoalRow {
  readonly goal: Goal;
  readonly version: number;
  /** The database's time of reading, ms since 1970: steps of goals have one clock, whoever makes them. */
  readonly now: number;
  /** The bot is to be quiet in the thread. */
  readonly isMuted: boolean;
}

/** What is written in place of it, and why. */
export interface GoalChange {
  readonly before: GoalRow;
  readonly goal: Goal;
  /** For the audit: what happened, and who asked for it. */
  readonly kind: string;
  readonly who?: string | undefined;
  readonly key?: string | undefined;
}

const OPEN = {
  name: "goal-open",
  text: `
select g.body, g.version, now_ms() as now, s.muted is true as "isMuted" from sessions s join goals g on g.id = s.goal where s.id = $1`,
};

/** SQL: the same as JSON, beside what else is read of the session that is this row; null where it has none. */
export const openGoalJson = (session: string): string => `(
  select json_build_object('body', g.body, 'version', g.version, 'now', now_ms(), 'isMuted', ${session}.muted is true)
  from goals g where g.id = ${session}.goal)`;

export type GoalColumns = Omit<GoalRow, "goal"> & { readonly body: unknown };

export function toGoalRow({ body, ...rest }: GoalColumns): GoalRow {
  return { goal: toGoal(body), ...rest };
}

/** The thread's open goal. */
export async function readOpen(sql: Sql, session: SessionId): Promise<GoalRow | undefined> {
  const [row] = await sql.query<GoalColumns>(OPEN, [session]);
  return row && toGoalRow(row);
}

export function toGoal(body: unknown): Goal {
  if (fieldsOf(body, "goal")["v"] !== 1) throw new StoredJsonError("version of a goal");
  return body as Goal;
}

/** As `goals` has them: status, closed, wake_at, body. */
export const goalValues = (goal: Goal) =>
  [goal.status, goal.closed ?? null, dueAtOf(goal) ?? null, cleanJsonText(goal)] as const;

/** SQL: whether the session `w` still has the goal, in the version, that stand from the parameter `first` on. */
export const isSameGoal = (first: number): string =>
  `w.goal = $${first}::text and (select g.version from goals g where g.id = $${first}) = $${first + 1}::bigint`;

/** The part that writes a goal's change where `held` has a row. @param when a further condition on the row `h` of `held`. */
export function goalPart(change: GoalChange, when?: string): RoundPart {
  const { before, goal, kind, who, key } = change;
  const [status, closed, wakeAt, body] = goalValues(goal);
  const also = when === undefined ? "" : ` and ${when}`;
  return {
    name: when === undefined ? "goal" : "goal-when",
    sql: (first) => `goal_out as (
  update goals g set version = g.version + 1, status = $${first + 2}::text, closed = $${first + 3}::text,
    wake_at = $${first + 4}::bigint, body = $${first + 5}::jsonb
  from held h where g.id = $${first} and g.version = $${first + 1}${also}),
${goalLog(
  "goal_log",
  {
    goal: `$${first}`,
    status: `$${first + 2}`,
    body: `$${first + 5}`,
    kind: `$${first + 6}::text`,
    who: `$${first + 7}::text`,
    key: `$${first + 8}::text`,
  },
  also,
)}`,
    values: [before.goal.id, before.version, status, closed, wakeAt, body, kind, who ?? null, key ?? null],
  };
}

/** SQL: the CTE of a line of the audit, of these expressions. What its turns have seen and said is large, and stands in the goal and the entries. */
export const goalLog = (
  name: string,
  of: Readonly<Record<"goal" | "status" | "body" | "kind" | "who" | "key", string>>,
  also = "",
): string => `${name} as (
  insert into goal_events (goal, kind, who, key, status, body)
  select ${of.goal}, ${of.kind}, ${of.who}, ${of.key}, ${of.status}, ${of.body}::jsonb - 'seen' - 'said' from held h where true${also})`;
