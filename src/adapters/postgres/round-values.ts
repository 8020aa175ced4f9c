/** A round and its model calls as parameters of a statement, and the parts of SQL that store them. */

import type { Entry, EntryBody } from "../../core/entry.ts";
import type { Fence } from "../../core/ports/run-store.ts";
import type { Frozen, FullResult, ModelCallRecord, PictureData, RoundRecord } from "../../core/round.ts";
import { cleanJson, cleanText, headOf } from "../../core/text.ts";
import { addUsage, type Usage } from "../../core/usage.ts";
import { toEntry } from "./entry-row.ts";
import type { SqlValue } from "./sql.ts";

/** What is kept of a tool's full result, in UTF-8 bytes. */
export const FULL_RESULT_BYTES = 1_000_000;

/** A part of a statement: a CTE of its own, with its parameters. */
export interface RoundPart {
  /** The same for the same SQL. */
  readonly name: string;
  /** Parameters are numbered from `first`. */
  sql(first: number): string;
  readonly values: readonly SqlValue[];
}

/** Entries that stand in a statement one by one; more of them come as one JSON, so that there are not too many statements. */
const MOST_SINGLE = 4;

/** The columns of a model call that come from its record: their types, where these are not text, and their values. */
const CALL: Readonly<
  Record<string, readonly [type: string, value: (call: ModelCallRecord, sum: Usage) => SqlValue]>
> = {
  id: ["text", (call) => call.id],
  round: ["integer", (call) => call.round],
  model: ["text", (call) => cleanText(call.model)],
  prompt_hash: ["text", (call) => call.prompt.hash],
  tools_hash: ["text", (call) => call.tools.hash],
  first_seq: ["bigint", (call) => call.firstSeq],
  last_seq: ["bigint", (call) => call.lastSeq],
  excluded: ["jsonb", (call) => JSON.stringify(call.excluded)],
  params: ["text", (call) => cleanText(call.params)],
  body_hash: ["text", (call) => call.bodyHash ?? null],
  input: ["bigint", (_, sum) => sum.input ?? null],
  cache_read: ["bigint", (_, sum) => sum.cacheRead ?? null],
  cache_write: ["bigint", (_, sum) => sum.cacheWrite ?? null],
  output: ["bigint", (_, sum) => sum.output ?? null],
  reasoning: ["bigint", (_, sum) => sum.reasoning ?? null],
  cost: ["double precision", (_, sum) => sum.cost ?? null],
  tries: ["jsonb", (call) => JSON.stringify(cleanJson(call.usage))],
  started_at: ["bigint", (call) => Math.round(call.startedAt)],
  duration_ms: ["double precision", (call) => call.durationMs],
  outcome: ["text", (call) => call.outcome],
  error: ["text", (call) => call.error ?? null],
  purpose: ["text", (call) => call.purpose ?? null],
};
const CALL_COLUMNS = Object.keys(CALL).join(", ");
const CALL_TYPES = Object.values(CALL).map(([type]) => type);
const CALL_VALUES = Object.values(CALL).map(([, value]) => value);

/** `(1, $6::text), (2, $7::text)`: so many rows of parameters. */
function rowsOf(count: number, types: readonly string[], first: number): string {
  const row = (index: number): string =>
    types.map((type, column) => `$${first + index * types.length + column}::${type}`).join(", ");
  return Array.from({ length: count }, (_, index) => `(${index + 1}, ${row(index)})`).join(", ");
}

function entriesPart(bodies: readonly EntryBody[]): RoundPart {
  const isSingle = bodies.length <= MOST_SINGLE;
  const insert = `stored as (
  insert into entries (session, epoch, seq, run, round, kind, body)
  select $1, h.epoch, h.base + t.n, $3, $4, t.kind, t.body from held h,`;
  return {
    name: `entries${isSingle ? bodies.length : ""}`,
    sql: (first) =>
      isSingle
        ? `${insert} (values ${rowsOf(bodies.length, ["text", "json"], first)}) as t(n, kind, body))`
        : `${insert} (select n, body->>'kind' as kind, body
    from json_array_elements($${first}::json) with ordinality as a(body, n)) t)`,
    values: isSingle ? bodies.flatMap((body) => [body.kind, JSON.stringify(body)]) : [JSON.stringify(bodies)],
  };
}

