/**
 * The search over entries: what is in many is found by walking back from the newest, what is in few by the index of words. Where the first
 * look does not fill the page, because most of what it found may not be read, does not fit or is of one thread, it goes on behind that.
 */

import { needsReason } from "../../../core/admin/needs-reason.ts";
import { TooBusy } from "../../../core/admin/too-busy.ts";
import { holds, isExact, snippetOf, type Wanted } from "../../../core/admin/words.ts";
import { labelOf } from "../../../core/label.ts";
import type {
  Found,
  Hit,
  HitMark,
  IsDirectAddress,
  Overviews,
  Space,
} from "../../../core/ports/overviews.ts";
import { threadOf, type SessionId } from "../../../core/thread.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "../entry-row.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { LONGEST_MS, TOOK_TOO_LONG } from "./behind-others.ts";
import { IS_PRIVATE } from "./channel-privacy.ts";
import { textOfEntry } from "./entry-text.ts";
import { conditionsOf } from "./overview-filter.ts";
import { placeWord } from "./overview-maker.ts";

export interface SearchDeps {
  readonly sql: Sql;
  readonly isDirectAddress: IsDirectAddress;
  /** ms of a clock that only goes forward. */
  readonly ticks: () => number;
}

/** So many entries are looked at in one step. Where each that is found is one that was meant, later steps look at one of each thread. */
const LOOKED_AT = 300;

/**
 * `newest`: of the newest 20,000 lines, where what is in many entries is found without reading all of the others; `near`: of 5,000, behind
 * a look that found many. `all`: by the index of words, for what is in few.
 */
type Lines = "near" | "newest" | "all";

const WINDOW = { near: 5_000, newest: 20_000 } as const;

interface Step {
  readonly lines: Lines;
  /** It begins behind this entry; undefined for the newest. */
  readonly from: HitMark | undefined;
  /** Threads that are not looked at again; undefined where nothing is chosen before the entries are counted, as in the usual first look. */
  readonly passed: ReadonlySet<SessionId> | undefined;
}

type Options = Parameters<Overviews["search"]>[2];

interface FoundRow {
  readonly entry: readonly [number, EntryRow];
  readonly session: SessionId;
  readonly said: string | null;
  readonly title: string | null;
  readonly isDirect: boolean;
  readonly isPrivate: boolean | null;
  readonly firstName: string | null;
}

export async function search(
  deps: SearchDeps,
  space: Space,
  wanted: Wanted,
  options: Options,
): Promise<Found> {
  const { sql, ticks } = deps;
  const { limit, before, filter = {} } = options;
  const begun = ticks();
  const hits = new Map<SessionId, Hit>();
  const passed = new Set<SessionId>();
  let step: Step = {
    lines: before === undefined ? "newest" : "near",
    from: before,
    passed: before === undefined && Object.keys(filter).length === 0 ? undefined : passed,
  };
  /** The last entry of a thread that may be read: the place of any other is not told. */
  let readable: HitMark | undefined;
  const outOfTime = (cause?: unknown): Found => {
    if (readable === undefined) throw new TooBusy(TOOK_TOO_LONG, { cause });
    return { hits: [...hits.values()], older: readable, isOutOfTime: true };
  };

  for (let isFirst = true; ; isFirst = false) {
    const leftMs = LONGEST_MS - (ticks() - begun);
    if (!isFirst && leftMs < 1) return outOfTime();
    const rows = await ask(
      sql,
      statementOf(space, wanted, options, step),
      isFirst ? undefined : leftMs,
    ).catch((error: unknown) => {
      if (!(error instanceof TooBusy) || readable === undefined) throw error;
      return error;
    });
    if (rows instanceof TooBusy) return outOfTime(rows);
    const isWhole = rows.length < lookedAt(step, wanted, limit);
    const isLast = step.lines === "all" && isWhole;
    let from = step.from;
    for (const [n, row] of rows.entries()) {
      from = markOf(row);
      const hit = hitIn(deps, row, wanted, options);
      if (hit === "unreadable") passed.add(row.session);
      else readable = from;
      if (typeof hit !== "object" || hits.has(row.session)) continue;
      hits.set(row.session, hit);
      passed.add(row.session);
      if (hits.size < limit) continue;
      const isEnd = isLast && n === rows.length - 1;
      return { hits: [...hits.values()], ...(isEnd ? {} : { older: from }), isOutOfTime: false };
    }
    if (isLast) return { hits: [...hits.values()], isOutOfTime: false };
    // Few among the newest: of more, then by the index of words, and behind what was seen. Many, and not enough threads: on behind them.
    if (isWhole) step = { lines: step.lines === "near" ? "newest" : "all", from, passed: step.passed };
    else step = { lines: step.lines === "all" ? "all" : "near", from, passed };
  }
}

/** Whether a step is of the newest entry of each thread. */
const isOfThreads = ({ passed }: Step, wanted: Wanted): boolean => passed !== undefined && isExact(wanted);

