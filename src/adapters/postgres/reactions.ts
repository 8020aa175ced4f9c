/** Emoji that people gave to messages of a thread, over SQL. */

import type { InboundId } from "../../core/ids.ts";
import type { ReactedMessage, ReactionBook } from "../../core/ports/reactions.ts";
import { cleanText, headOf } from "../../core/text.ts";
import { snapshotRetry } from "./snapshot-retry.ts";
import type { Sql } from "./sql.ts";

/** $1 its identity if a person wrote it, $2 its id, $3 the beginning of the thread's. Found by an index, or not there. */
const SESSION = `
select s.id, s.rev from sessions s where s.id = coalesce(
  (select i.session from inbox i where i.id = $1::text and i.kind = 'message'),
  (select r.session from pages p join runs r on r.id = p.run
    where p.message = $2::text and (r.session = $3::text or starts_with(r.session, concat($3::text, ':'))) limit 1),
  (select g.session from goals g
    where g.card_message = $2::text and (g.session = $3::text or starts_with(g.session, concat($3::text, ':'))) limit 1))`;

const IS_KEPT = { name: "reaction-kept", text: SESSION };

/**
 * Who erases or forgets the thread is waited for, and behind that everything is looked at anew: what was done before an erasure and is
 * delivered after it is not brought back.
 */
const PUT = {
  name: "reaction-put",
  text: `
with was as materialized (${SESSION}),
held as materialized (
  select s.id from sessions s, was w where s.id = w.id and s.rev = w.rev for key share of s),
put as (
  insert into reactions as o (session, message, person, emoji, shown, name, given_at, taken_at)
  select h.id, $2, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::bigint from held h
  where not exists (
    select from erased_threads t join erasures x on x.id = t.erasure
    where t.session = h.id and t.done_at >= coalesce($8, $9) and (t.extent = 'all' or (x.kind = 'person' and x.subject = $4)))
  on conflict (session, message, person, emoji) do update set
    shown = excluded.shown, name = coalesce(excluded.name, o.name), given_at = greatest(o.given_at, excluded.given_at),
    taken_at = greatest(o.taken_at, excluded.taken_at), n = nextval('reactions_n')
  where excluded.given_at > coalesce(o.given_at, -1) or excluded.taken_at > coalesce(o.taken_at, -1)
    or (o.name is null and excluded.name is not null))
select exists (select from was) and not exists (select from held) as "isStale"`,
};

const CLEAR = {
  name: "reaction-clear",
  text: `
update reactions o set taken_at = $4::bigint, n = nextval('reactions_n')
from (${SESSION}) s
where o.session = s.id and o.message = $2 and ($5::text is null or o.emoji = $5)
  and o.given_at <= $4 and o.given_at > coalesce(o.taken_at, -1)`,
};

const NAME_UNITS = 200;
const short = (text: string): string => headOf(cleanText(text), NAME_UNITS);

const placeOf = ({ near, message, inbound }: ReactedMessage): readonly [InboundId, string, string] => {
  const { platform, space, channel, root } = near;
  return [inbound, message, [platform, space, channel, ...(root === undefined ? [] : [root])].join(":")];
};

export function createReactionBook(sql: Sql): ReactionBook {
  return {
    isKept: async (message) => (await sql.query(IS_KEPT, placeOf(message))).length > 0,
    async put({ kind, person, emoji, shown, at, ...message }) {
      const [given, taken] = kind === "given" ? [Math.round(at), null] : [null, Math.round(at)];
      const name = person.name === undefined ? null : short(person.name);
      const values = [...placeOf(message), person.id, short(emoji), short(shown), name, given, taken];
      await snapshotRetry(async () => {
        const [row] = await sql.query<{ isStale: boolean }>(PUT, values);
        return row?.isStale === true ? "stale" : "put";
      });
    },
    async clear(message, at, emoji) {
      const which = emoji === undefined ? null : short(emoji);
      await sql.query(CLEAR, [...placeOf(message), Math.round(at), which]);
    },
  };
}
