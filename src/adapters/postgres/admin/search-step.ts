/** What one step of a search reads, its statement, and what it tells. */

import { isExact, type Wanted } from "../../../core/admin/words.ts";
import type { HitMark, Overviews, Space } from "../../../core/ports/overviews.ts";
import type { SessionId } from "../../../core/thread.ts";
import { ENTRY_JSON, type EntryRow } from "../entry-row.ts";
import type { SqlValue } from "../sql.ts";
import { IS_PRIVATE } from "./channel-privacy.ts";
import { conditionsOf } from "./overview-filter.ts";
import { placeWord } from "./overview-maker.ts";

/**
 * `window`: the next so many lines with their words. `places`: the next so many by the index of their places alone, and the words of those
 * in threads that fit the filter. `threads`: all lines of threads that fit it. `words`: by the index of words, which knows no order, and no
 * more than so many.
 */
export type Lines =
  | { readonly kind: "window" | "places" | "words"; readonly most: number }
  | { readonly kind: "threads" };

export interface Step {
  readonly lines: Lines;
  /** It begins behind this entry; undefined for the newest. */
  readonly from: HitMark | undefined;
  /** Threads that are not looked at again; undefined where nothing is chosen before the entries are counted, as in the usual first look. */
  readonly passed: ReadonlySet<SessionId> | undefined;
  /** So many entries at most. */
  readonly limit: number;
}

export interface Told {
  /** Lines that hold the words, whether they fit or not. */
  readonly found: number;
  /** The last line of its window; null where nothing is behind it. */
  readonly end: readonly [at: number, session: string, seq: number] | null;
  /** About so many lines have all threads that fit the filter; null where there is no filter, and where the step gave as much as it may. */
  readonly ofThreads: number | null;
  /** The newest first. */
  readonly rows: readonly FoundRow[];
}

export interface FoundRow {
  readonly entry: readonly [at: number, entry: EntryRow];
  readonly session: SessionId;
  readonly said: string | null;
  readonly title: string | null;
  readonly isDirect: boolean;
  readonly isPrivate: boolean | null;
  readonly firstName: string | null;
  /** A page before has seen lines of this thread that hold the words: whether one was meant is not known. */
  readonly mayBeShown: boolean;
}

export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export type SearchOptions = Parameters<Overviews["search"]>[2];

/** Whether a step is of the newest entry of each thread. @param passed threads that it leaves out. */
export const isOfThreads = (passed: Step["passed"], wanted: Wanted): boolean =>
  passed !== undefined && isExact(wanted);

/**
 * What is found is put together first, so that no look for the newest reads all lines in search of one. `offset 0` and `is true` keep the
 * planner from more than is written: what it thinks of words together is often wrong a thousandfold.
 */
export function statementOf(
  { platform, space }: Space,
  wanted: Wanted,
  { before, opened, filter = {} }: Omit<SearchOptions, "limit">,
  step: Step,
): Statement {
  const { lines, from, passed, limit } = step;
  const { values, given, query, place } = valuesOf({ platform, space }, wanted);
  const behindFrom = from === undefined ? undefined : place(from);
  const behind = (row: string): string =>
    behindFrom === undefined ? "true" : `(${row}.at, ${row}.session, ${row}.seq) < ${behindFrom}`;
  const ofSpace = `o.platform = ${given(platform)} and o.space = ${given(space)}`;

  const fits: string[] = [ofSpace];
  if (passed !== undefined) {
    const listed = (sessions: ReadonlySet<SessionId>): string =>
      `(select jsonb_array_elements_text(${given(JSON.stringify([...sessions]))}::jsonb))`;
    const open = `select p.channel from channel_privacy p
      where p.platform = ${given(platform)} and p.space = ${given(space)} and not p.is_private`;
    fits.push(
      `(not o.is_direct and o.channel in (${open}) or o.session in ${listed(opened)})`,
      `o.session not in ${listed(passed)}`,
      ...conditionsOf(filter, given),
    );
  }
  const hasFilter = Object.keys(filter).length > 0;
  const isWindow = lines.kind === "window" || lines.kind === "places";
  const ofThreads = isOfThreads(passed, wanted);
  const first = isWindow ? [] : [behind("n")];
  if (lines.kind === "words") first.push(`(select count(*) <= ${lines.most} from found)`);
  const counted = `from found n where ${["true", ...first].join(" and ")}`;
  const newest = ofThreads
    ? `select distinct on (n.session) n.session, n.epoch, n.seq, n.at ${counted} order by n.session, n.at desc, n.seq desc`
    : `select n.session, n.epoch, n.seq, n.at ${counted}`;

  // What a page before this one has seen of a thread.
  const isSeen = before === undefined ? "false" : `(n.at, n.session, n.seq) >= ${place(before)}`;
  const seenOf = (row: string): string =>
    `(select 1 from search_lines n where n.session = ${row}.session and n.words @@ ${query} and ${isSeen} limit 1)`;
  const unseen: string[] = [];
  if (before !== undefined && isExact(wanted))
    unseen.push(
      isWindow
        ? `${seenOf("f")} is null`
        : `f.session not in (select n.session from found n where ${isSeen})`,
    );

  return {
    text: `
with ${hasFilter ? `threads as materialized (select o.session, o.seq from overviews o where ${fits.join(" and ")}),` : ""}
${foundOf(lines, query, behind, ofThreads)},
chosen as materialized (
  select f.session, f.epoch, f.seq, f.at from (${newest}) f ${passed === undefined ? "" : narrowedBy(lines, fits, unseen)}
  order by ${backwards("f")} limit ${limit})
select (select count(*) from found) as found, ${isWindow ? endOf(lines.most, behind) : "null"} as "end",
  ${hasFilter ? `case when (select count(*) from chosen) < ${limit} then (select coalesce(sum(t.seq), 0)::bigint from threads t) end` : "null"} as "ofThreads",
  (select coalesce(json_agg(h order by h.at desc, h.session desc, h.seq desc), '[]') from (
    select json_build_array(l.at, ${ENTRY_JSON}) as entry, l.at, l.session, l.seq, o.said, s.title, o.is_direct as "isDirect",
      o.first_name as "firstName", ${IS_PRIVATE} as "isPrivate", ${isExact(wanted) ? "false" : `${seenOf("l")} is not null`} as "mayBeShown"
    from chosen l
    join entries e on e.session = l.session and e.epoch = l.epoch and e.seq = l.seq
    join overviews o on o.session = l.session
    join sessions s on s.id = l.session
    where ${ofSpace}) h) as rows`,
    values,
  };
}

