/** The list of threads and the search over them. What changes all the time (is it running?) is read for those that are shown. */

import { needsReason } from "../../../core/admin/needs-reason.ts";
import { holds, snippetOf, type Wanted } from "../../../core/admin/words.ts";
import { labelOf } from "../../../core/label.ts";
import type { Hit, IsDirectAddress, Overview, Overviews, Space } from "../../../core/ports/overviews.ts";
import { threadOf, type SessionId } from "../../../core/thread.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "../entry-row.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { IS_PRIVATE } from "./channel-privacy.ts";
import { textOfEntry } from "./entry-text.ts";
import { conditionsOf } from "./overview-filter.ts";
import { placeWord } from "./overview-maker.ts";
import { OVERVIEW_COLUMNS, toOverview, type OverviewRow } from "./overview-row.ts";

const shownOf = (chosen: string): string => `
select ${OVERVIEW_COLUMNS} from (${chosen}) o join sessions s on s.id = o.session order by o.touched_at desc, o.session desc`;

/**
 * @param isDirectAddress of all platforms: a goal, a branch and what was refused leave no message that says that a thread is direct, and
 * the address does. @param dear for questions that may read a whole space. Default the same database.
 */
export function createOverviews(sql: Sql, isDirectAddress: IsDirectAddress, dear: Sql = sql): Overviews {
  async function read(
    chosen: string,
    values: readonly SqlValue[],
    from: Sql = sql,
  ): Promise<readonly Overview[]> {
    return (await from.query<OverviewRow>({ text: shownOf(chosen) }, values)).map((row) =>
      toOverview(row, isDirectAddress),
    );
  }

  return {
    list({ platform, space }, filter, { after, limit }) {
      const values: SqlValue[] = [platform, space];
      const given = (value: SqlValue): string => `$${values.push(value)}`;
      const wheres = conditionsOf(filter, given);
      if (after !== undefined) {
        // Each half by itself, so that the index is entered there.
        const at = given(Math.round(after.touchedAt));
        wheres.push(
          `o.touched_at <= ${at}::bigint and (o.touched_at, o.session) < (${at}::bigint, ${given(after.session)})`,
        );
      }
      const more = wheres.map((where) => ` and ${where}`).join("");
      return read(
        `select * from overviews o where o.platform = $1 and o.space = $2${more}
order by o.touched_at desc, o.session desc limit ${fixed(limit)}`,
        values,
        Object.keys(filter).length === 0 ? sql : dear,
      );
    },
    async get({ platform, space }, session) {
      const chosen = `select * from overviews o where o.session = $1 and o.platform = $2 and o.space = $3`;
      return (await read(chosen, [session, platform, space]))[0];
    },
    async find({ platform, space }, parts, limit) {
      const values: SqlValue[] = [platform, space];
      const given = (value: SqlValue): string => `$${values.push(value)}`;
      const likes = parts.map((part) => `o.session like '%' || ${given(escaped(part))} || '%'`);
      const runs = parts.map((part) => `select r.session from runs r where r.id = ${given(part)}`);
      return read(
        `select * from overviews o where o.platform = $1 and o.space = $2
  and ((${likes.join(" and ")}) or o.session in (${runs.join(" union all ")}))
order by o.touched_at desc, o.session desc limit ${fixed(limit)}`,
        values,
        dear,
      );
    },
    search: (space, wanted, options) => search(dear, isDirectAddress, space, wanted, options),
  };
}

/**
 * A number within the statement itself: of a limit that it is not told Postgres expects a tenth of all rows, and reads all sessions to join
 * fifty.
 */
const fixed = (limit: number): string => String(Math.max(0, Math.trunc(limit)));

/** What LIKE would read as more than itself. */
function escaped(part: string): string {
  return part.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);
}

/** So many entries are looked at for one page of hits: of many in one thread one is shown. */
const LOOKED_AT = 300;

