/** Where threads hang that are claimed before they are there. */

import type { ThreadPlaces } from "../../core/ports/thread-places.ts";
import { cleanText } from "../../core/text.ts";
import type { Sql } from "./sql.ts";

const KEEP = {
  name: "thread-place-keep",
  text: `insert into thread_places (session, parent, name) values ($1, $2, $3) on conflict (session) do nothing`,
};
const OF = { name: "thread-place-of", text: `select parent, name from thread_places where session = $1` };
const HAS_SHOWN = {
  name: "thread-has-shown",
  text: `
select 1 as one from runs r join pages p on p.run = r.id where r.session = $1 and p.message is not null limit 1`,
};

export function createThreadPlaces(sql: Sql): ThreadPlaces {
  return {
    async keep(session, { parent, name }) {
      await sql.query(KEEP, [session, parent, cleanText(name)]);
    },
    async of(session) {
      const [row] = await sql.query<{ parent: string; name: string }>(OF, [session]);
      return row;
    },
    hasShown: async (session) => (await sql.query(HAS_SHOWN, [session])).length > 0,
  };
}
