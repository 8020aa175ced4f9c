/** One round becomes durable, and what came in meanwhile joins the run: one statement. */

import type { Committed, Fence } from "../../core/ports/run-store.ts";
import type { Frozen, RoundRecord } from "../../core/round.ts";
import { cleanJson } from "../../core/text.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import { frozenValues, holding, takeHeld } from "./fenced.ts";
import { gaugeValues } from "./gauge-row.ts";
import { joining, nobodyWaits, waiting, WITH_JOINED } from "./joining-sql.ts";
import { behind, partsOf, storedEntries, storing, type RoundPart } from "./round-values.ts";
import { flagsOf, shaped } from "./shaped.ts";
import type { Sql } from "./sql.ts";

interface CommitRow {
  readonly base: number;
  readonly epoch: number;
  readonly stopped: boolean;
  /** Absent where the statement takes nobody in. */
  readonly steered?: readonly EntryRow[] | null;
}

interface CommitShape {
  readonly isComplete: boolean;
  readonly mayJoin: boolean;
  /** It takes in who waits. Else it only looks, and takes nothing when someone does. */
  readonly joins: boolean;
  /** Prompt and tools are given. */
  readonly freezes: boolean;
  /** Something new was learnt of the model. */
  readonly gauges: boolean;
  readonly parts: readonly RoundPart[];
}

/** $4: the round. $5: how many entries are given. From $6: `parts`, then prompt and tools, then the gauge. No row where nothing was taken. */
const COMMIT = shaped<CommitShape>({
  name: ({ parts, ...flags }) => ["commit", flagsOf(flags), ...parts.map((part) => part.name)].join("-"),
  text: ({ isComplete, mayJoin, joins, freezes, gauges, parts }) => `
with ${holding({
    adds: `$5::integer${joins ? ` + ${waiting(mayJoin)}` : ""}`,
    when: `r.rounds = $4::integer - 1${joins ? "" : ` and ${nobodyWaits(mayJoin)}`}`,
    freezes: freezes ? behind(parts, 6) : undefined,
    gauges: gauges ? behind(parts, 6) + (freezes ? 2 : 0) : undefined,
    gives: "$4 as rounds",
  })}${joins ? joining(mayJoin) : ""}${isComplete || joins ? running(isComplete, joins) : ""}${storing(parts, 6)}
select h.base, h.epoch, h.stopped${
    joins ? `, (select json_agg(${ENTRY_JSON} order by e.seq) from steered e) as steered` : ""
  }
from held h`,
});

const running = (isComplete: boolean, joins: boolean): string => `,
run as (
  update runs r set ${[
    ...(isComplete ? ["rounds = $4, safe_fence = $2"] : []),
    ...(joins ? [WITH_JOINED] : []),
  ].join(", ")}
  from held where r.id = $3)`;

export async function commitRound(
  sql: Sql,
  fence: Fence,
  given: { readonly round: RoundRecord; readonly frozen: Frozen | undefined },
  isStored: (hash: string) => boolean,
): Promise<Committed> {
  const { frozen } = given;
  const round = { ...given.round, entries: cleanJson(given.round.entries) };
  const parts = partsOf(round, { calls: round.modelCalls, frozen }, isStored);
  const values = [
    fence.session,
    fence.number,
    fence.run,
    round.round,
    round.entries.length,
    ...parts.flatMap((part) => part.values),
    ...frozenValues(frozen),
    ...gaugeValues(round),
  ];
  const freezes = frozen !== undefined;
  const gauges = round.gauge !== undefined;
  const isComplete = round.state === "complete";
  const mayJoin = isComplete && round.isLast !== true;
  const row = await takeHeld(sql, { fence, round: round.round }, (joins) =>
    sql.query<CommitRow>(COMMIT({ isComplete, mayJoin, joins, freezes, gauges, parts }), values),
  );
  return {
    stored: storedEntries(fence, row, round),
    steered: (row.steered ?? []).map(toEntry),
    stopped: row.stopped,
  };
}
