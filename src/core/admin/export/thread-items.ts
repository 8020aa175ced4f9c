/** All lines of one thread, in the order in which things happened, however long it is: only a piece of each kind is held. */

import type { Exports, Piece } from "../../ports/exports.ts";
import type { Overview } from "../../ports/overviews.ts";
import {
  callItem,
  entryItem,
  goalItem,
  inboundItem,
  remarkItem,
  runItem,
  threadItem,
  type ExportItem,
  type Mask,
} from "./items.ts";

/** One question to the store, asked again where others have it busy. */
export type Ask = <T>(question: () => Promise<T>) => Promise<T>;

interface Dated<T> {
  readonly at: number;
  readonly value: T;
}

/** What comes next of a kind, and nothing of it before it is needed. */
interface Line {
  peek(): Promise<Dated<() => AsyncIterable<ExportItem> | Iterable<ExportItem>> | undefined>;
  take(): void;
}

export async function* itemsOf(
  exports: Exports,
  overview: Overview,
  ask: Ask,
  mask: Mask,
): AsyncGenerator<ExportItem, void, undefined> {
  const { session } = overview;
  const thread = await ask(() => exports.open(session));
  yield threadItem(overview, mask);
  for (const remark of thread.remarks) yield remarkItem(session, remark, mask);
  for (const step of thread.goals) yield goalItem(session, step, mask);

  // Of the same moment what people said stands first, and a run before what is of it.
  const lines: readonly Line[] = [
    lineOf(
      thread.inbounds,
      (last) => ask(() => exports.inbounds(session, last)),
      ({ receivedAt }) => receivedAt,
      (view) => [inboundItem(session, view, mask)],
    ),
    lineOf(
      thread.runs,
      (last) => ask(() => exports.runs(session, last)),
      ({ startedAt }) => startedAt,
      (run) => [runItem(session, run, mask), ...run.calls.map((call) => callItem(session, call))],
    ),
    lineOf(
      thread.entries,
      (last) => ask(() => exports.entries(session, last)),
      ({ at }) => at,
      async function* (stored) {
        const item = entryItem(session, stored, mask);
        yield item;
        const { run, round, call, at } = item;
        if (stored.fullLength === undefined || run === undefined || round === undefined || call === undefined)
          return;
        const content = await ask(() => exports.result(session, run, round, call));
        if (content !== undefined)
          yield { kind: "result", thread: session, at, run, round, call, content: mask(content) };
      },
    ),
  ];
  while (true) {
    let first: Line | undefined;
    let chosen: Awaited<ReturnType<Line["peek"]>>;
    for (const line of lines) {
      const next = await line.peek();
      if (next !== undefined && (chosen === undefined || next.at < chosen.at)) {
        first = line;
        chosen = next;
      }
    }
    if (first === undefined || chosen === undefined) return;
    first.take();
    yield* chosen.value();
  }
}

function lineOf<T>(
  piece: Piece<T>,
  next: (last: T) => Promise<Piece<T>>,
  at: (item: T) => number,
  write: (item: T) => AsyncIterable<ExportItem> | Iterable<ExportItem>,
): Line {
  let { items, hasMore } = piece;
  let n = 0;
  return {
    async peek() {
      const last = items.at(-1);
      if (n >= items.length && hasMore && last !== undefined) {
        ({ items, hasMore } = await next(last));
        n = 0;
      }
      const item = items[n];
      return item === undefined ? undefined : { at: at(item), value: () => write(item) };
    },
    take() {
      n += 1;
    },
  };
}
