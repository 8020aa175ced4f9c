/**
 * The rules of the ledger as pieces of SQL, each in one place: what counts as work, what a stop has dropped, in which order
 * messages are admitted, and what they become. `i` is always a row of the inbox.
 */

import { MENTION_RULE, MUTE_RULE } from "../../core/session-settings.ts";

/** Whether it asks for something to be done. Notes, also those on edits and deletes, wait for a run and are no reason for one. */
export const IS_WORK = `i.kind in ('message', 'command')`;

/** Whether it waits and asks for something to be done. */
export const WAITS = `i.state = 'waiting' and ${IS_WORK}`;

/** Whether something is to be done in the session that is this expression, besides what its goal does by itself. */
export const hasWork = (session: string): string => `(
  exists (select from inbox i where i.session = ${session} and ${WAITS})
  or exists (select from runs r where r.session = ${session} and r.reply <> 'settled'))`;

/**
 * Whether a stop or reset took it back while it waited, given a row with the session's `stop_seq`. A note is no work that could
 * be stopped; a reset has cancelled those of its epoch already.
 */
export const isDropped = (by: string): string => `(i.seq < ${by}.stop_seq and ${IS_WORK})`;

/** Whether a stop or reset came that is newer than everything the run admitted. */
export const isStopped = (by: string, run: string): string => `${by}.stop_seq > ${run}.admitted_seq`;

/**
 * Why the session's row keeps the message `m`, or the change of one (a row with `kind` and `mention`), from the bot; null where it
 * does not. It is read where the message is stored, so that a message is judged by what was set before it. Where a rule of access
 * refuses it as well, that rule is the one that is told.
 */
export const passedOver = (session: string, m: string): string => `
    case when ${m}.kind in ('message', 'edit') then
      case when ${session}.muted then '${MUTE_RULE}'
        when ${session}.mentions_only and not ${m}.mention then '${MENTION_RULE}' end end`;

/** The body of a message that is not for the bot: that there was one is kept, so that it can be explained, and not what it said. */
export const withoutWords = (body: string): string => `${body} || '{"parts": []}'`;

/** The order in which messages are admitted; whoever is last in it is the one who asks. */
export const IN_ORDER = `at, seq`;
export const LAST_FIRST = `at desc, seq desc`;

/** The entry that the message `m` (a row with `id` and `body`) becomes. */
export const USER_ENTRY = `json_build_object('v', 1, 'kind', 'user', 'author', m.body->'author',
  'parts', m.body->'parts', 'inbound', m.id)`;

/** @param text an SQL expression. */
export const noteEntry = (text: string): string =>
  `json_build_object('v', 1, 'kind', 'note', 'text', ${text})`;

/** @param text an SQL expression. A turn that holds nothing but what the bot notes, for where no one's words follow. */
export const notedTurn = (text: string): string =>
  `json_build_object('v', 1, 'kind', 'user', 'parts', json_build_array(json_build_object('kind', 'note', 'text', ${text})))`;

/** Whether the row `c` of the inbox is a change of the message that it names. What was refused changes nothing. */
export const IS_CHANGE = `c.kind in ('edit', 'delete') and c.fate is distinct from 'refused'`;

/** Which change of a message holds: what was taken back stays so, else the one that was made last, whenever it came. */
export const NEWEST_CHANGE = `c.kind = 'delete' desc, c.at desc, c.seq desc`;
