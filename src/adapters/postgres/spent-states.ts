/** What was spent, by its hash: who reads the table can use nothing of it. */

import { createHash } from "node:crypto";
import type { Spent } from "../../core/ports/spent.ts";
import type { Sql } from "./sql.ts";

const SPEND = {
  name: "spent-spend",
  text: `
with old as (delete from spent_states where until < now_ms())
insert into spent_states (hash, until) values ($1, $2) on conflict (hash) do nothing returning 1 as one`,
};

export function createSpent(sql: Sql): Spent {
  return {
    async spend(text, until) {
      const hash = createHash("sha256").update(text).digest("hex");
      return (await sql.query(SPEND, [hash, Math.round(until)])).length > 0;
    },
  };
}
