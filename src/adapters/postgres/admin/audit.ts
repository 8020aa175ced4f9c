/** The audit log in its table, which takes neither a change nor a removal. */

import type { Audit, AuditedLine, AuditKind } from "../../../core/ports/audit.ts";
import { cleanText, headOf } from "../../../core/text.ts";
import type { Platform, SessionId } from "../../../core/thread.ts";
import type { Sql } from "../sql.ts";

const WRITE = {
  name: "audit-write",
  text: `insert into audit (platform, space, person, name, kind, session, about) values ($1, $2, $3, $4, $5, $6, $7)`,
};

const LINE = `n, at, platform, space, person, name, kind, session, about`;

const LIST = {
  name: "audit-list",
  text: `
select ${LINE} from audit where platform = $1 and space = $2 and n < coalesce($3::bigint, 9223372036854775807)
order by n desc limit $4::integer`,
};

const OF_SESSION = {
  name: "audit-of-session",
  text: `
select ${LINE} from audit
where platform = $1 and space = $2 and n < coalesce($3::bigint, 9223372036854775807) and session = $5
order by n desc limit $4::integer`,
};

/** A whole reason, with the filter of the export that it was given for. */
const LONGEST_ABOUT = 8_000;

interface LineRow {
  readonly n: number;
  readonly at: number;
  readonly platform: Platform;
  readonly space: string;
  readonly person: string;
  readonly name: string;
  readonly kind: AuditKind;
  readonly session: SessionId | null;
  readonly about: string | null;
}

export function createAudit(sql: Sql): Audit {
  return {
    async write({ who: { platform, space, person, name }, kind, session, about }) {
      const said = about === undefined ? null : headOf(cleanText(about), LONGEST_ABOUT);
      await sql.query(WRITE, [platform, space, person, cleanText(name), kind, session ?? null, said]);
    },
    async list({ platform, space }, { before, limit, session }) {
      const values = [platform, space, before ?? null, limit];
      const rows =
        session === undefined
          ? await sql.query<LineRow>(LIST, values)
          : await sql.query<LineRow>(OF_SESSION, [...values, session]);
      return rows.map(({ n, at, kind, session: of, about, ...who }): AuditedLine => ({
        n,
        at,
        kind,
        who,
        ...(of === null ? {} : { session: of }),
        ...(about === null ? {} : { about }),
      }));
    },
  };
}
