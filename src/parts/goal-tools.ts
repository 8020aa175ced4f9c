/** What the model can do about goals, and who looks at what it says of them. */

import { sha256 } from "../adapters/ids.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { createCreateGoalTool } from "../adapters/tools/create-goal.ts";
import { BOOKKEEPING, createGoalTools } from "../adapters/tools/goals.ts";
import { createVerifier } from "../adapters/tools/verifier.ts";
import type { Tool } from "../core/agent/tool.ts";
import { GOALS_OFF, refusalOfLimits, type GoalPolicies } from "../core/goal/policy.ts";
import type { NewId } from "../core/ids.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { GoalProposals } from "../core/ports/goal-proposals.ts";
import type { Goals } from "../core/ports/goals.ts";
import type { Log } from "../core/ports/log.ts";
import { openLiteModel } from "./lite-model.ts";

export interface GoalParts {
  /** What a thread with a goal has besides. */
  readonly tools: readonly Tool[];
  /** With which each thread may get one. */
  readonly create: Tool;
  /** Names of the tools that only keep a goal's books. */
  readonly bookkeeping: ReadonlySet<string>;
  close(): Promise<void>;
}

export async function openGoalParts(
  deps: {
    readonly goals: Goals;
    readonly proposals: GoalProposals;
    readonly policies: GoalPolicies;
    readonly clock: Clock;
    readonly log: Log;
    readonly newId: NewId;
  },
  settings: Settings,
): Promise<GoalParts> {
  const { goals: rules } = settings.config;
  const isWanted = [rules, ...rules.places].some(({ verify }) => verify === true);
  const hasLite = settings.liteModel !== undefined;
  const lite = await openLiteModel(deps, settings, isWanted ? "always" : "if set");
  const verifier =
    lite &&
    createVerifier(
      { ...deps, model: lite.model, hash: sha256 },
      { record: lite.record, bookkeeping: BOOKKEEPING },
    );
  return {
    tools: createGoalTools({
      goals: deps.goals,
      verifierOf: (session, where) =>
        (deps.policies.at(session, where).verify ?? hasLite) ? verifier : undefined,
      waits:
        settings.publicUrl === undefined
          ? {}
          : { calls: { publicUrl: settings.publicUrl.replace(/\/$/, ""), hash: sha256 } },
    }),
    create: createCreateGoalTool({
      ...deps,
      hash: sha256,
      limitsFor(session, asked, where) {
        const policy = deps.policies.at(session, where);
        if (!policy.allow) return GOALS_OFF;
        const limits = { ...policy.limits, ...asked };
        return refusalOfLimits(limits, policy) ?? limits;
      },
    }),
    bookkeeping: BOOKKEEPING,
    close: async () => lite?.close(),
  };
}
