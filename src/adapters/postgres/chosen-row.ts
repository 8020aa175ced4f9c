/** Which model a session is to use, as a claim and people who look read it. */

import { EFFORTS } from "../../core/effort.ts";
import type { Shown } from "../../core/reply/view.ts";
import type { ChosenModel } from "../../core/session-settings.ts";
import { VERBOSITIES } from "../../core/verbosity.ts";

export interface ChosenRow {
  readonly chosenModel: string | null;
  readonly chosenEffort: string | null;
  readonly shownVerbosity: string | null;
  readonly shownParent: string | null;
}

/** SQL: the columns of a `ChosenRow` of the session `was`. */
export const CHOSEN = `was.model as "chosenModel", was.effort as "chosenEffort", was.verbosity as "shownVerbosity",
  case when starts_with(was.id, 'discord:') then (
    select i.body->'where'->>'parent' from inbox i where i.session = was.id order by i.seq limit 1) end as "shownParent"`;

/** What a later version may have stored, and this one does not know, counts as not chosen. */
export function toChosen({
  chosenModel,
  chosenEffort,
}: Pick<ChosenRow, "chosenModel" | "chosenEffort">): ChosenModel {
  const effort = EFFORTS.find((each) => each === chosenEffort);
  return {
    ...(chosenModel === null ? {} : { model: chosenModel }),
    ...(effort === undefined ? {} : { effort }),
  };
}

/** The same of how its replies are shown. */
export function toShown({
  shownVerbosity,
  shownParent,
}: Pick<ChosenRow, "shownVerbosity" | "shownParent">): Shown {
  const verbosity = VERBOSITIES.find((each) => each === shownVerbosity);
  return {
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(shownParent === null ? {} : { parent: shownParent }),
  };
}

/** @param params as `ModelCallRecord.params` holds them; what cannot be read says nothing. */
export function toTold(model: string, params: string | null): ChosenModel {
  return toChosen({ chosenModel: model, chosenEffort: effortIn(params ?? "{}") });
}

function effortIn(params: string): string | null {
  try {
    const { thinking } = JSON.parse(params) as { readonly thinking?: { readonly effort?: string } };
    return thinking?.effort ?? null;
  } catch {
    return null;
  }
}
