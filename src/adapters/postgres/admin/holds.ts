/** Legal holds in their table. */

import type { Hold, HoldKind, Holds } from "../../../core/ports/holds.ts";
import { cleanText } from "../../../core/text.ts";
import type { Sql } from "../sql.ts";
import { settingHold } from "./hold-sql.ts";

const SET = {
  name: "hold-set",
  text: `
with alone as materialized (select ${settingHold("$2", "$3")})
insert into holds (id, platform, space, kind, subject, reason, person, name) select $1, $2, $3, $4, $5, $6, $7, $8 from alone
on conflict (platform, space, kind, subject) where lifted_at is null do nothing returning id`,
};

const LIFT = {
  name: "hold-lift",
  text: `
update holds set lifted_at = now_ms(), lifted_person = $4, lifted_name = $5
where id = $1 and platform = $2 and space = $3 and lifted_at is null returning id`,
};

const LIST = {
  name: "holds-list",
  text: `
select h.id, h.kind, h.subject, h.reason, h.name, h.at, h.lifted_at as "liftedAt", h.lifted_name as "liftedName",
  h.kind = 'person' and h.lifted_at is null
    and not exists (select from inbox i where split_part(i.session, ':', 2) = h.space and i.body->'author'->>'id' = h.subject
      and i.kind = 'message' and split_part(i.session, ':', 1) = h.platform)
    and not exists (select from reactions g where g.person = h.subject and split_part(g.session, ':', 1) = h.platform
      and split_part(g.session, ':', 2) = h.space) as "isOfNobody"
from holds h where h.platform = $1 and h.space = $2 order by h.lifted_at is not null, h.n desc limit $3::integer`,
};

interface HoldRow {
  readonly id: string;
  readonly kind: HoldKind;
  readonly subject: string;
  readonly reason: string;
  readonly name: string;
  readonly at: number;
  readonly liftedAt: number | null;
  readonly liftedName: string | null;
  readonly isOfNobody: boolean;
}

export function createHolds(sql: Sql): Holds {
  return {
    async set(id, { kind, subject }, reason, { platform, space, person, name }) {
      const values = [
        id,
        platform,
        space,
        kind,
        cleanText(subject),
        cleanText(reason),
        person,
        cleanText(name),
      ];
      return (await sql.query(SET, values)).length > 0;
    },
    async lift(id, { platform, space, person, name }) {
      return (await sql.query(LIFT, [id, platform, space, person, cleanText(name)])).length > 0;
    },
    async list({ platform, space }, limit) {
      const rows = await sql.query<HoldRow>(LIST, [platform, space, limit]);
      return rows.map(({ liftedAt, liftedName, isOfNobody, ...row }): Hold => ({
        ...row,
        ...(liftedAt === null ? {} : { liftedAt }),
        ...(liftedName === null ? {} : { liftedName }),
        ...(isOfNobody ? { isOfNobody } : {}),
      }));
    },
  };
}
