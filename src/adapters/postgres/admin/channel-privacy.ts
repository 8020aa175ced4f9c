/** Which channels are private, in their table. */

import type { ChannelPrivacy } from "../../../core/ports/channel-privacy.ts";
import type { Sql } from "../sql.ts";

const UNKNOWN = {
  name: "channels-unknown",
  text: `
select distinct o.channel from overviews o
left join channel_privacy p on p.platform = o.platform and p.space = o.space and p.channel = o.channel
where o.platform = $1 and o.space = $2 and (p.asked_at is null or p.asked_at < $3::bigint) limit $4::integer`,
};

const KEEP = {
  name: "channel-keep",
  text: `
insert into channel_privacy (platform, space, channel, is_private) values ($1, $2, $3, $4)
on conflict (platform, space, channel) do update set is_private = excluded.is_private, asked_at = now_ms()`,
};

/** SQL: whether the channel of the overview `o` is private; null where that is not known. */
export const IS_PRIVATE = `(select p.is_private from channel_privacy p
  where p.platform = o.platform and p.space = o.space and p.channel = o.channel)`;

/** @param dear for the question that reads a whole space. */
export function createChannelPrivacy(sql: Sql, dear: Sql): ChannelPrivacy {
  return {
    async unknown({ platform, space }, askedBefore, limit) {
      const values = [platform, space, Math.round(askedBefore), limit];
      return (await dear.query<{ channel: string }>(UNKNOWN, values)).map(({ channel }) => channel);
    },
    async keep({ platform, space, channel }, isPrivate) {
      await sql.query(KEEP, [platform, space, channel, isPrivate]);
    },
  };
}
