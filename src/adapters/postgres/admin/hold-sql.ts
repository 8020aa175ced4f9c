/** Legal holds as pieces of SQL. `h` is always a row of `holds`. */

/** Whether it stands in this space. */
export const holding = (platform: string, space: string): string =>
  `h.lifted_at is null and h.platform = ${platform}::text and h.space = ${space}::text`;

/** Whether it is on this thread of its space: by itself, for the whole space, or for somebody who has spoken in it or reacted to something in it. */
export const holdingThread = (session: string): string => `
  (h.kind = 'space' or (h.kind = 'thread' and h.subject = ${session}) or (h.kind = 'person' and (exists (
    select from inbox i where i.session = ${session} and i.body->'author'->>'id' = h.subject)
    or exists (select from reactions given where given.session = ${session} and given.person = h.subject))))`;

/** SQL: taken by who sets a hold, and shared by who erases: which of them is first is then the same for both. */
const lockName = (platform: string, space: string): string =>
  `hashtextextended(concat('holds:', ${platform}::text, ':', ${space}::text), 0)`;
export const settingHold = (platform: string, space: string): string =>
  `pg_advisory_xact_lock(${lockName(platform, space)})`;
const seeingHolds = (platform: string, space: string): string =>
  `pg_advisory_xact_lock_shared(${lockName(platform, space)})`;

/**
 * In a transaction that erases, before it asks whether something is held: in the space $1 $2 nobody sets a hold until it ends, and the
 * next statement sees each that was set.
 */
export const SEE_HOLDS = { name: "see-holds", text: `select ${seeingHolds("$1", "$2")}` };