function callsPart(calls: readonly ModelCallRecord[]): RoundPart {
  return {
    name: `calls${calls.length}`,
    sql: (first) => `calls_in as (
  insert into model_calls (session, run, epoch, ${CALL_COLUMNS})
  select $1, $3, h.epoch, ${CALL_COLUMNS}
  from held h, (values ${rowsOf(calls.length, CALL_TYPES, first)}) as t(n, ${CALL_COLUMNS})
  on conflict (id) do nothing)`,
    values: calls.flatMap((call) => {
      const sum = call.usage.reduce<Usage>((total, one) => addUsage(total, one), {});
      return CALL_VALUES.map((value) => value(call, sum));
    }),
  };
}

function blobsPart(blobs: ReadonlyMap<string, string>): RoundPart {
  return {
    name: "blobs",
    sql: (first) => `blobs_in as (
  insert into blobs (hash, text) select b.hash, b.text
  from held, jsonb_to_recordset($${first}::jsonb) as b(hash text, text text)
  order by b.hash
  on conflict (hash) do nothing)`,
    values: [JSON.stringify([...blobs].map(([hash, text]) => cleanJson({ hash, text })))],
  };
}

function resultsPart(results: readonly FullResult[]): RoundPart {
  return {
    name: "results",
    sql: (first) => `results_in as (
  insert into tool_results (run, round, call, name, ok, content)
  select $3, $4::integer, t.call, t.name, t.ok, t.content
  from held, jsonb_to_recordset($${first}::jsonb) as t(call text, name text, ok boolean, content text)
  on conflict (run, round, call) do nothing)`,
    values: [JSON.stringify(cleanJson(results.map(toResult)))],
  };
}

function picturesPart(pictures: readonly PictureData[]): RoundPart {
  return {
    name: `pictures${pictures.length}`,
    sql: (first) => `pictures_in as (
  insert into pictures (session, hash, mime, bytes)
  select $1, t.hash, t.mime, decode(t.data, 'base64')
  from held, (values ${rowsOf(pictures.length, ["text", "text", "text"], first)}) as t(n, hash, mime, data)
  order by t.hash
  on conflict (session, hash) do nothing)`,
    values: pictures.flatMap(({ hash, mimeType, data }) => [hash, mimeType, data]),
  };
}

/**
 * The parts that a round and its model calls need. Each needs `held` (one row when the write is allowed, with `base`, the last
 * seq before, and `epoch`) and the parameters $1 session, $3 run, $4 round. Left out are blobs that are known to be
 * stored, and full results that say no more than what the model received: that stands in their entry.
 * @param round with clean entries.
 * @param told the model calls, and what the session's model is to be told from now on, if that is given.
 */
export function partsOf(
  round: Pick<RoundRecord, "entries" | "results" | "pictures"> | undefined,
  told: { readonly calls: readonly ModelCallRecord[]; readonly frozen: Frozen | undefined },
  isStored: (hash: string) => boolean,
): readonly RoundPart[] {
  const { calls, frozen } = told;
  const blobs = new Map<string, string>();
  for (const { prompt, tools } of frozen === undefined ? calls : [...calls, frozen]) {
    for (const { hash, text } of [prompt, tools]) if (!isStored(hash)) blobs.set(hash, text);
  }
  const { entries = [], pictures = [] } = round ?? {};
  const results = (round?.results ?? []).filter(
    ({ call, content }) =>
      !entries.some((body) => body.kind === "tool" && body.call === call && body.content === content),
  );
  return [
    ...(entries.length === 0 ? [] : [entriesPart(entries)]),
    ...(blobs.size === 0 ? [] : [blobsPart(blobs)]),
    ...(calls.length === 0 ? [] : [callsPart(calls)]),
    ...(results.length === 0 ? [] : [resultsPart(results)]),
    ...(pictures.length === 0 ? [] : [picturesPart(pictures)]),
  ];
}

/** The number of the first parameter behind theirs. */
export const behind = (parts: readonly RoundPart[], first: number): number =>
  parts.reduce((next, { values }) => next + values.length, first);

/** SQL: the CTEs of these parts, each with a comma before it; their parameters are numbered from `first`. */
export function storing(parts: readonly RoundPart[], first: number): string {
  let next = first;
  return parts
    .map((part) => {
      const sql = part.sql(next);
      next += part.values.length;
      return `,\n${sql}`;
    })
    .join("");
}

/** The entries of a round as they were stored, without asking for them again. @param round with clean entries. */
export function storedEntries(
  fence: Fence,
  row: { readonly base: number; readonly epoch: number },
  round: Pick<RoundRecord, "round" | "entries"> | undefined,
): readonly Entry[] {
  if (round === undefined) return [];
  const { base, epoch } = row;
  return round.entries.map((body, index) => toEntry([base + 1 + index, epoch, fence.run, round.round, body]));
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
