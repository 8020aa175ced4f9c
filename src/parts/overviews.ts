/** What those who answer do beside it for the admin pages: what threads are found by is kept up to date, and what is too old is forgotten. */

import { createAudit } from "../adapters/postgres/admin/audit.ts";
import { createOverviewMaker } from "../adapters/postgres/admin/overview-maker.ts";
import { createRetention } from "../adapters/postgres/admin/retention.ts";
import { createOverviewKeeper, type OverviewKeeper } from "../core/admin/overview-keeper.ts";
import { createRetentionKeeper, type RetentionRules } from "../core/admin/retention.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { Database } from "./database.ts";

export function openOverviews(
  database: Database,
  deps: { readonly clock: Clock; readonly log: Log },
  rules: RetentionRules,
): OverviewKeeper {
  const { sql } = database;
  const only =
    (what: "overviews" | "retention") =>
    (body: () => Promise<void>): Promise<void> =>
      database.exclusive(body, what);
  const overviews = createOverviewKeeper({
    ...deps,
    maker: createOverviewMaker(sql),
    exclusive: only("overviews"),
  });
  const [retention, audit] = [createRetention(sql), createAudit(sql)];
  const old = createRetentionKeeper({ ...deps, retention, audit, rules, exclusive: only("retention") });
  return {
    get lookedMsAgo() {
      return overviews.lookedMsAgo;
    },
    get waiting() {
      return overviews.waiting;
    },
    after: overviews.after,
    start() {
      overviews.start();
      old.start();
    },
    async stop() {
      await Promise.all([overviews.stop(), old.stop()]);
    },
  };
}
