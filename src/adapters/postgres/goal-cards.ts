/** Cards in the rows of their goals. A write of a card leaves the goal's own version as it is: nobody's step is made anew for it. */

import type { CardState, GoalCards, OwedCard } from "../../core/ports/goal-cards.ts";
import type { SessionId } from "../../core/thread.ts";
import { toGoal } from "./goal-row.ts";
import type { Sql } from "./sql.ts";

interface CardRow {
  readonly session: SessionId;
  readonly body: unknown;
  readonly version: number;
  readonly fence: number;
  readonly posts: number;
  readonly key: string | null;
  readonly message: string | null;
  readonly said: string | null;
  readonly hash: string | null;
}

type TakenRow = (CardRow | { readonly session: null }) & { readonly due: number | null };

const ROW = `g.session, g.body, g.version, g.card_fence as fence, g.card_posts as posts, g.card_key as key,
  g.card_message as message, g.card_said as said, g.card_hash as hash`;

const TAKE_ANY = {
  name: "card-take-any",
  text: `
update goals g set card_fence = g.card_fence + 1, card_at = now_ms() + $1::bigint
where g.id = (
  select o.id from goals o where o.card_version < o.version and o.card_at <= now_ms()
  order by o.card_at limit 1 for update skip locked)
returning ${ROW}`,
};

/** Always one row: the card, else in how long one of the session is due, if any is owed. */
const TAKE = {
  name: "card-take",
  text: `
with taken as (
  update goals g set card_fence = g.card_fence + 1, card_at = now_ms() + $1::bigint
  where g.id = (
      select o.id from goals o where o.session = $2 and o.card_version < o.version and o.card_at <= now_ms()
      order by o.n limit 1)
    and g.card_at <= now_ms() and g.card_version < g.version
  returning ${ROW})
select t.*, owed.due from (
  select min(g.card_at) - now_ms() as due from goals g where g.session = $2 and g.card_version < g.version) owed
left join taken t on true`,
};

const KEEP = {
  name: "card-keep",
  text: `
update goals g set card_posts = $3::integer, card_key = $4::text, card_message = $5::text, card_said = $6::text, card_hash = $7::text
where g.id = $1 and g.card_fence = $2::bigint
returning 1 as one`,
};

/** Of the row as it is when it is written: what somebody stored meanwhile is seen here, or finds the card given back. */
const SHOWN = {
  name: "card-shown",
  text: `
update goals g set card_posts = $3::integer, card_key = $4::text, card_message = $5::text, card_said = $6::text, card_hash = $7::text,
  card_version = $8::bigint,
  card_at = now_ms() + case when g.version > $8::bigint then $9::bigint else $10::bigint end
where g.id = $1 and g.card_fence = $2::bigint
returning ${ROW}, exists (
  select from goals o where o.session = g.session and o.id <> g.id and o.card_version < o.version) as others`,
};

const LEAVE = {
  name: "card-leave",
  text: `update goals set card_at = now_ms() + $3::bigint where id = $1 and card_fence = $2::bigint`,
};

const NEVER = "9223372036854775807";
const OVER = {
  name: "card-over",
  text: `update goals set card_version = ${NEVER} where id = $1 and card_fence = $2::bigint`,
};

export function createGoalCards(sql: Sql): GoalCards {
  return {
    async take(idleMs, session) {
      if (session === undefined) return (await sql.query<CardRow>(TAKE_ANY, [idleMs])).map(toOwed)[0];
      const [row] = await sql.query<TakenRow>(TAKE, [idleMs, session]);
      if (row !== undefined && row.session !== null) return toOwed(row);
      return row?.due == null ? undefined : { dueInMs: Math.max(1, row.due) };
    },
    async keep(card, state) {
      return (await sql.query(KEEP, valuesOf(card, state))).length > 0;
    },
    async shown(card, state, { idleMs, quietMs }) {
      const values = [...valuesOf(card, state), card.version, Math.round(idleMs), Math.round(quietMs)];
      const [row] = await sql.query<CardRow & { readonly others: boolean }>(SHOWN, values);
      if (row === undefined) return undefined;
      if (row.version > card.version) return toOwed(row);
      return row.others ? undefined : "all";
    },
    async leave(card, afterMs) {
      await sql.query(LEAVE, [card.goal.id, card.fence, Math.round(afterMs)]);
    },
    async over(card) {
      await sql.query(OVER, [card.goal.id, card.fence]);
    },
  };
}

const valuesOf = ({ goal, fence }: OwedCard, { posts, key, message, said, hash }: CardState) => [
  goal.id,
  fence,
  posts,
  key ?? null,
  message ?? null,
  said ?? null,
  hash ?? null,
];

function toOwed(row: CardRow): OwedCard {
  const { session, body, version, fence, posts, key, message, said, hash } = row;
  const state: CardState = {
    posts,
    ...(key === null ? {} : { key }),
    ...(message === null ? {} : { message }),
    ...(said === null ? {} : { said }),
    ...(hash === null ? {} : { hash }),
  };
  return { session, goal: toGoal(body), version, fence, state };
}
