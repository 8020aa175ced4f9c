/** What a filter of the list means in SQL. */

import type { OverviewFilter } from "../../../core/ports/overviews.ts";
import type { SqlValue } from "../sql.ts";

const FAILED = `(o.has_error or coalesce(o.reason, '') in ('error', 'timeout', 'stuck', 'max_turns', 'max_tokens'))`;

/** One in a hundred, by the hash of the id: the same threads for everybody, and whenever one looks. */
const IN_SAMPLE = `('x' || left(md5(o.session), 8))::bit(32)::bigint % 100 = 0`;

const UNREVIEWED = `not exists (
  select from thread_reviews v where v.session = o.session and v.reviewed_at >= o.touched_at)`;

/** What is reviewed is nobody's any more until something happens in it. */
const ofReviewer = (person: string): string => `(exists (
    select from thread_reviews v where v.session = o.session and v.assignee = ${person}
      and coalesce(v.reviewed_at, 0) < o.touched_at)
  or exists (
    select from remarks m where m.session = o.session and m.assignee = ${person} and m.resolved_at is null and m.kind <> 'note'))`;

/** @param given takes a value and says how it is named in the statement. @returns conditions on the row `o` of `overviews`. */
export function conditionsOf(filter: OverviewFilter, given: (value: SqlValue) => string): string[] {
  const wheres: string[] = [];
  const { channel, person, model, reason, costOver, from, to, queue, reviewer } = filter;
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
  if (queue === "failures") wheres.push(FAILED);
  if (queue === "sample") wheres.push(`not ${FAILED} and ${IN_SAMPLE}`);
  if (filter.isUnreviewed) wheres.push(UNREVIEWED);
  if (reviewer !== undefined) wheres.push(ofReviewer(given(reviewer)));
  return wheres;
}
