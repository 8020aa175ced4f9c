/** The end of a run: outcome, fates and `reply = settling` in one statement; or what came in meanwhile joins and it goes on. */

import type { Ended, Fence, RunEnding } from "../../core/ports/run-store.ts";
import type { Goal } from "../../core/goal/goal.ts";
import { newsOf, type TurnNews } from "../../core/goal/news.ts";
import { reduceGoal } from "../../core/goal/reduce.ts";
import type { GoalTurn } from "../../core/goal/turn.ts";
import type { Frozen } from "../../core/round.ts";
import { cleanJson, cleanText } from "../../core/text.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import { frozenValues, holding, takeHeld } from "./fenced.ts";
import { gaugeValues } from "./gauge-row.ts";
import { goalPart, isSameGoal, readOpen } from "./goal-row.ts";
import { joining, nobodyWaits, waiting, WITH_JOINED } from "./joining-sql.ts";
import { isStopped, noteEntry } from "./ledger-sql.ts";
import { behind, partsOf, storedEntries, storing, type RoundPart } from "./round-values.ts";
import { flagsOf, shaped } from "./shaped.ts";
import type { Sql } from "./sql.ts";

interface EndRow {
  readonly base: number;
  readonly epoch: number;
  readonly goesOn: boolean;
  readonly goal: string | null;
  /** Absent where the statement takes nobody in. */
  readonly steered?: readonly EntryRow[] | null;
}

interface EndShape {
  /** The last round, if there is one, is complete. */
  readonly isComplete: boolean;
  readonly mayJoin: boolean;
  /** It takes in who waits, and then the run goes on. Else it only looks, and takes nothing when someone waits. */
  readonly joins: boolean;
  readonly hasNote: boolean;
  /** It takes nothing where a stop is newer than all that was admitted. */
  readonly unlessStopped: boolean;
  /** Prompt and tools are given. */
  readonly freezes: boolean;
  /** Something new was learnt of the model. */
  readonly gauges: boolean;
  /** The goal's change, which is then the first of `parts`, and behind all others what people are told of it. */
  readonly hasGoal: boolean;
  /** The goal is closed with it. */
  readonly closes: boolean;
  readonly parts: readonly RoundPart[];
}

/**
 * $4: the last round, or null. $5: how many entries it has. $6 to $8: reason, error code and message. From $9: the note if there
 * is one, then `parts`, then prompt and tools, then the gauge, then what is told of the goal. No row where nothing was taken.
 */
const END = shaped<EndShape>({
  name: ({ parts, ...flags }) => ["end", flagsOf(flags), ...parts.map((part) => part.name)].join("-"),
  text: ({ isComplete, mayJoin, joins, hasNote, unlessStopped, freezes, gauges, hasGoal, closes, parts }) => `
with ${holding({
    // Either somebody joins and the run goes on, or the note is written.
    adds: `$5::integer + greatest(${joins ? waiting(mayJoin) : 0}, ${hasNote ? 1 : 0})`,
    when: [
      "($4::integer is null or r.rounds = $4 - 1)",
      ...(joins ? [] : [nobodyWaits(mayJoin)]),
      ...(unlessStopped ? [`not (${isStopped("w", "r")})`] : []),
      ...(hasGoal ? [isSameGoal(hasNote ? 10 : 9)] : []),
    ].join(" and "),
    freezes: freezes ? behind(parts, hasNote ? 10 : 9) : undefined,
    gauges: gauges ? behind(parts, hasNote ? 10 : 9) + (freezes ? 2 : 0) : undefined,
    also: closes
      ? `goal = case when ${joins ? `${waiting(mayJoin)} > 0` : "false"} then w.goal end`
      : undefined,
    gives: `${isComplete ? "$4" : "r.rounds"} as rounds, ${joins ? `${waiting(mayJoin)} > 0` : "false"} as goes_on, w.goal`,
  })}${joins ? joining(mayJoin) : ""},
done as (
  update inbox i set state = 'done', done_at = now_ms(),
    fate = case when $6::text in ('stop', 'waiting') then case when i.joined then 'steered' else 'answered' end
      when $6 = 'cancelled' then 'cancelled' else 'failed' end,
    reason = case when $6 not in ('stop', 'waiting') then coalesce($7::text, $6) end
  from held h where not h.goes_on and i.run = $3 and i.session = $1 and i.state = 'admitted')${hasNote ? noting : ""},
run as (
  update runs r set rounds = h.rounds,
    safe_fence = case when h.rounds > r.rounds or not h.goes_on then $2 else r.safe_fence end,
    reason = case when not h.goes_on then $6 end,
    error_code = case when not h.goes_on then $7 end,
    error_message = case when not h.goes_on then $8::text end,
    ended_at = case when not h.goes_on then now_ms() end,
    reply = case when h.goes_on then 'open' else 'settling' end${
      hasGoal ? newsAt(behind(parts, hasNote ? 10 : 9) + (freezes ? 2 : 0) + (gauges ? 1 : 0)) : ""
    }${joins ? `, ${WITH_JOINED}` : ""}
  from held h where r.id = $3)${storing(parts, hasNote ? 10 : 9)}
select h.base, h.epoch, h.goes_on as "goesOn", h.goal${
    joins ? `, (select json_agg(${ENTRY_JSON} order by e.seq) from steered e) as steered` : ""
  }
from held h`,
});

