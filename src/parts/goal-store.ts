/** Goals of threads: stored, commanded, and shown by their cards. Whoever changes one has its card brought up to date. */

import { sha256 } from "../adapters/ids.ts";
import { createGoalCards } from "../adapters/postgres/goal-cards.ts";
import { createGoalProposals } from "../adapters/postgres/goal-proposals.ts";
import { createGoals } from "../adapters/postgres/goals.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Access } from "../core/access/access.ts";
import { createGoalAdmission } from "../core/command/goal-admission.ts";
import { createGoalCommands, type GoalCommands } from "../core/command/goal-command.ts";
import type { GoalPolicies } from "../core/goal/policy.ts";
import { maskedDeep, type StoredMask } from "../core/mask-stored.ts";
import type { NewId } from "../core/ids.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { GoalProposals } from "../core/ports/goal-proposals.ts";
import type { Goals } from "../core/ports/goals.ts";
import type { Inbox } from "../core/ports/inbox.ts";
import type { Log } from "../core/ports/log.ts";
import type { RunQueue } from "../core/ports/run-queue.ts";
import {
  createGoalCardKeeper,
  type GoalCardKeeper,
  type GoalCardsDeps,
  type GoalCardsOptions,
} from "../core/run/goal-cards.ts";
import { createGoalWakes, type GoalWakes } from "../core/run/wake-goal.ts";
import { createGoalTurns, goalBell, type GoalTurns } from "../core/run/goal-turn.ts";

export interface GoalParts {
  readonly goals: Goals;
  readonly goalCommands: GoalCommands;
  readonly goalCards: GoalCardKeeper;
  /** What the turns of goals leave. @param bookkeeping names of the tools that only keep a goal's books. */
  goalTurns(bookkeeping: ReadonlySet<string>): GoalTurns;
  readonly wakes: GoalWakes;
  /** Rings for nothing any more. */
  stop(): Promise<void>;
  readonly proposals: GoalProposals;
}

export interface GoalPartsDeps extends Pick<GoalCardsDeps, "surfaceOf" | "reachOf"> {
  readonly sql: Sql;
  readonly access: Access;
  readonly inbox: Inbox;
  /** Of objectives and what else is said of a goal. */
  readonly mask: Pick<StoredMask, "text">;
  readonly policies: GoalPolicies;
  /** The bell of goals' own turns. */
  readonly queue: RunQueue;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

export function openGoals(deps: GoalPartsDeps, options?: GoalCardsOptions): GoalParts {
  const { sql, access, inbox, mask, policies, queue, clock, log, newId } = deps;
  const stored = createGoals(sql, { atOnceIn: policies.atOnceIn });
  const goalCards = createGoalCardKeeper({ ...deps, hash: sha256, cards: createGoalCards(sql) }, options);
  const goals: Goals = {
    ...stored,
    async apply(session, event, key, run) {
      const applied = await stored.apply(session, maskedDeep(event, mask), key, run);
      if (applied.kind === "changed") goalCards.changed(session);
      return applied;
    },
  };
  const leaving = new AbortController();
  const ring = goalBell({ queue, clock, log }, leaving.signal);
  const admit = createGoalAdmission({ access, inbox });
  const show = goalCards.changed;
  const turnWorld = { goals, policies, cards: goalCards, queue, clock, log, ring };
  const open = createGoalProposals(sql);
  const proposals: GoalProposals = {
    ...open,
    put: (session, proposal, run) => open.put(session, maskedDeep(proposal, mask), run),
  };
  return {
    goals,
    goalCards,
    proposals,
    goalCommands: createGoalCommands({ access, goals, proposals, policies, admit, ring, show, newId }),
    wakes: createGoalWakes({ goals, access, ring }),
    goalTurns: (bookkeeping) => createGoalTurns(turnWorld, bookkeeping),
    stop: async () => leaving.abort(),
  };
}
