// What stands in the threads after a soak in which people took messages of the bot away: pure, the same record has the same answer.
import type { ChaosRecord, ShownMessage } from "../chaos/checker/record.ts";

/** A message of the bot that somebody deleted. */
export interface TakenAway {
  readonly session: string;
  readonly message: string;
  /** ms since 1970. */
  readonly at: number;
}

export interface RepliesRecord extends Pick<
  ChaosRecord,
  "threads" | "strays" | "runs" | "pages" | "entries" | "goals"
> {
  readonly takenAway: readonly TakenAway[];
  /** ms since 1970, by the run's id. */
  readonly endedAt: ReadonlyMap<string, number>;
}

/** Two clocks of one machine. */
const MARGIN_MS = 100;

/**
 * Every final is there once and whole, however often pages of it were taken away while it was written: what is deleted once comes back, what is
 * deleted again, or behind the end, stays away. A thread without a root has nobody to tell anything to.
 * @returns what is not so, a line each.
 */
export function brokenReplies(record: RepliesRecord): readonly string[] {
  const { threads, strays } = record;
  return [
    ...strays.map((text) => `in the channel, outside of any thread: "${text.slice(0, 80)}"`),
    ...threads.flatMap(({ session, isGone, fromBot }) =>
      isGone ? [] : brokenThread(record, session, fromBot).map((what) => `${session}: ${what}`),
    ),
  ];
}

function brokenThread(record: RepliesRecord, session: string, shown: readonly ShownMessage[]): string[] {
  const taken = new Map(
    record.takenAway.filter((one) => one.session === session).map(({ message, at }) => [message, at]),
  );
  const owned = new Set(
    record.goals.flatMap((goal) =>
      goal.session === session && goal.card_message !== null ? [goal.card_message] : [],
    ),
  );
  const broken: string[] = [];
  for (const run of record.runs.filter((one) => one.session === session)) {
    if (run.reply !== "settled") broken.push(`run ${run.id} is ${run.reply} to the end`);
    const rows = record.pages
      .filter((page) => page.run === run.id)
      .toSorted((one, other) => one.index - other.index);
    const pages = rows.flatMap(({ message }) => shown.find(({ id }) => id === message) ?? []);
    for (const { id } of pages) owned.add(id);
    const lost = rows.filter(({ message }) => !pages.some(({ id }) => id === message));
    for (const { index, message } of lost) {
      const at = taken.get(message ?? "");
      if (at === undefined) {
        broken.push(`page ${index} of run ${run.id} is not there, and nobody took it away`);
        continue;
      }
      // The last page changes at the end, so that it is noticed that it is not there any more.
      const isLast = index === rows.at(-1)?.index;
      const before = (record.endedAt.get(run.id) ?? 0) - MARGIN_MS;
      if (isLast && at < before && takenOf(record, run, taken).length === 1)
        broken.push(
          `page ${index} of run ${run.id} was taken away while it was written, and did not come back`,
        );
    }
    if (lost.length > 0) continue;
    const words = pages.flatMap(({ text }) => wordsOf(text)).join(" ");
    for (const { run: of, kind, body } of record.entries) {
      const said = of === run.id && kind === "assistant" ? wordsOf(body.text ?? "").join(" ") : "";
      if (!words.includes(said)) broken.push(`run ${run.id} does not show all of "${said.slice(0, 60)}"`);
    }
  }
  for (const { id, text, buttons } of shown) {
    if (!owned.has(id)) broken.push(`message ${id} belongs to no run: "${text.slice(0, 60)}"`);
    if (buttons.includes("stop")) broken.push(`message ${id} looks as if it were being written`);
  }
  return broken;
}

/** What was taken away in the time of the run: pages that came back have another message, so that only the time tells. */
function takenOf(
  { endedAt }: RepliesRecord,
  { id, started_at }: RepliesRecord["runs"][number],
  taken: ReadonlyMap<string, number>,
): readonly number[] {
  return [...taken.values()].filter((at) => at >= started_at && at <= (endedAt.get(id) ?? Infinity));
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
