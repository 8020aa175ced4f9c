// All invariants over one record. Pure: the same record has the same answer.
import { brokenEffects } from "./effects.ts";
import { brokenFates } from "./fates.ts";
import { brokenFences } from "./fences.ts";
import { brokenFinals } from "./finals.ts";
import { brokenGoals } from "./goals.ts";
import { brokenHistories } from "./histories.ts";
import type { Broken, ChaosRecord } from "./record.ts";
import { brokenShown } from "./shown.ts";

/** Nothing, when all of them hold. */
export function check(record: ChaosRecord): readonly Broken[] {
  return [
    brokenFates,
    brokenFinals,
    brokenEffects,
    brokenHistories,
    brokenFences,
    brokenGoals,
    brokenShown,
  ].flatMap((invariants) => invariants(record));
}
