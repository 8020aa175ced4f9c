/** Rows of reply pages. A page locks its session's row in share mode: a claim waits for it, other pages do not. */

import type { RunId } from "../../core/ids.ts";
import type { PageRow, Pages } from "../../core/ports/pages.ts";
import { staleFence } from "./fenced.ts";
import type { Sql } from "./sql.ts";

const LIST = {
  name: "pages-list",
  text: `select run, index, key, message from pages where run = $1 order by index`,
};

const HELD = `held as materialized (select id from sessions where id = $1 and fence = $2::bigint for share)`;

const PUT = {
  name: "pages-put",
  text: `
with ${HELD}
insert into pages (run, index, key, message)
select $3::text, $4::integer, $5::text, $6::text from held
on conflict (run, index) do update set key = excluded.key, message = excluded.message
returning run`,
};

const REMOVE = {
  name: "pages-remove",
  text: `
with ${HELD},
gone as (delete from pages p using held where p.run = $3 and p.index = $4::integer)
select id from held`,
};

export function createPages(sql: Sql): Pages {
  return {
    async list(run) {
      const rows = await sql.query<{ run: RunId; index: number; key: string; message: string | null }>(LIST, [
        run,
      ]);
      return rows.map(({ message, ...row }): PageRow => (message === null ? row : { ...row, message }));
    },
    async put(fence, page) {
      const values = [
        fence.session,
        fence.number,
        page.run,
        page.index,
        page.key,
        page.message ?? null,
      ] as const;
      const rows = await sql.query(PUT, values);
      if (rows.length === 0) throw staleFence(fence);
    },
    async remove(fence, index) {
      const rows = await sql.query(REMOVE, [fence.session, fence.number, fence.run, index]);
      if (rows.length === 0) throw staleFence(fence);
    },
  };
}
