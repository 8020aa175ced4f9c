/** Stored model calls, with everything that a request is rebuilt from. */

import type { Entry } from "../../core/entry.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { ModelCallRecord, Purpose } from "../../core/round.ts";
import type { CallUsage } from "../../core/usage.ts";
import { ENTRY_JSON, toEntry, type EntryRow } from "./entry-row.ts";
import type { Sql } from "./sql.ts";
import { fieldsOf, listOf, numberOf, optional, textOf } from "./stored-json.ts";

export interface StoredModelCall {
  readonly call: ModelCallRecord;
  /** Exactly the entries that were sent, ascending. */
  readonly entries: readonly Entry[];
}

interface CallRow {
  readonly round: number;
  readonly model: string;
  readonly promptHash: string;
  readonly prompt: string;
  readonly toolsHash: string;
  readonly tools: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly excluded: readonly number[];
  readonly params: string;
  readonly bodyHash: string | null;
  readonly tries: unknown;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: ModelCallRecord["outcome"];
  readonly error: ErrorCode | null;
  readonly purpose: Purpose | null;
  readonly entries: readonly EntryRow[] | null;
}

const READ = {
  name: "model-call-read",
  text: `
select c.round, c.model, c.prompt_hash as "promptHash", p.text as prompt, c.tools_hash as "toolsHash", t.text as tools,
  c.first_seq as "firstSeq", c.last_seq as "lastSeq", c.excluded, c.params, c.body_hash as "bodyHash", c.tries,
  c.started_at as "startedAt", c.duration_ms as "durationMs", c.outcome, c.error, c.purpose,
  (select json_agg(${ENTRY_JSON} order by e.seq) from entries e
    where e.session = c.session and e.epoch = c.epoch and e.seq between c.first_seq and c.last_seq
      and not c.excluded @> to_jsonb(e.seq)) as entries
from model_calls c join blobs p on p.hash = c.prompt_hash join blobs t on t.hash = c.tools_hash
where c.id = $1`,
};

const OF_RUN = {
  name: "model-calls-of-run",
  text: `select id from model_calls where run = $1 order by started_at, round, id`,
};

export interface ModelCalls {
  /** Undefined for an unknown id. */
  read(id: string): Promise<StoredModelCall | undefined>;
  /** Ids of the run's calls, oldest first. */
  list(run: string): Promise<readonly string[]>;
}

export function createModelCalls(sql: Sql): ModelCalls {
  return {
    async read(id) {
      const [row] = await sql.query<CallRow>(READ, [id]);
      if (row === undefined) return undefined;
      const { promptHash, prompt, toolsHash, tools, tries, bodyHash, error, purpose, entries, ...rest } = row;
      const call: ModelCallRecord = {
        id,
        ...rest,
        prompt: { hash: promptHash, text: prompt },
        tools: { hash: toolsHash, text: tools },
        ...(bodyHash === null ? {} : { bodyHash }),
        usage: listOf(tries, "tries").map(toCallUsage),
        ...(error === null ? {} : { error }),
        ...(purpose === null ? {} : { purpose }),
      };
      return { call, entries: (entries ?? []).map(toEntry) };
    },
    async list(run) {
      return (await sql.query<{ id: string }>(OF_RUN, [run])).map((row) => row.id);
    },
  };
}

function toCallUsage(value: unknown): CallUsage {
  const usage = fieldsOf(value, "usage");
  return {
    model: textOf(usage["model"], "model"),
    durationMs: numberOf(usage["durationMs"], "durationMs"),
    ...optional(usage, "provider", textOf),
    ...optional(usage, "firstTokenMs", numberOf),
    ...optional(usage, "tokensPerSecond", numberOf),
    ...optional(usage, "input", numberOf),
    ...optional(usage, "cacheRead", numberOf),
    ...optional(usage, "cacheWrite", numberOf),
    ...optional(usage, "output", numberOf),
    ...optional(usage, "reasoning", numberOf),
    ...optional(usage, "cost", numberOf),
  };
}
