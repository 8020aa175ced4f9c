/** Where threads hang that are claimed before they are there. */

import type { ThreadPlaces } from "../../core/ports/thread-places.ts";
import { cleanText } from "../../core/text.ts";
import type { Sql } from "./sql.ts";

const KEEP = {
  name: "thread-place-keep",
  text: `insert into thread_places (session, parent, name) values ($1, $2, $3) on conflict (session) do nothing`,
};
const OF = { name: "thread-place-of", text: `select parent, name from thread_places where session = $1` };

export function createThreadPlaces(sql: Sql): ThreadPlaces {
  return {
    async keep(session, { parent, name }) {
      await sql.query(KEEP, [session, parent, cleanText(name)]);
    },
    async of(session) {
      const [row] = await sql.query<{ parent: string; name: string }>(OF, [session]);
      return row;
    },
  };
}