/** Of the newest so many lines: what is in many entries is found there, without reading all of the others. */
const NEWEST = `select * from (
    select l.session, l.epoch, l.seq, l.at, l.words from search_lines l where $2::bigint is null or l.at < $2
    order by l.at desc, l.session desc, l.seq desc limit 20000) l
  where l.words @@ $1::tsquery`;

/** Of all, by the index of words: for what is in few. */
const ALL = `select l.session, l.epoch, l.seq, l.at from search_lines l
  where l.words @@ $1::tsquery and ($2::bigint is null or l.at < $2)`;

/** Put together first, so that no look for the newest reads all lines in search of one. */
const searchIn = (lines: string): string => `
with found as materialized (${lines})
select json_build_array(l.at, ${ENTRY_JSON}) as entry, l.session, o.said, s.title, o.is_direct as "isDirect", o.first_name as "firstName",
  ${IS_PRIVATE} as "isPrivate"
from (
  select f.session, f.epoch, f.seq, f.at from found f
  order by f.at desc, f.session desc, f.seq desc limit ${LOOKED_AT}) l
join entries e on e.session = l.session and e.epoch = l.epoch and e.seq = l.seq
join overviews o on o.session = l.session
join sessions s on s.id = l.session
where o.platform = $3 and o.space = $4
order by l.at desc, l.session desc, l.seq desc`;

interface FoundRow {
  readonly entry: readonly [number, EntryRow];
  readonly session: SessionId;
  readonly said: string | null;
  readonly title: string | null;
  readonly isDirect: boolean;
  readonly isPrivate: boolean | null;
  readonly firstName: string | null;
}

async function search(
  sql: Sql,
  isDirectAddress: IsDirectAddress,
  { platform, space }: Space,
  wanted: Wanted,
  { limit, before, opened }: Parameters<Overviews["search"]>[2],
): Promise<readonly Hit[]> {
  const values = [queryOf(placeWord(platform, space), wanted), before ?? null, platform, space];
  const ask = (lines: string): Promise<readonly FoundRow[]> =>
    sql.query<FoundRow>({ text: searchIn(lines) }, values);
  const newest = await ask(NEWEST);
  const found = hitsIn(newest, isDirectAddress, wanted, limit, opened);
  // The newest of all are among them: where they fill the page, or all that is looked at, the others are not asked for.
  if (found.length >= limit || newest.length >= LOOKED_AT) return found;
  return hitsIn(await ask(ALL), isDirectAddress, wanted, limit, opened);
}

/** One for each thread, in the order of the rows. */
function hitsIn(
  rows: readonly FoundRow[],
  isDirectAddress: IsDirectAddress,
  wanted: Wanted,
  limit: number,
  opened: ReadonlySet<SessionId>,
): readonly Hit[] {
  const hits = new Map<SessionId, Hit>();
  for (const { entry, session, said, title, isDirect, isPrivate: told, firstName } of rows) {
    if (hits.has(session)) continue;
    const isAlone = isDirect || isDirectAddress(threadOf(session));
    const isPrivate = told ?? true;
    if (needsReason({ isDirect: isAlone, isPrivate }) && !opened.has(session)) continue;
    const [at, stored] = entry;
    const { epoch, seq, body } = toEntry(stored);
    const text = textOfEntry(body);
    if (!holds(text, wanted)) continue;
    const label = labelOf({ title: title ?? undefined, firstText: said ?? undefined });
    const named = firstName === null ? {} : { firstName };
    const where = { session, label, isDirect: isAlone, isPrivate, ...named };
    hits.set(session, { ...where, epoch, seq, at, snippet: snippetOf(text, wanted) });
    if (hits.size >= limit) break;
  }
  return [...hits.values()];
}

/** Words hold letters and digits only, so a quote is all that is needed around them. */
function queryOf(place: string, { words }: Wanted): string {
  const all = [{ text: place, isBeginning: false }, ...words];
  return all
    .map(({ text, isBeginning }) => `'${text.replaceAll("'", "''")}'${isBeginning ? ":*" : ""}`)
    .join(" & ");
}
