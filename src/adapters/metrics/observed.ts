/** The way in and the way out, counted. They change nothing, and nothing waits for them. */

import type { Intake } from "../../core/run/intake.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { overlaid } from "../../core/overlaid.ts";
import type { Surface, Written } from "../../core/ports/surface.ts";
import { threadOf, type Platform } from "../../core/thread.ts";
import type { Instruments } from "./instruments.ts";

export function observedIntake(intake: Intake, meters: Instruments, clock: Clock): Intake {
  return {
    async receive(inbound, put) {
      const { platform } = threadOf(inbound.session);
      const { kind } = inbound;
      const begun = clock.ticks();
      try {
        const receipt = await intake.receive(inbound, put);
        meters.inbounds.inc({ platform, kind, outcome: receipt.kind });
        meters.intake.observe({ platform }, (clock.ticks() - begun) / 1_000);
        return receipt;
      } catch (error) {
        meters.inbounds.inc({ platform, kind, outcome: "not_stored" });
        throw error;
      }
    },
  };
}

export function observedSurface(surface: Surface, platform: Platform, meters: Instruments): Surface {
  const counted = async (write: string, writing: Promise<Written>): Promise<Written> => {
    const written = await writing;
    meters.pageWrites.inc({ platform, write, outcome: written.kind });
    return written;
  };
  return overlaid(surface, {
    post: (...args: Parameters<Surface["post"]>) => counted("post", surface.post(...args)),
    edit: (...args: Parameters<Surface["edit"]>) => counted("edit", surface.edit(...args)),
    remove: (...args: Parameters<Surface["remove"]>) => counted("remove", surface.remove(...args)),
  });
}

export function observedLog(log: Log, meters: Instruments): Log {
  return {
    debug: (message, facts) => log.debug(message, facts),
    info: (message, facts) => log.info(message, facts),
    warn(message, facts) {
      meters.logLines.inc({ level: "warn" });
      log.warn(message, facts);
    },
    error(message, facts) {
      meters.logLines.inc({ level: "error" });
      log.error(message, facts);
    },
    with: (facts) => observedLog(log.with(facts), meters),
  };
}
