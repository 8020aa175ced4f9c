/** Who names threads: a model beside the one that answers, where one is set. */

import { sha256 } from "../adapters/ids.ts";
import { createTitles } from "../adapters/postgres/titles.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import type { NewId } from "../core/ids.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { Surface } from "../core/ports/surface.ts";
import { createTitler, type Titler } from "../core/run/titler.ts";
import type { SessionId } from "../core/thread.ts";
import { openLiteModel } from "./lite-model.ts";

/** Undefined where no `LITE_MODEL` is set: then threads are called by their first words. */
export async function openTitles(
  deps: {
    readonly sql: Sql;
    readonly clock: Clock;
    readonly log: Log;
    readonly newId: NewId;
    surfaceOf(session: SessionId): Surface;
  },
  settings: Settings,
): Promise<Titler | undefined> {
  const lite = await openLiteModel(deps, settings, "if set");
  if (lite === undefined) return undefined;
  const titler = createTitler(
    { ...deps, model: lite.model, hash: sha256, titles: createTitles(deps.sql) },
    { record: lite.record },
  );
  return {
    begin: (claimed, spent) => titler.begin(claimed, spent),
    async stop() {
      await titler.stop();
      await lite.close();
    },
  };
}
