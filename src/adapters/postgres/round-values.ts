/** A round and its model calls as parameters of a statement, and the parts of SQL that store them. */

import type { FullResult, ModelCallRecord, RoundRecord } from "../../core/round.ts";
import { cleanJson, headOf } from "../../core/text.ts";
import { addUsage, type Usage } from "../../core/usage.ts";
import { entriesText } from "./entry-row.ts";
import type { SqlValue } from "./sql.ts";

/** What is kept of a tool's full result, in UTF-8 bytes. */
export const FULL_RESULT_BYTES = 1_000_000;

/**
 * SQL: CTEs that need `held` (one row when the write is allowed, with `epoch`), and the parameters
 * $1 session, $3 run, $4 round, $6 entries, $7 results, $8 model calls, $9 blobs.
 */
export const STORE_CALLS = `
blobs_in as (
  insert into blobs (hash, text) select b.hash, b.text
  from held, jsonb_to_recordset($9::jsonb) as b(hash text, text text)
  order by b.hash
  on conflict (hash) do nothing),
calls_in as (
  insert into model_calls (id, session, run, epoch, round, model, prompt_hash, tools_hash, first_seq, last_seq, excluded,
    params, body_hash, input, cache_read, cache_write, output, reasoning, cost, tries, started_at, duration_ms, outcome, error)
  select c.id, $1, $3, h.epoch, c.round, c.model, c.prompt, c.tools, c.first, c.last, c.excluded, c.params, c.body, c.input,
    c.cache_read, c.cache_write, c.output, c.reasoning, c.cost, c.tries, c.started_at, c.duration_ms, c.outcome, c.error
  from held h, jsonb_to_recordset($8::jsonb) as c(id text, round integer, model text, prompt text, tools text, first bigint,
    last bigint, excluded jsonb, params text, body text, input bigint, cache_read bigint, cache_write bigint, output bigint,
    reasoning bigint, cost double precision, tries jsonb, started_at bigint, duration_ms double precision, outcome text,
    error text)
  on conflict (id) do nothing),
results_in as (
  insert into tool_results (run, round, call, name, ok, content)
  select $3, $4::integer, t.call, t.name, t.ok, t.content
  from held, jsonb_to_recordset($7::jsonb) as t(call text, name text, ok boolean, content text)
  on conflict (run, round, call) do nothing)`;

/** The values of $6 to $9. Blobs that are known to be stored are left out. */
export function roundValues(
  round: Pick<RoundRecord, "entries" | "results"> | undefined,
  calls: readonly ModelCallRecord[],
  isStored: (hash: string) => boolean,
): readonly SqlValue[] {
  const blobs = new Map<string, string>();
  for (const { prompt, tools } of calls) {
    for (const { hash, text } of [prompt, tools]) if (!isStored(hash)) blobs.set(hash, text);
  }
  return [
    entriesText(round?.entries ?? []),
    JSON.stringify(cleanJson((round?.results ?? []).map(toResult))),
    JSON.stringify(cleanJson(calls.map(toCall))),
    JSON.stringify([...blobs].map(([hash, text]) => cleanJson({ hash, text }))),
  ];
}

function toResult(result: FullResult): object {
  const { call, name, ok, content } = result;
  return { call, name, ok, content: cutBytes(content) };
}

/** The longest beginning that fits, on whole characters. */
function cutBytes(content: string): string {
  if (content.length * 3 <= FULL_RESULT_BYTES || Buffer.byteLength(content) <= FULL_RESULT_BYTES) {
    return content;
  }
  let low = 0;
  let high = content.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(content.slice(0, middle)) <= FULL_RESULT_BYTES) low = middle;
    else high = middle - 1;
  }
  return headOf(content, low);
}

function toCall(call: ModelCallRecord): object {
  const sum = call.usage.reduce<Usage>((total, one) => addUsage(total, one), {});
  return {
    id: call.id,
    round: call.round,
    model: call.model,
    prompt: call.prompt.hash,
    tools: call.tools.hash,
    first: call.firstSeq,
    last: call.lastSeq,
    excluded: call.excluded,
    params: call.params,
    body: call.bodyHash ?? null,
    input: sum.input ?? null,
    cache_read: sum.cacheRead ?? null,
    cache_write: sum.cacheWrite ?? null,
    output: sum.output ?? null,
    reasoning: sum.reasoning ?? null,
    cost: sum.cost ?? null,
    tries: call.usage,
    started_at: Math.round(call.startedAt),
    duration_ms: call.durationMs,
    outcome: call.outcome,
    error: call.error ?? null,
  };
}
