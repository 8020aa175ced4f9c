// What people see in the end: each answer once and whole in the thread that it was asked in, nothing that belongs to no run,
// nothing that seems to be written still, nothing in the channel.
import { answerTo, recipeOf } from "../recipe.ts";
import type { Broken, ChaosRecord, RunRow, ShownMessage } from "./record.ts";

const FINAL = "every thread's final is there exactly once and whole";
const ROOT = "nothing stands in the channel root";
const PARKED = "at most one run in a hundred is parked, with a notice and Retry";
const PEACE = "nothing that the platform or people would punish";

export function brokenFinals(record: ChaosRecord): Broken[] {
  return [
    ...record.threads.filter(({ isGone }) => !isGone).flatMap(({ session }) => brokenThread(record, session)),
    ...record.strays.map((text) => ({ invariant: ROOT, what: text })),
    ...record.complaints.map((what) => ({ invariant: PEACE, what })),
    ...brokenParked(record),
  ];
}

export function isParked(run: RunRow): boolean {
  return run.reason === "error";
}

function brokenThread(record: ChaosRecord, session: string): Broken[] {
  const broken: Broken[] = [];
  const found = (what: string): void => void broken.push({ invariant: FINAL, what: `${session}: ${what}` });
  const shown = record.threads.find((thread) => thread.session === session)?.fromBot ?? [];
  const runs = record.runs.filter((run) => run.session === session);
  const words = new Map<string, readonly string[]>();
  const owned = new Set<string>();
  for (const goal of record.goals)
    if (goal.session === session && goal.card_message !== null) owned.add(goal.card_message);

  for (const run of runs) {
    if (run.reply !== "settled") found(`run ${run.id} is ${run.reply} to the end`);
    // What a goal's turn without news says stands in its card alone.
    if (run.cause === "continuation" && !record.pages.some((page) => page.run === run.id)) continue;
    const pages = pagesOf(record, run, shown, found);
    for (const { id } of pages) owned.add(id);
    words.set(
      run.id,
      pages.flatMap(({ text }) => wordsOf(text)),
    );
    for (const entry of record.entries) {
      if (entry.run !== run.id || entry.kind !== "assistant") continue;
      const said = wordsOf(entry.body.text ?? "");
      if (!contains(words.get(run.id) ?? [], said))
        found(`run ${run.id} does not show all of "${brief(said)}"`);
    }
    if (isParked(run) && pages.at(-1)?.buttons.includes("retry") !== true)
      found(`run ${run.id} is parked without Retry`);
  }
  for (const { id, text, buttons } of shown) {
    if (!owned.has(id)) found(`message ${id} belongs to no run: "${brief(wordsOf(text))}"`);
    if (buttons.includes("stop")) found(`message ${id} looks as if it were being written`);
  }

  const all = shown.flatMap(({ text, isFile }) => (isFile === true ? [] : wordsOf(text)));
  for (const act of record.acts) {
    if (act.kind !== "question" || act.session !== session) continue;
    const row = record.inbox.find(
      ({ message, kind, session: its }) => kind === "message" && its === session && message === act.message,
    );
    const times = all.filter((word) => word === `end${act.tag}`).length;
    const isAnswered = row?.fate === "answered" || row?.fate === "steered";
    if (times > 1) found(`question ${act.tag} is answered ${times} times`);
    if (!isAnswered || row.run === null) continue;
    const answer = answerTo(act.tag, recipeOf(record.seed, act.tag).words);
    if (!triesOf(runs, row.run).some((run) => contains(words.get(run) ?? [], answer)))
      found(`the answer to question ${act.tag} is not whole in its run ${row.run}`);
  }
  return broken;
}

/** The run, and those that it tries again: what was answered in one of them before it was stopped is not answered once more. */
function triesOf(runs: readonly RunRow[], run: string): readonly string[] {
  const before = runs.find(({ id }) => id === run)?.retry_of ?? undefined;
  return before === undefined ? [run] : [run, ...triesOf(runs, before)];
}

/** In their order. */
function pagesOf(
  { pages }: ChaosRecord,
  run: RunRow,
  shown: readonly ShownMessage[],
  found: (what: string) => void,
): readonly ShownMessage[] {
  const rows = pages.filter((page) => page.run === run.id).sort((a, b) => a.index - b.index);
  if (rows.length === 0) found(`run ${run.id} has no page`);
  return rows.flatMap(({ index, message }) => {
    const page = shown.find(({ id }) => id === message);
    if (page === undefined) found(`page ${index} of run ${run.id} is not in the thread`);
    return page === undefined ? [] : [page];
  });
}

function brokenParked({ runs }: ChaosRecord): Broken[] {
  const parked = runs.filter(isParked);
  if (parked.length <= Math.max(1, runs.length / 100)) return [];
  return [{ invariant: PARKED, what: `${parked.length} of ${runs.length} runs are parked` }];
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

function contains(all: readonly string[], part: readonly string[]): boolean {
  const [first] = part;
  if (first === undefined) return true;
  for (let at = all.indexOf(first); at !== -1; at = all.indexOf(first, at + 1)) {
    if (part.every((word, index) => all[at + index] === word)) return true;
  }
  return false;
}

const brief = (words: readonly string[]): string =>
  words.length <= 8 ? words.join(" ") : `${words.slice(0, 6).join(" ")} … ${words.at(-1) ?? ""}`;
