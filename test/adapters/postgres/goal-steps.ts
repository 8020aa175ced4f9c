// Steps of a thread with a goal, over the stores of the file that tests.
import type { GoalTurn } from "../../../src/core/goal/turn.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import type { Opened } from "../../../src/core/ports/run-store.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { answer, asRun, newSession, round, type OpenedRun } from "../../contract/store-samples.ts";
import { changedGoal, setGoal, turn } from "../../support/goals.ts";
import type { Sql } from "../../../src/adapters/postgres/sql.ts";
import type { Stores } from "./store-subject.ts";

export const kinds = (opened: readonly Opened[]): readonly string[] =>
  opened.map(({ kind }) => kind).toSorted();

export function goalSteps(stores: () => Stores, sql: () => Sql) {
  async function withGoal(objective?: string): Promise<{ session: SessionId; goal: Goal }> {
    const session = newSession();
    return { session, goal: changedGoal(await stores().goals.apply(session, setGoal(objective))) };
  }

  async function end(run: OpenedRun, more: Partial<GoalTurn> = {}): Promise<Goal | undefined> {
    const { store } = stores();
    const reason = more.reason ?? "stop";
    const ended = await store.end(run.fence, {
      reason,
      round: round(run.run.rounds + 1, answer("done")),
      modelCalls: [],
      ...(reason === "stop" ? {} : { note: "it ended early" }),
      ...(run.goal === undefined ? {} : { turn: turn({ of: run.goal, cause: run.run.cause, ...more }).turn }),
    });
    if (ended.kind !== "ended") throw new Error(ended.kind);
    await store.settled(run.fence);
    return ended.goal;
  }

  const continued = async (session: SessionId): Promise<OpenedRun> =>
    asRun(await stores().store.open(session, "w1", "goals"));
  /** As if so many ms had passed for what the goal waits for. */
  async function passed(session: SessionId, ms: number): Promise<void> {
    await sql().query(
      {
        text: `update goals set wake_at = wake_at - $2::bigint, body = body
  || jsonb_build_object('updatedAt', (body->>'updatedAt')::bigint - $2)
  || case when body ? 'wait' then jsonb_build_object('wait',
    jsonb_set(body->'wait', '{until}', to_jsonb((body->'wait'->>'until')::bigint - $2))) else '{}' end
where session = $1`,
      },
      [session, ms],
    );
  }

  return { withGoal, end, continued, passed };
}
