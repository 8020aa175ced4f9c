/**
 * How many turns of goals run in a space, counted where the next one is begun. Two that begin at once take the space's row one after the
 * other, so neither takes the place that the other has counted as free.
 */

import { threadOf, type SessionId } from "../../core/thread.ts";
import { hasWork } from "./ledger-sql.ts";
import type { Sql } from "./sql.ts";

/** A worker that says nothing of its run for so long has died, and its place is free, ms. */
const SILENT_MS = 30_000;

export function spaceOf(session: SessionId): string {
  const { platform, space } = threadOf(session);
  return `${platform}:${space}`;
}

/** SQL: the same of the session that is this expression. */
export const spaceIn = (session: string): string =>
  `split_part(${session}, ':', 1) || ':' || split_part(${session}, ':', 2)`;

/** SQL: whether the run `r` of the session `o` takes a place. */
export const RUNNING = `r.cause = 'continuation' and r.reply = 'open' and o.touched_at > now_ms() - ${SILENT_MS}`;

/** SQL: how many there are in the space that is this expression. */
export const busy = (space: string): string => `(
  select count(*) from runs r join sessions o on o.id = r.session
  where ${RUNNING} and starts_with(r.session, ${space} || ':'))`;

/** SQL: the CTEs up to `placed`, which has a row where there is a free place. @param first the space's parameter; the next one is how many there are. */
export const placing = (first: number): string => `space as materialized (
  select g.space, g.rev from goal_spaces g where g.space = $${first}::text and ${busy(`$${first}::text`)} < $${first + 1}::integer),
placed as (
  update goal_spaces g set rev = g.rev + 1 from space p where g.space = p.space and g.rev = p.rev returning g.space)`;

const STATE = {
  name: "goal-places",
  text: `select exists (select from goal_spaces where space = $1) as known, ${busy("$1::text")} >= $2::integer as full`,
};

/** Asked before anything is taken. Whatever else is to be done in the session $3 is done all the same. */
const HAS_PLACE = {
  name: "goal-has-place",
  text: `
select ${busy("$1::text")} < $2::integer or ${hasWork("$3")} as place`,
};

export async function hasPlace(sql: Sql, session: SessionId, atOnce: number): Promise<boolean> {
  const [row] = await sql.query<{ place: boolean }>(HAS_PLACE, [spaceOf(session), atOnce, session]);
  return row?.place === true;
}

const MAKE = {
  name: "goal-places-make",
  text: `insert into goal_spaces (space) values ($1) on conflict (space) do nothing`,
};

/** Why there may have been no row: asked only then. */
export async function isFull(sql: Sql, space: string, atOnce: number): Promise<boolean> {
  const [row] = await sql.query<{ known: boolean; full: boolean }>(STATE, [space, atOnce]);
  if (row?.known !== true) await sql.query(MAKE, [space]);
  return row?.full === true;
}
