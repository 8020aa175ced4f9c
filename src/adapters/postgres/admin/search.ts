/**
 * The search over entries: what is in many is found by walking back from the newest, what is in few by the index of words. Where the first
 * look does not fill the page, because most of what it found may not be read, does not fit or is of one thread, it goes on behind that, by
 * what each step has told.
 */

import { needsReason } from "../../../core/admin/needs-reason.ts";
import { TooBusy } from "../../../core/admin/too-busy.ts";
import { holds, snippetOf, type Wanted } from "../../../core/admin/words.ts";
import { labelOf } from "../../../core/label.ts";
import type { Found, Hit, HitMark, IsDirectAddress, Space } from "../../../core/ports/overviews.ts";
import { threadOf, type SessionId } from "../../../core/thread.ts";
import { toEntry } from "../entry-row.ts";
import type { Sql } from "../sql.ts";
import { LONGEST_MS, TOOK_TOO_LONG } from "./behind-others.ts";
import { textOfEntry } from "./entry-text.ts";
import { isDropped, nextLines, STRIDES, type Strides } from "./search-course.ts";
import {
  isOfThreads,
  seenStatement,
  statementOf,
  type FoundRow,
  type Lines,
  type SearchOptions,
  type SeenRow,
  type Statement,
  type Step,
  type Told,
} from "./search-step.ts";

export interface SearchDeps {
  readonly sql: Sql;
  readonly isDirectAddress: IsDirectAddress;
  /** ms of a clock that only goes forward. */
  readonly ticks: () => number;
  /** Default `STRIDES`. */
  readonly strides?: Strides;
}

type Ask = <R extends object>(statement: Statement) => Promise<readonly R[]>;

export async function search(
  deps: SearchDeps,
  space: Space,
  wanted: Wanted,
  options: SearchOptions,
): Promise<Found> {
  const { strides = STRIDES } = deps;
  const { before, filter = {} } = options;
  const limit = Math.max(1, Math.trunc(options.limit));
  const ask = askWithin(deps);
  const hits = new Map<SessionId, Hit>();
  const passed = new Set<SessionId>();
  /** The last entry of a thread that may be read: the place of any other is not told. */
  let readable: HitMark | undefined;
  /** Lines that were looked through. */
  let through = 0;
  let isInMany = false;
  const stepOf = (lines: Lines, from: HitMark | undefined, leftOut: Step["passed"]): Step => ({
    lines,
    from,
    passed: leftOut,
    limit: isOfThreads(leftOut, wanted) ? limit : strides.entries,
  });
  const isOfAll = before === undefined && Object.keys(filter).length === 0;
  let step = stepOf(
    { kind: "window", most: isOfAll ? strides.newest : strides.near },
    before,
    isOfAll ? undefined : passed,
  );

  try {
    for (;;) {
      const { lines } = step;
      const [told] = await ask<Told>(statementOf(space, wanted, options, step));
      if (told === undefined) throw new Error("a step of a search tells one row");
      const { rows, end } = told;
      isInMany ||= isDropped(lines, told);
      const isWhole = rows.length < step.limit && !isDropped(lines, told);
      const isLast = isWhole && (end === null || told.ofThreads === 0);
      let { from } = step;
      for (const [n, row] of rows.entries()) {
        const hit = hitIn(deps, row, wanted, options);
        const isNew = typeof hit === "object" && !hits.has(row.session);
        const isShown =
          isNew &&
          row.mayBeShown &&
          before !== undefined &&
          (await wasShown(ask, space, wanted, row, before));
        from = markOf(row);
        if (hit === "unreadable") passed.add(row.session);
        else readable = from;
        if (!isNew) continue;
        passed.add(row.session);
        if (isShown) continue;
        hits.set(row.session, hit);
        if (hits.size < limit) continue;
        const isEnd = isLast && n === rows.length - 1;
        return { hits: [...hits.values()], ...(isEnd ? {} : { older: from }), isOutOfTime: false };
      }
      if (isLast) return { hits: [...hits.values()], isOutOfTime: false };
      if (isWhole && end !== null) {
        const [at, session, seq] = end;
        from = { at, session, seq };
        if (lines.kind !== "threads") through += lines.most;
      }
      const progress = { isWhole, isInMany, through, hits: hits.size, missing: limit - hits.size };
      step = stepOf(nextLines(lines, told, progress, strides), from, passed);
    }
  } catch (error) {
    if (!(error instanceof TooBusy) || readable === undefined) throw error;
    return { hits: [...hits.values()], older: readable, isOutOfTime: true };
  }
}

/** The first question has the time that any has, and those behind it what that has left. */
function askWithin({ sql, ticks }: SearchDeps): Ask {
  const begun = ticks();
  let isFirst = true;
  return async <R extends object>({ text, values }: Statement) => {
    const leftMs = LONGEST_MS - (ticks() - begun);
    if (isFirst) {
      isFirst = false;
      return sql.query<R>({ text }, values);
    }
    if (leftMs < 1) throw new TooBusy(TOOK_TOO_LONG);
    return sql.transaction(async (tx) => {
      await tx.query({ text: "select set_config('statement_timeout', $1, true)" }, [
        `${Math.ceil(leftMs)}ms`,
      ]);
      return tx.query<R>({ text }, values);
    });
  };
}

function markOf({ entry: [at, [seq]], session }: FoundRow): HitMark {
  return { at, session, seq };
}

function hitIn(
  { isDirectAddress }: SearchDeps,
  { entry, session, said, title, isDirect, isPrivate: told, firstName }: FoundRow,
  wanted: Wanted,
  { opened }: SearchOptions,
): Hit | "unreadable" | "scattered" {
  const isAlone = isDirect || isDirectAddress(threadOf(session));
  const isPrivate = told ?? true;
  if (needsReason({ isDirect: isAlone, isPrivate }) && !opened.has(session)) return "unreadable";
  const [at, stored] = entry;
  const { epoch, seq, body } = toEntry(stored);
  const text = textOfEntry(body);
  if (!holds(text, wanted)) return "scattered";
  const label = labelOf({ title: title ?? undefined, firstText: said ?? undefined });
  const named = firstName === null ? {} : { firstName };
  const where = { session, label, isDirect: isAlone, isPrivate, ...named };
  return { ...where, epoch, seq, at, snippet: snippetOf(text, wanted) };
}

/** So many lines of a thread are read at a time, to find one that a page before has shown. */
const SEEN_AT_ONCE = 300;

/** Whether a page before has shown the thread of `row`: some line that was seen does not only hold the words but is one that was meant. */
async function wasShown(
  ask: Ask,
  space: Space,
  wanted: Wanted,
  { session }: FoundRow,
  before: HitMark,
): Promise<boolean> {
  for (let from: HitMark | undefined; ;) {
    const rows: readonly SeenRow[] = await ask(
      seenStatement(space, wanted, session, { before, from, limit: SEEN_AT_ONCE }),
    );
    if (rows.some(({ entry: [, stored] }) => holds(textOfEntry(toEntry(stored).body), wanted))) return true;
    const last = rows.at(-1);
    if (last === undefined || rows.length < SEEN_AT_ONCE) return false;
    from = { at: last.entry[0], session, seq: last.entry[1][0] };
  }
}
