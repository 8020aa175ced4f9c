/** Who is there: every process signs a book that they share; where there is no Redis it is alone, and writes nothing for it. */

import { hostname } from "node:os";
import { createLocalAttendance } from "../adapters/local/attendance.ts";
import { createAttendanceBook } from "../adapters/postgres/attendance.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { createAttendance } from "../core/admin/attendance.ts";
import type { OverviewKeeper } from "../core/admin/overview-keeper.ts";
import type { NewId } from "../core/ids.ts";
import type { AttendanceBook, Doings } from "../core/ports/attendance.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { Sweeper } from "../core/run/sweeper.ts";

export interface AttendancePart {
  readonly book: Pick<AttendanceBook, "list">;
  /** From now on it says that this process is there, and what these of it did last. */
  start(
    sweeper?: Pick<Sweeper, "sweptMsAgo">,
    keeper?: Pick<OverviewKeeper, "lookedMsAgo" | "waiting">,
  ): void;
  stop(): Promise<void>;
}

export function openAttendance(
  deps: { readonly sql: Sql; readonly newId: NewId; readonly clock: Clock; readonly log: Log },
  { redisUrl }: Pick<Settings, "redisUrl">,
  { role, version }: { readonly role: string; readonly version: string },
): AttendancePart {
  const { sql, newId, clock } = deps;
  const who = { id: newId(), role, host: hostname(), pid: process.pid, version };
  let doingsOf = (): Doings => ({});
  const start: AttendancePart["start"] = (sweeper, keeper) => {
    doingsOf = () => {
      const [sweptMsAgo, overviewsMsAgo] = [sweeper?.sweptMsAgo, keeper?.lookedMsAgo];
      return {
        ...(sweptMsAgo === undefined ? {} : { sweptMsAgo: Math.round(sweptMsAgo) }),
        ...(overviewsMsAgo === undefined ? {} : { overviewsMsAgo: Math.round(overviewsMsAgo) }),
        ...(keeper === undefined ? {} : { overviewsWaiting: keeper.waiting }),
      };
    };
  };
  if (redisUrl === undefined)
    return {
      book: createLocalAttendance(clock, who, () => doingsOf()),
      start,
      stop: () => Promise.resolve(),
    };
  const book = createAttendanceBook(sql);
  const attendance = createAttendance({ ...deps, book }, who, () => doingsOf());
  return {
    book,
    start(sweeper, keeper) {
      start(sweeper, keeper);
      attendance.start();
    },
    stop: () => attendance.stop(),
  };
}
