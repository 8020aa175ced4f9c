/** What a process does that answers: the agent and its tools, the sessions that it serves, and what rings for those that nobody rings for. */

import { hostname } from "node:os";
import { sha256 } from "../adapters/ids.ts";
import { createPages } from "../adapters/postgres/pages.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import type { OverviewKeeper } from "../core/admin/overview-keeper.ts";
import type { Tool } from "../core/agent/tool.ts";
import type { NewId } from "../core/ids.ts";
import type { Goals } from "../core/ports/goals.ts";
import type { Inbox } from "../core/ports/inbox.ts";
import { createBacklog } from "../core/run/backlog.ts";
import { createSweeper, type Sweeper, type SweeperOptions } from "../core/run/sweeper.ts";
import { openAgent } from "./agent.ts";
import type { Coordination } from "./coordination.ts";
import type { Database } from "./database.ts";
import type { GoalParts } from "./goal-store.ts";
import { openGoalParts } from "./goal-tools.ts";
import { openOverviews } from "./overviews.ts";
import type { Places } from "./places.ts";
import { openServing, startWorkers, type ServingDeps } from "./serving.ts";
import { openTitles } from "./titles.ts";

/** What is made here is left out. */
type Served = Omit<
  ServingDeps,
  | "after"
  | "backlog"
  | "goals"
  | "hash"
  | "locker"
  | "model"
  | "pages"
  | "places"
  | "profileOf"
  | "replies"
  | "stored"
  | "sweeper"
  | "titler"
>;

export interface WorkingDeps extends Served {
  readonly sql: Sql;
  readonly newId: NewId;
  readonly database: Database;
  readonly coordination: Coordination;
  readonly inbox: Inbox;
  readonly goals: Goals;
  readonly goalLife: Pick<GoalParts, "proposals" | "goalTurns">;
  readonly places: Places;
  /** Hears of each part when it is there, to end it: the newest first, also where a later one does not come. */
  readonly started: (name: string, stop: () => Promise<void>) => void;
}

export interface WorkingOptions {
  readonly botName: string;
  /** What the agent can do besides. Default nothing. */
  readonly tools?: readonly Tool[] | undefined;
  readonly sweep?: SweeperOptions | undefined;
}

/** What the book of processes says of this one. */
export interface Working {
  readonly sweeper: Sweeper;
  readonly overviews: OverviewKeeper;
  /** From now on it rings, and keeps what threads are found by. */
  start(): void;
}

/** Resolves when it serves. */
export async function openWorking(
  deps: WorkingDeps,
  settings: Settings,
  options: WorkingOptions,
): Promise<Working> {
  const { sql, store, inbox, access, goals, goalLife, policies, places, database, coordination, started } =
    deps;
  const { surfaceOf, clock, log, newId } = deps;
  const { queue, goalQueue, locker, lateWritesMs } = coordination;
  const { botName, tools = [], sweep } = options;
  const { proposals } = goalLife;
  const goalParts = await openGoalParts({ goals, proposals, policies, clock, log, newId }, settings);
  started("lite model", () => goalParts.close());
  const agent = await openAgent(
    {
      clock,
      log,
      conversation: places.conversation,
      tools: [goalParts.create, ...tools],
      goalTools: goalParts.tools,
    },
    settings,
    botName,
  );
  started("model", () => agent.close());
  const sweeper = createSweeper(
    {
      store,
      queue,
      goals: { store: goals, queue: goalQueue },
      clock,
      log,
      random: Math.random,
      exclusive: database.exclusive,
    },
    sweep,
  );
  coordination.onBack(() => sweeper.lookSoon());
  const overviews = openOverviews(database, { clock, log }, settings.config.retention);
  started("overviews", () => overviews.stop());
  const { beginningOf: conversationOf } = places;
  const serving = openServing(
    {
      ...deps,
      pages: createPages(sql),
      hash: sha256,
      model: agent.model,
      profileOf: agent.profileOf,
      replies: settings.config.replies,
      titler: await openTitles({ sql, surfaceOf, clock, log, newId }, settings),
      backlog: createBacklog({ store, inbox, access, clock, log, conversationOf }),
      goals: goalLife.goalTurns(goalParts.bookkeeping),
      stored: goals,
      locker,
      sweeper,
      after: overviews.after,
    },
    { worker: `${hostname()}/${process.pid}`, lateWritesMs },
  );
  const workers = await startWorkers({ coordination, database }, serving, settings.workerConcurrency);
  for (const { name, stop } of workers) started(name, stop);
  return {
    sweeper,
    overviews,
    start() {
      sweeper.start();
      overviews.start();
      started("sweeper", () => sweeper.stop());
    },
  };
}
