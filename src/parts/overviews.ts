/** What admins look for threads by, kept up to date by those who answer. */

import { createOverviewMaker } from "../adapters/postgres/admin/overview-maker.ts";
import { createOverviewKeeper, type OverviewKeeper } from "../core/admin/overview-keeper.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { Database } from "./database.ts";

export function openOverviews(
  database: Database,
  deps: { readonly clock: Clock; readonly log: Log },
): OverviewKeeper {
  const exclusive = (body: () => Promise<void>): Promise<void> => database.exclusive(body, "overviews");
  return createOverviewKeeper({ ...deps, maker: createOverviewMaker(database.sql), exclusive });
}
