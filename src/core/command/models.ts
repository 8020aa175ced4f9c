/** The models that a thread may use: those that the configuration lists, and the one that answers where nobody chose. */

import { EFFORTS, type Effort } from "../effort.ts";
import type { ModelRecord } from "../ports/model.ts";
import type { ChosenModel } from "../session-settings.ts";

export interface Models {
  /** Absent in a process that only takes messages in and was not told. */
  readonly usual?: ModelRecord;
  /** Without `usual`, unless it is listed too. */
  readonly listed: readonly ModelRecord[];
}

/** By name, the usual one first. */
export function usableModels({ usual, listed }: Models): readonly ModelRecord[] {
  return usual === undefined ? listed : [usual, ...listed.filter(({ name }) => name !== usual.name)];
}

/** The model that a session uses: the chosen one as long as there is such a one. */
export function modelFor(models: Models, { model }: ChosenModel): ModelRecord | undefined {
  return usableModels(models).find(({ name }) => name === model) ?? models.usual;
}

/** How much a model may be told to think; none where it cannot think, or nobody knows. */
export function effortsOf(model: Pick<ModelRecord, "thinking"> | undefined): readonly Effort[] {
  return model === undefined || model.thinking === "none" ? [] : EFFORTS;
}
