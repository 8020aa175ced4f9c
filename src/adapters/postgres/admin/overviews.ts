/** The list of threads, and finding one by its id. What changes all the time (is it running?) is read for those that are shown. */

import type { IsDirectAddress, Overview, Overviews } from "../../../core/ports/overviews.ts";
import type { Sql, SqlValue } from "../sql.ts";
import { conditionsOf } from "./overview-filter.ts";
import { OVERVIEW_COLUMNS, toOverview, type OverviewRow } from "./overview-row.ts";
import { search } from "./search.ts";

const shownOf = (chosen: string): string => `
select ${OVERVIEW_COLUMNS} from (${chosen}) o join sessions s on s.id = o.session order by o.touched_at desc, o.session desc`;

/**
 * @param isDirectAddress of all platforms: a goal, a branch and what was refused leave no message that says that a thread is direct, and
 * the address does. @param dear for questions that may read a whole space. Default the same database. @param ticks ms of a clock that only goes
 * forward, by which a search ends. Default the process's.
 */
export function createOverviews(
  sql: Sql,
  isDirectAddress: IsDirectAddress,
  dear: Sql = sql,
  ticks: () => number = () => performance.now(),
): Overviews {
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
    search: (space, wanted, options) => search({ sql: dear, isDirectAddress, ticks }, space, wanted, options),
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
