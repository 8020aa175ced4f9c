/** What a filter of the list means in SQL. */

import type { OverviewFilter } from "../../../core/ports/overviews.ts";
import type { SqlValue } from "../sql.ts";

/** @param given takes a value and says how it is named in the statement. @returns conditions on the row `o` of `overviews`. */
export function conditionsOf(filter: OverviewFilter, given: (value: SqlValue) => string): string[] {
  const wheres: string[] = [];
  const { channel, person, model, reason, costOver, from, to } = filter;
  if (channel !== undefined) wheres.push(`o.channel = ${given(channel)}`);
  if (person !== undefined) wheres.push(`o.people @> ${given(JSON.stringify([person]))}::jsonb`);
  if (model !== undefined) wheres.push(`o.model = ${given(model)}`);
  if (reason !== undefined) wheres.push(`o.reason = ${given(reason)}`);
  if (costOver !== undefined) wheres.push(`o.cost > ${given(costOver)}::double precision`);
  if (from !== undefined) wheres.push(`o.touched_at >= ${given(Math.round(from))}::bigint`);
  if (to !== undefined) wheres.push(`o.touched_at < ${given(Math.round(to))}::bigint`);
  if (filter.hasError) wheres.push(`o.has_error`);
  if (filter.hasGoal) wheres.push(`o.has_goal`);
  if (filter.isFlagged) wheres.push(`o.flags > 0`);
  return wheres;
}
