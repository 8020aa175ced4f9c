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

const TAKE = {
  name: "card-take",
  text: `
update goals g set card_fence = g.card_fence + 1, card_at = now_ms() + $1::bigint
where g.id = (
    select o.id from goals o where o.session = $2 and o.card_version < o.version and o.card_at <= now_ms()
    order by o.n limit 1)
  and g.card_at <= now_ms() and g.card_version < g.version
returning ${ROW}`,
};

const DUE_IN = {
  name: "card-due-in",
  text: `
select min(g.card_at) - now_ms() as due from goals g where g.session = $1 and g.card_version < g.version`,
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
returning ${ROW}`,
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
      if (session === undefined) return toOwed((await sql.query<CardRow>(TAKE_ANY, [idleMs]))[0]);
      const taken = toOwed((await sql.query<CardRow>(TAKE, [idleMs, session]))[0]);
      if (taken !== undefined) return taken;
      const [row] = await sql.query<{ due: number | null }>(DUE_IN, [session]);
      return row?.due == null ? undefined : { dueInMs: Math.max(1, row.due) };
    },
    async keep(card, state) {
      return (await sql.query(KEEP, valuesOf(card, state))).length > 0;
    },
    async shown(card, state, { idleMs, quietMs }) {
      const values = [...valuesOf(card, state), card.version, Math.round(idleMs), Math.round(quietMs)];
      const owed = toOwed((await sql.query<CardRow>(SHOWN, values))[0]);
      return owed !== undefined && owed.version > card.version ? owed : undefined;
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

function toOwed(row: CardRow | undefined): OwedCard | undefined {
  if (row === undefined) return undefined;
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
