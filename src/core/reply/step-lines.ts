/** How steps read: the one line while they run, and the lines of those who want to see each. Pure. */

import { formatDuration } from "../measure.ts";
import type { PageStep } from "../ports/surface.ts";
import { headOf } from "../text.ts";
import { withoutSteering } from "./steering-signs.ts";
import type { ReplyDocument } from "./document.ts";
import type { Step } from "./steps.ts";
import type { ReplyView } from "./view.ts";

/** What all lines together may take, in units; a page has so much less room for text where they are shown. */
export const STEPS_ROOM = 560;
const LONGEST_LINE = 120;
const MOST_LINES = 8;
/** Of what is done at once so many are named. */
const NAMED = 2;

type Doing = ReplyView["doing"];

/** `Reading 3 pages, looking at the clock`; undefined when no tool runs. Calls of the round count until all of their tool are answered. */
export function doingOf({ steps, current, activity }: ReplyDocument, doing: Doing): string | undefined {
  if (activity.kind !== "tools" || activity.running.length === 0) return undefined;
  const { running } = activity;
  const names = [...new Set(running.map(({ name }) => name))];
  const counts = names.map((name) => {
    const asked = steps.filter((step) => step.round === current && step.name === name).length;
    // While the model still writes down what it wants there are no steps yet.
    return { name, count: Math.max(asked, running.filter((tool) => tool.name === name).length) };
  });
  const said = counts.map(({ name, count }) => doing?.(name, count)).filter((words) => words !== undefined);
  const unsaid = counts.flatMap(({ name, count }) => (doing?.(name, count) === undefined ? [count] : []));
  const using = unsaid.reduce((sum, count) => sum + count, 0);
  const all = using === 0 ? said : [...said, using === 1 ? "Using a tool" : `Using ${using} tools`];
  const shown = all.slice(0, NAMED).map((words, index) => (index === 0 ? words : lowered(words)));
  return `${shown.join(", ")}${all.length > NAMED ? ` and ${all.length - NAMED} more` : ""}`;
}

/** The newest that find room, in order. Empty where none are wanted. */
export function stepLines({ steps }: ReplyDocument, view: ReplyView): readonly PageStep[] {
  if (view.verbosity === "quiet" || steps.length === 0) return [];
  const all = (
    view.verbosity === "full"
      ? steps.map((step) => ({ state: step.state, line: fullLine(step, view.doing) }))
      : together(steps).map((group) => ({ state: group[0].state, line: groupLine(group, view.doing) }))
  ).map((step, place): PageStep => ({ id: `step-${place + 1}`, ...step }));
  const shown: PageStep[] = [];
  let room = STEPS_ROOM - LONGEST_LINE / 2;
  for (const step of all.toReversed()) {
    room -= step.line.length + 1;
    if (room < 0 || shown.length === MOST_LINES) break;
    shown.unshift(step);
  }
  const left = all.length - shown.length;
  if (left === 0) return shown;
  const line = `${left} earlier ${left === 1 ? "step" : "steps"}`;
  return [{ id: "earlier", line, state: "done" }, ...shown];
}

/** Neighbours of one tool and one fate, as people tell them: three pages that were read are one step more or less. */
function together(steps: readonly Step[]): readonly (readonly [Step, ...Step[]])[] {
  const groups: [Step, ...Step[]][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last?.[0].name === step.name && last[0].state === step.state && last[0].round === step.round)
      last.push(step);
    else groups.push([step]);
  }
  return groups;
}

function groupLine(group: readonly [Step, ...Step[]], doing: Doing): string {
  const [first] = group;
  // Those of one round ran side by side.
  const took = Math.max(...group.map(({ durationMs = 0 }) => durationMs));
  return lineOf(wordsOf(first, group.length, doing), first, took);
}

function fullLine(step: Step, doing: Doing): string {
  const given = step.arguments === undefined || step.arguments === "{}" ? "" : ` ${step.arguments}`;
  const said = `${wordsOf(step, 1, doing)} (${step.name}${given})`;
  return lineOf(said, step, step.durationMs ?? 0);
}

function lineOf(words: string, { state, progress }: Step, durationMs: number): string {
  const took = durationMs > 0 ? ` · ${formatDuration(durationMs)}` : "";
  const more =
    state === "failed" ? ` · failed${took}` : progress === undefined ? took : ` · ${oneLine(progress)}`;
  const end = headOf(more, LONGEST_LINE / 2);
  const line = oneLine(words);
  const room = LONGEST_LINE - end.length;
  return line.length <= room ? `${line}${end}` : `${headOf(line, room - 1)}…${end}`;
}

function wordsOf({ name }: Step, count: number, doing: Doing): string {
  return doing?.(name, count) ?? (count === 1 ? "Using a tool" : `Using ${count} tools`);
}

function oneLine(text: string): string {
  return withoutSteering(text).replaceAll(/\s+/g, " ").trim();
}

function lowered(words: string): string {
  return `${words.slice(0, 1).toLowerCase()}${words.slice(1)}`;
}