/** Of each thread one is enough to fill the page. */
const lookedAt = (step: Step, wanted: Wanted, limit: number): number =>
  isOfThreads(step, wanted) ? Math.max(1, Math.trunc(limit)) : LOOKED_AT;

async function ask(
  sql: Sql,
  { text, values }: Statement,
  withinMs: number | undefined,
): Promise<readonly FoundRow[]> {
  if (withinMs === undefined) return sql.query<FoundRow>({ text }, values);
  return sql.transaction(async (tx) => {
    await tx.query({ text: "select set_config('statement_timeout', $1, true)" }, [
      `${Math.ceil(withinMs)}ms`,
    ]);
    return tx.query<FoundRow>({ text }, values);
  });
}

function markOf({ entry: [at, [seq]], session }: FoundRow): HitMark {
  return { at, session, seq };
}

function hitIn(
  { isDirectAddress }: SearchDeps,
  { entry, session, said, title, isDirect, isPrivate: told, firstName }: FoundRow,
  wanted: Wanted,
  { opened }: Options,
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

interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What is found is put together first, so that no look for the newest reads all lines in search of one. */
function statementOf(
  { platform, space }: Space,
  wanted: Wanted,
  { before, opened, limit, filter = {} }: Options,
  step: Step,
): Statement {
  const { lines, from, passed } = step;
  const values: SqlValue[] = [];
  const given = (value: SqlValue): string => `$${values.push(value)}`;
  const query = `${given(queryOf(placeWord(platform, space), wanted))}::tsquery`;
  const place = (mark: HitMark): string =>
    `(${given(mark.at)}::bigint, ${given(mark.session)}::text, ${given(mark.seq)}::bigint)`;
  const behind = (row: string): string =>
    from === undefined ? "true" : `(${row}.at, ${row}.session, ${row}.seq) < ${place(from)}`;
  const ofSpace = `o.platform = ${given(platform)} and o.space = ${given(space)}`;
  // By the index of words only what they find is told: of a place as well the planner would read all lines behind that.
  const found =
    lines === "all"
      ? `select l.session, l.epoch, l.seq, l.at from search_lines l where l.words @@ ${query}`
      : `select l.session, l.epoch, l.seq, l.at from (
    select l.session, l.epoch, l.seq, l.at, l.words from search_lines l where ${behind("l")}
    order by l.at desc, l.session desc, l.seq desc limit ${WINDOW[lines]}) l
  where l.words @@ ${query}`;
  const chosen = `select ${isOfThreads(step, wanted) ? "distinct on (n.session)" : ""} n.session, n.epoch, n.seq, n.at
    from found n where ${lines === "all" ? behind("n") : "true"}${isOfThreads(step, wanted) ? " order by n.session, n.at desc, n.seq desc" : ""}`;

  let narrowed = "";
  if (passed !== undefined) {
    const listed = (sessions: ReadonlySet<SessionId>): string =>
      `(select jsonb_array_elements_text(${given(JSON.stringify([...sessions]))}::jsonb))`;
    const wheres = [
      ofSpace,
      `(not o.is_direct and not coalesce(${IS_PRIVATE}, true) or o.session in ${listed(opened)})`,
      `o.session not in ${listed(passed)}`,
      ...conditionsOf(filter, given),
    ];
    // What a page before this one has shown stands there; only where each line that has the words is one that was meant.
    if (before !== undefined && isExact(wanted)) {
      const isShown = `(n.at, n.session, n.seq) >= ${place(before)}`;
      wheres.push(
        lines === "all"
          ? `o.session not in (select n.session from found n where ${isShown})`
          : `(select 1 from search_lines n where n.session = o.session and n.words @@ ${query} and ${isShown} limit 1) is null`,
      );
    }
    narrowed = `join overviews o on o.session = f.session where ${wheres.join(" and ")}`;
  }
  return {
    text: `
with found as materialized (${found})
select json_build_array(l.at, ${ENTRY_JSON}) as entry, l.session, o.said, s.title, o.is_direct as "isDirect", o.first_name as "firstName",
  ${IS_PRIVATE} as "isPrivate"
from (
  select f.session, f.epoch, f.seq, f.at from (${chosen}) f ${narrowed}
  order by f.at desc, f.session desc, f.seq desc limit ${lookedAt(step, wanted, limit)}) l
join entries e on e.session = l.session and e.epoch = l.epoch and e.seq = l.seq
join overviews o on o.session = l.session
join sessions s on s.id = l.session
where ${ofSpace}
order by l.at desc, l.session desc, l.seq desc`,
    values,
  };
}

/** Words hold letters and digits only, so a quote is all that is needed around them. */
function queryOf(place: string, { words }: Wanted): string {
  const all = [{ text: place, isBeginning: false }, ...words];
  return all
    .map(({ text, isBeginning }) => `'${text.replaceAll("'", "''")}'${isBeginning ? ":*" : ""}`)
    .join(" & ");
}