/** SQL: which rows `f` are of threads that fit. Of a window each is looked up, since to look at all threads first takes longer. */
function narrowedBy({ kind }: Lines, fits: readonly string[], unseen: readonly string[]): string {
  switch (kind) {
    case "window":
      return `cross join lateral (
    select from overviews o where ${["o.session = f.session", ...fits, ...unseen].join(" and ")} offset 0) o`;
    case "words":
      return `join overviews o on o.session = f.session where ${[...fits, ...unseen].join(" and ")}`;
    case "places":
    case "threads":
      return unseen.length === 0 ? "" : `where ${unseen.join(" and ")}`;
    default:
      return kind satisfies never;
  }
}

/** SQL: `found`, the lines that hold the words. @param ofThreads only the newest of each thread is needed. */
function foundOf(lines: Lines, query: string, behind: (row: string) => string, ofThreads: boolean): string {
  switch (lines.kind) {
    case "window":
      return `found as materialized (
  select l.session, l.epoch, l.seq, l.at from (
    select l.session, l.epoch, l.seq, l.at, l.words from search_lines l where ${behind("l")}
    order by ${backwards("l")} limit ${lines.most}) l
  where l.words @@ ${query})`;
    case "places":
      return `found as materialized (
  select l.session, w.epoch, l.seq, l.at from (
    select l.at, l.session, l.seq from search_lines l where ${behind("l")}
    order by ${backwards("l")} limit ${lines.most}) l
  cross join lateral (
    select w.epoch, w.words from search_lines w
    where w.at = l.at and w.session = l.session and w.seq = l.seq offset 0) w
  where (l.session in (select t.session from threads t)) is true and w.words @@ ${query})`;
    case "threads":
      return `found as materialized (
  select l.session, l.epoch, l.seq, l.at from threads t
  cross join lateral (
    select l.session, l.epoch, l.seq, l.at from (select * from search_lines l where l.session = t.session offset 0) l
    where l.words @@ ${query}${ofThreads ? " order by l.at desc, l.seq desc limit 1" : ""}) l)`;
    case "words":
      // Only what it finds is told: of a place as well the planner would read all lines behind that, and of a limit it would not ask the index.
      return `worded as materialized (
  select l.session, l.epoch, l.seq, l.at from search_lines l where l.words @@ ${query}),
found as materialized (select n.* from worded n limit ${lines.most + 1})`;
    default:
      return lines satisfies never;
  }
}

/** SQL: the last line of a window; null where there are fewer lines than it may have. */
const endOf = (most: number, behind: (row: string) => string): string => `(
    select json_build_array(l.at, l.session, l.seq) from (
      select l.at, l.session, l.seq from search_lines l where ${behind("l")}
      order by ${backwards("l")} offset ${most - 1} limit 1) l)`;

export interface SeenRow {
  readonly entry: readonly [at: number, entry: EntryRow];
}

/** Lines of a thread that hold the words and that a page before has seen: not older than `before`, and behind `from`. */
export function seenStatement(
  space: Space,
  wanted: Wanted,
  session: SessionId,
  {
    before,
    from,
    limit,
  }: { readonly before: HitMark; readonly from: HitMark | undefined; readonly limit: number },
): Statement {
  const { values, given, query, place } = valuesOf(space, wanted);
  const row = "(l.at, l.session, l.seq)";
  return {
    text: `
select json_build_array(l.at, ${ENTRY_JSON}) as entry from (
  select * from search_lines l where l.session = ${given(session)} offset 0) l
join entries e on e.session = l.session and e.epoch = l.epoch and e.seq = l.seq
where l.words @@ ${query} and ${row} >= ${place(before)}${from === undefined ? "" : ` and ${row} < ${place(from)}`}
order by ${backwards("l")} limit ${limit}`,
    values,
  };
}

const backwards = (row: string): string => `${row}.at desc, ${row}.session desc, ${row}.seq desc`;

function valuesOf({ platform, space }: Space, wanted: Wanted) {
  const values: SqlValue[] = [];
  const given = (value: SqlValue): string => `$${values.push(value)}`;
  return {
    values,
    given,
    query: `${given(queryOf(placeWord(platform, space), wanted))}::tsquery`,
    place: (mark: HitMark): string =>
      `(${given(mark.at)}::bigint, ${given(mark.session)}::text, ${given(mark.seq)}::bigint)`,
  };
}

/** Words hold letters and digits only, so a quote is all that is needed around them. */
function queryOf(place: string, { words }: Wanted): string {
  const all = [{ text: place, isBeginning: false }, ...words];
  return all
    .map(({ text, isBeginning }) => `'${text.replaceAll("'", "''")}'${isBeginning ? ":*" : ""}`)
    .join(" & ");
}
