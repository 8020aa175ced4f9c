/** What a worker does when it is rung for: a session of people's, or one whose goal has a turn of its own to do. */

import { planClaims } from "../adapters/postgres/open-run.ts";
import type { Access } from "../core/access/access.ts";
import type { GoalPolicies } from "../core/goal/policy.ts";
import type { Goals } from "../core/ports/goals.ts";
import type { Serve } from "../core/ports/run-queue.ts";
import type { GoalTurns } from "../core/run/goal-turn.ts";
import { serveGoals } from "../core/run/serve-goals.ts";
import { onlyWhileAllowed } from "../core/run/only-while-allowed.ts";
import { createRunSession, type RunSessionDeps, type RunSessionOptions } from "../core/run/run-session.ts";
import { createServe, type ServeDeps, type ServeStep } from "../core/run/serve-session.ts";
import { onlyWhereInstalled, type WhereInstalledDeps } from "../core/run/where-installed.ts";
import type { Coordination } from "./coordination.ts";
import type { Database } from "./database.ts";
import type { Places } from "./places.ts";

export interface ServingDeps
  extends RunSessionDeps, Pick<ServeDeps, "locker" | "sweeper">, Pick<WhereInstalledDeps, "departures"> {
  readonly places: Pick<Places, "reachOf" | "standingOf">;
  readonly access: Access;
  readonly policies: GoalPolicies;
  readonly stored: Goals;
  readonly goals: GoalTurns;
  /** What is noted behind each step. */
  after(step: ServeStep): ServeStep;
}

export interface Serving {
  readonly people: Serve;
  readonly goals: Serve;
  /** Ends what is done beside runs. */
  stop(): Promise<void>;
}

/** @param options of the worker. */
export function openServing(deps: ServingDeps, options: RunSessionOptions): Serving {
  const { stored: goals, places, store, departures } = deps;
  const stepOf = (takes?: "goals"): ServeStep => {
    const people = createRunSession(deps, options);
    const { standingOf, reachOf } = places;
    const step =
      takes === undefined
        ? people
        : onlyWhileAllowed({
            ...deps,
            step: createRunSession(deps, { ...options, takes }),
            people,
            goals,
            standingOf,
          });
    return deps.after(onlyWhereInstalled({ step, reachOf, departures, goals }));
  };
  const goalStep = stepOf("goals");
  return {
    people: createServe({ ...deps, store, step: stepOf(), released: deps.goals.released }),
    goals: serveGoals({ ...deps, goals, turns: deps.goals, step: goalStep }),
    stop: async () => deps.titler?.stop(),
  };
}

/** @param concurrency sessions of people's that one process serves at a time. */
export async function startWorkers(
  deps: {
    readonly coordination: Pick<Coordination, "workerFor" | "goalWorkerFor">;
    readonly database: Pick<Database, "warm" | "sql">;
  },
  serving: Serving,
  concurrency: number,
): Promise<readonly { readonly name: string; readonly stop: () => Promise<void> }[]> {
  const { coordination, database } = deps;
  // What another worker hands over at a deploy comes at once, and each connection plans a claim when it first makes one.
  await database.warm(() => planClaims(database.sql));
  const worker = coordination.workerFor(serving.people, concurrency);
  await worker.start();
  // People's messages have all places of their own; goals share half as many.
  const goalWorker = coordination.goalWorkerFor(serving.goals, Math.ceil(concurrency / 2));
  await goalWorker.start();
  return [
    { name: "what is done beside runs", stop: () => serving.stop() },
    { name: "worker", stop: () => worker.close() },
    { name: "goal worker", stop: () => goalWorker.close() },
  ];
}
