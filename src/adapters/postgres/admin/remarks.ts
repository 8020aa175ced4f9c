/** Flags, notes and reasons in their tables. How many flags of a thread are open stands in its overview as well. */

import type { Remark, RemarkKind, Remarks } from "../../../core/ports/remarks.ts";
import { cleanText } from "../../../core/text.ts";
import type { SessionId } from "../../../core/thread.ts";
import type { Sql } from "../sql.ts";

const ADD = {
  name: "remark-add",
  text: `
with added as (
  insert into remarks (id, session, epoch, seq, kind, text, person, name) values ($1, $2, $3, $4, $5, $6, $7, $8) returning kind)
update overviews set flags = flags + 1 where session = $2 and (select kind from added) <> 'note'`,
};

/** SQL: the remark `m`, as a `RemarkRow`. */
export const REMARK_COLUMNS = `m.id, m.epoch, m.seq, m.kind, m.text, m.name, m.at, m.assignee_name as "assigneeName",
  m.resolved_at as "resolvedAt", m.resolved_name as "resolvedName"`;

const LIST = {
  name: "remarks-list",
  text: `
select ${REMARK_COLUMNS} from remarks m where m.session = $1 order by m.n limit 500`,
};

const IS_OPEN = `kind <> 'note' and resolved_at is null`;

/** SQL: how many flags of the thread are open. */
export const openFlagsOf = (session: string): string =>
  `(select count(*)::integer from remarks where session = ${session} and ${IS_OPEN})`;

const ASSIGN = {
  name: "remark-assign",
  text: `
update remarks set assignee = $3, assignee_name = $4 where session = $1 and id = $2 and ${IS_OPEN} returning 1 as one`,
};

const RESOLVE = {
  name: "remark-resolve",
  text: `
with done as (
  update remarks set resolved_at = now_ms(), resolved_by = $3, resolved_name = $4
    where session = $1 and id = $2 and ${IS_OPEN} returning 1 as one),
counted as (update overviews set flags = greatest(0, flags - 1) where session = $1 and exists (select from done))
select one from done`,
};

const REASON = {
  name: "review-reason",
  text: `
insert into review_reasons (browser, session, reason) values ($1, $2, $3) on conflict (browser, session) do nothing`,
};

const HAS_REASON = {
  name: "review-has-reason",
  text: `select 1 as one from review_reasons where browser = $1 and session = $2`,
};

const REASONS = {
  name: "review-reasons",
  text: `select session from review_reasons where browser = $1`,
};

export interface RemarkRow {
  readonly id: string;
  readonly epoch: number | null;
  readonly seq: number | null;
  readonly kind: RemarkKind;
  readonly text: string;
  readonly name: string;
  readonly at: number;
  readonly assigneeName: string | null;
  readonly resolvedAt: number | null;
  readonly resolvedName: string | null;
}

export function createRemarks(sql: Sql): Remarks {
  return {
    async add(session, { id, kind, text, about }, { person, name }) {
      const { epoch = null, seq = null } = about ?? {};
      await sql.query(ADD, [id, session, epoch, seq, kind, cleanText(text), person, cleanText(name)]);
    },
    async list(session) {
      return (await sql.query<RemarkRow>(LIST, [session])).map(toRemark);
    },
    async assign(session, id, { person, name }) {
      return (await sql.query(ASSIGN, [session, id, person, cleanText(name)])).length > 0;
    },
    async resolve(session, id, { person, name }) {
      return (await sql.query(RESOLVE, [session, id, person, cleanText(name)])).length > 0;
    },
    async giveReason(browser, session, reason) {
      await sql.query(REASON, [browser, session, cleanText(reason)]);
    },
    async reasonsOf(browser) {
      const rows = await sql.query<{ session: SessionId }>(REASONS, [browser]);
      return new Set(rows.map(({ session }) => session));
    },
    async hasReason(browser, session) {
      return (await sql.query(HAS_REASON, [browser, session])).length > 0;
    },
  };
}

export function toRemark(row: RemarkRow): Remark {
  const { id, kind, text, name, at, epoch, seq, assigneeName, resolvedAt, resolvedName } = row;
  return {
    id,
    kind,
    text,
    name,
    at,
    ...(epoch === null || seq === null ? {} : { about: { epoch, seq } }),
    ...(assigneeName === null ? {} : { assigneeName }),
    ...(resolvedAt === null ? {} : { resolvedAt }),
    ...(resolvedName === null ? {} : { resolvedName }),
  };
}
