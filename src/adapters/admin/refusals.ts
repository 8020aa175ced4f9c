/** What somebody known was refused, written down; who is refused again and again adds no line without end. */

import { createAttempts } from "../../core/admin/attempts.ts";
import type { Audit, AuditLine } from "../../core/ports/audit.ts";
import type { Clock } from "../../core/ports/clock.ts";

/** Lines of one person within a minute. */
const MOST = 60;

/** The same log, of which only so many refusals of one person within a minute are kept: nothing is shown for the others either. */
export function withFewRefusals(audit: Audit, clock: Pick<Clock, "ticks">): Audit {
  const kept = createAttempts(clock, { most: MOST });
  return {
    list: (space, options) => audit.list(space, options),
    async write(line: AuditLine) {
      const { platform, space, person } = line.who;
      const isRefusal = line.kind === "refused" || line.kind === "sign_in_refused";
      if (isRefusal && !kept.take(`${platform}:${space}:${person}`)) return;
      await audit.write(line);
    },
  };
}
