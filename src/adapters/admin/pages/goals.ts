/** The goals that a thread had, the newest first: what each was to reach, what happened to it, what was found by whoever looked, and the emoji that its card was given. */

import { html } from "hono/html";
import type { GoalStep } from "../../../core/ports/review.ts";
import { apart } from "./apart.ts";
import { moment, type Markup } from "./layout.ts";
import { reactionsMarkup } from "./reactions.ts";
import { words } from "./words.ts";

/** @param steps of all of them, each goal's in their order. */
export function goalHistory(steps: readonly GoalStep[]): readonly Markup[] {
  return [...Map.groupBy(steps, ({ goal }) => goal).values()].toReversed().map(ofGoal);
}

function ofGoal(steps: readonly GoalStep[]): Markup {
  const last = steps.at(-1);
  const given = reactionsMarkup(last?.reactions ?? []);
  return html`<details class="goals">
      <summary>Goal: ${apart(last?.objective ?? "")} <span class="tag">${last?.status}</span></summary>
      <ol>
        ${steps.map((step, n) => stepMarkup(step, steps[n - 1]))}
      </ol>
    </details>
    ${given === "" ? "" : html`<div class="people">${given}</div>`}`;
}

/** @param before of what stood already only the change is told. */
function stepMarkup(
  { at, kind, who, status, objective, evidence, verdict }: GoalStep,
  before?: GoalStep,
): Markup {
  const isNew = verdict?.kind !== before?.verdict?.kind || verdict?.reason !== before?.verdict?.reason;
  return html`<li>
    ${moment(at)} <strong>${kind}</strong>${who === undefined ? "" : html` by <code>${who}</code>`}, then
    ${status} ${objective === before?.objective ? "" : words(objective)}
    ${
      evidence === undefined || evidence === before?.evidence
        ? ""
        : html`<p class="dim">Named as proof:</p>
            ${words(evidence)}`
    }
    ${
      verdict === undefined || !isNew
        ? ""
        : html`<p>
              The check: <span class="tag ${verdict.kind === "rejected" ? "bad" : ""}">${verdict.kind}</span>
            </p>
            ${words(verdict.reason)}`
    }
  </li>`;
}
