/** What the model can do about goals, and who looks at what it says of them. */

import { sha256 } from "../adapters/ids.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { BOOKKEEPING, createGoalTools } from "../adapters/tools/goals.ts";
import { createVerifier } from "../adapters/tools/verifier.ts";
import type { Tool } from "../core/agent/tool.ts";
import type { NewId } from "../core/ids.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Goals } from "../core/ports/goals.ts";
import type { Log } from "../core/ports/log.ts";
import { openLiteModel } from "./lite-model.ts";

export interface GoalParts {
  readonly tools: readonly Tool[];
  /** Names of the tools that only keep a goal's books. */
  readonly bookkeeping: ReadonlySet<string>;
  close(): Promise<void>;
}

export function openGoalParts(
  deps: { readonly goals: Goals; readonly clock: Clock; readonly log: Log; readonly newId: NewId },
  settings: Settings,
): GoalParts {
  const lite = openLiteModel(deps, settings);
  const verifier =
    lite &&
    createVerifier(
      { ...deps, model: lite.model, hash: sha256 },
      { record: lite.record, bookkeeping: BOOKKEEPING },
    );
  return {
    tools: createGoalTools({ goals: deps.goals, verifierOf: () => verifier }),
    bookkeeping: BOOKKEEPING,
    close: async () => lite?.close(),
  };
}
