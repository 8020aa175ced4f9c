/** The texts that an erasure of a thread takes away, as far as anybody could search for them. */

import { ENTRY_JSON, toEntry, type EntryRow } from "../entry-row.ts";
import type { Sql } from "../sql.ts";
import { StoredJsonError } from "../stored-json.ts";
import { textOfEntry } from "./entry-text.ts";
import { ENTRY_GOES, HAS_NOTE, INBOUND_GOES } from "./erase-sql.ts";
import type { ThreadToErase } from "./erase-thread.ts";

/** Each may be long. */
const AT_ONCE = 100;

/** SQL: the words of a row of parts; of somebody else's message only what goes of it. */
const partsText = (parts: string, goes: string): string => `(
  select string_agg(coalesce(p->>'text', p->>'name'), ' ') from jsonb_array_elements(${parts}) p
  where ${goes} or p->>'kind' <> 'text')`;

/** $1 thread, $2 extent, $3 whose words, null for anybody's; behind $4 $5. */
const ENTRIES = `
select e.epoch, e.seq, case when ${ENTRY_GOES} then ${ENTRY_JSON} end as entry,
  case when not ${ENTRY_GOES} then ${partsText("e.body::jsonb->'parts'", "false")} end as noted
from entries e
where e.session = $1 and (e.epoch, e.seq) > ($4::integer, $5::bigint)
  and (${ENTRY_GOES} or (e.kind = 'user' and ${HAS_NOTE("e.body::jsonb")}))
order by e.epoch, e.seq limit ${AT_ONCE}`;

/** Behind $4. A name is looked for in nothing that was said, but goes with whose it is. */
const INBOUNDS = `
select i.seq, concat_ws(' ', case when i.body->'author'->>'id' = $3::text then i.body->'author'->>'name' end,
  case when ${INBOUND_GOES} then concat_ws(' ', i.note, i.body->>'text', i.body->'command'->>'value') end,
  case when jsonb_typeof(i.body->'parts') = 'array' then ${partsText("i.body->'parts'", INBOUND_GOES)} end) as text
from inbox i
where i.session = $1 and i.seq > $4::bigint and (${INBOUND_GOES} or ${HAS_NOTE("i.body")})
order by i.seq limit ${AT_ONCE}`;

const OTHERS = `
select s.title as text from sessions s where s.id = $1 and s.title is not null
union all
select concat_ws(' ', g.body->>'objective', g.body->>'doneWhen', g.body->>'said', g.body->>'evidence', g.body->>'objection')
from goals g where g.session = $1`;

interface EntryToErase {
  readonly epoch: number;
  readonly seq: number;
  readonly entry: EntryRow | null;
  readonly noted: string | null;
}

/** In pieces, each once. */
export async function* erasedTexts(
  tx: Sql,
  { session, extent, person }: ThreadToErase,
): AsyncGenerator<string, void, undefined> {
  const thread = [session, extent, person];
  for (let [epoch, seq, isMore] = [0, -1, true]; isMore;) {
    const rows = await tx.query<EntryToErase>({ text: ENTRIES }, [...thread, epoch, seq]);
    for (const { entry, noted } of rows) yield entry === null ? (noted ?? "") : textOf(entry);
    isMore = rows.length === AT_ONCE;
    ({ epoch, seq } = rows.at(-1) ?? { epoch, seq });
  }
  for (let [seq, isMore] = [-1, true]; isMore;) {
    const rows = await tx.query<{ seq: number; text: string }>({ text: INBOUNDS }, [...thread, seq]);
    for (const { text } of rows) yield text;
    isMore = rows.length === AT_ONCE;
    seq = rows.at(-1)?.seq ?? seq;
  }
  for (const { text } of await tx.query<{ text: string }>({ text: OTHERS }, [session])) yield text;
}

/** One that cannot be read any more goes all the same. */
function textOf(row: EntryRow): string {
  try {
    return textOfEntry(toEntry(row).body);
  } catch (error) {
    if (!(error instanceof StoredJsonError)) throw error;
    return JSON.stringify(row);
  }
}
