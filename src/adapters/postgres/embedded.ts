/** The database of a bot that has no DATABASE_URL: PGlite in a directory of its own, locked, with today's schema. */

import { join } from "node:path";
import type { Log } from "../../core/ports/log.ts";
import { lockDirectory } from "./directory-lock.ts";
import { migrateEmbedded } from "./migrate.ts";
import { overPglite } from "./pglite.ts";
import type { Sql } from "./sql.ts";
import { toStoreError } from "./store-error.ts";

export interface EmbeddedOptions {
  /** Made when it is not there. The database lies in its folder `pglite`. */
  readonly directory: string;
  readonly log?: Log;
}

/**
 * Survives a killed process, not a power cut: PGlite does not wait for the disk. `close` gives the directory free.
 * @throws BobbinError `lock_failed` when another process uses the directory, `store_full` when there is no room.
 */
export async function openEmbedded({ directory, log }: EmbeddedOptions): Promise<Sql> {
  const lock = await lockDirectory(directory);
  try {
    // Loaded here and not above: a bot with DATABASE_URL never needs its 20 MB.
    const { PGlite } = await import("@electric-sql/pglite");
    const database = await PGlite.create({ dataDir: join(directory, "pglite") });
    try {
      await migrateEmbedded(database, log);
    } catch (thrown) {
      await database.close().catch(() => {});
      throw thrown;
    }
    return overPglite(database, () => lock.release());
  } catch (thrown) {
    await lock.release();
    throw toStoreError(thrown);
  }
}