const newsAt = (first: number): string => `, goal_said = $${first}::text, quiet = $${first + 1}::boolean`;

const noting = `,
noted as (
  insert into entries (session, epoch, seq, run, round, kind, body)
  select $1, h.epoch, h.base + $5 + 1, $3, h.rounds, 'note', ${noteEntry("$9::text")}
  from held h where not h.goes_on)`;

export async function endRun(
  sql: Sql,
  fence: Fence,
  given: { readonly ending: RunEnding; readonly frozen: Frozen | undefined },
  isStored: (hash: string) => boolean,
): Promise<Ended> {
  const { ending, frozen } = given;
  const { error, note } = ending;
  const round = ending.round && { ...ending.round, entries: cleanJson(ending.round.entries) };
  const calls = [...(round?.modelCalls ?? []), ...ending.modelCalls];
  const parts = partsOf(round, { calls, frozen }, isStored);
  const values = (goal: SqlPart | undefined) => [
    fence.session,
    fence.number,
    fence.run,
    round?.round ?? null,
    round?.entries.length ?? 0,
    ending.reason,
    error?.code ?? null,
    error === undefined ? null : cleanText(error.message),
    ...(note === undefined ? [] : [cleanText(note)]),
    ...(goal?.part.values ?? []),
    ...parts.flatMap((part) => part.values),
    ...frozenValues(frozen),
    ...gaugeValues(ending),
    ...(goal === undefined ? [] : [goal.news.said ?? null, goal.news.isQuiet ?? null]),
  ];
  const shape = {
    isComplete: round?.state === "complete",
    mayJoin: ending.reason === "stop" && ending.isLast !== true,
    hasNote: note !== undefined,
    unlessStopped: ending.reason === "stop" && round !== undefined,
    freezes: frozen !== undefined,
    gauges: ending.gauge !== undefined,
  };
  let goal: SqlPart | undefined;
  const { unlessStopped } = shape;
  const row = await takeHeld(sql, { fence, round: round?.round, unlessStopped }, async (joins) => {
    // Read anew each time: what was planned for a goal that has changed meanwhile is not stored.
    goal = ending.turn === undefined ? undefined : await goalAfter(sql, fence, ending.turn);
    const all = goal === undefined ? parts : [goal.part, ...parts];
    const closes = goal?.goal.closed !== undefined;
    const statement = END({ ...shape, joins, hasGoal: goal !== undefined, closes, parts: all });
    return sql.query<EndRow>(statement, values(goal));
  });
  if (row === "stopped") return { kind: "stopped" };
  if (!row.goesOn) {
    if (row.goal === null) return { kind: "ended" };
    const after = goal?.goal ?? (await readOpen(sql, fence.session))?.goal;
    return {
      kind: "ended",
      ...(after === undefined ? {} : { goal: after }),
      ...(goal === undefined ? {} : { news: goal.news }),
    };
  }
  return {
    kind: "steered",
    stored: storedEntries(fence, row, round),
    steered: (row.steered ?? []).map(toEntry),
  };
}

interface SqlPart {
  readonly goal: Goal;
  readonly part: RoundPart;
  readonly news: TurnNews;
}

/** The thread's goal behind this turn; undefined where it has none any more. */
async function goalAfter(sql: Sql, { session }: Fence, turn: GoalTurn): Promise<SqlPart | undefined> {
  const before = await readOpen(sql, session);
  if (before === undefined) return undefined;
  const step = reduceGoal(before.goal, { kind: "turn", turn }, before.now);
  if (step.kind === "refused") return undefined;
  const { goal } = step;
  const part = goalPart({ before, goal, kind: "turn" }, "not h.goes_on");
  return { goal, part, news: newsOf(before.goal, goal, turn) };
}
