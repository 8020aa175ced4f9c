/** Who is there where one process is all there is: it, for as long as somebody can ask. */

import type { AttendanceBook, Attender, Doings } from "../../core/ports/attendance.ts";
import type { Clock } from "../../core/ports/clock.ts";

/** @param doingsOf asked when somebody looks. */
export function createLocalAttendance(
  clock: Pick<Clock, "ticks">,
  who: Attender,
  doingsOf: () => Doings,
): Pick<AttendanceBook, "list"> {
  const begun = clock.ticks();
  return {
    list: () => Promise.resolve([{ ...who, ...doingsOf(), upMs: clock.ticks() - begun, seenMsAgo: 0 }]),
  };
}
