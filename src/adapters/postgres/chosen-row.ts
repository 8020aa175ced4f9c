/** Which model a session is to use, as a claim and people who look read it. */

import { EFFORTS } from "../../core/effort.ts";
import type { ChosenModel } from "../../core/session-settings.ts";

export interface ChosenRow {
  readonly chosenModel: string | null;
  readonly chosenEffort: string | null;
}

/** SQL: the columns of a `ChosenRow` of the session `was`. */
export const CHOSEN = `was.model as "chosenModel", was.effort as "chosenEffort"`;

/** What a later version may have stored, and this one does not know, counts as not chosen. */
export function toChosen({ chosenModel, chosenEffort }: ChosenRow): ChosenModel {
  const effort = EFFORTS.find((each) => each === chosenEffort);
  return {
    ...(chosenModel === null ? {} : { model: chosenModel }),
    ...(effort === undefined ? {} : { effort }),
  };
}

/** @param params as `ModelCallRecord.params` holds them. */
export function toTold(model: string, params: string | null): ChosenModel {
  const { thinking } = JSON.parse(params ?? "{}") as { readonly thinking?: { readonly effort?: string } };
  return toChosen({ chosenModel: model, chosenEffort: thinking?.effort ?? null });
}
