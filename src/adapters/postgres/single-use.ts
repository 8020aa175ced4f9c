/** What was used, by its hash: who reads the table can use nothing of it. */

import { createHash } from "node:crypto";
import type { SingleUse } from "../../core/ports/single-use.ts";
import type { Sql } from "./sql.ts";

const USE = {
  name: "single-use",
  text: `
with old as (delete from used_states where until < now_ms())
insert into used_states (hash, until) values ($1, $2) on conflict (hash) do nothing returning 1 as one`,
};

export function createSingleUse(sql: Sql): SingleUse {
  return {
    async use(text, until) {
      const hash = createHash("sha256").update(text).digest("hex");
      return (await sql.query(USE, [hash, Math.round(until)])).length > 0;
    },
  };
}
