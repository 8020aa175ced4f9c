/** The metrics of a process: counted where its parts meet, and only where somebody may read them. */

import type { MetricsSources } from "../adapters/metrics/page.ts";
import { standingOf } from "../adapters/postgres/standing.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Mounted } from "../adapters/http/listen.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import type { Clock } from "../core/ports/clock.ts";
import type { Log } from "../core/ports/log.ts";
import type { RunStore } from "../core/ports/run-store.ts";
import type { Surface } from "../core/ports/surface.ts";
import type { Intake } from "../core/run/intake.ts";
import type { Platform } from "../core/thread.ts";
import type { Coordination } from "./coordination.ts";

/** Each gives back what it was given, counted; where nobody reads metrics, just that. */
export interface Counted {
  readonly log: Log;
  store(store: RunStore): RunStore;
  intake(intake: Intake): Intake;
  surface(surface: Surface, platform: Platform): Surface;
  /** What is asked of the servers when the metrics are read. */
  from(sql: Sql, coordination: Pick<Coordination, "depth">): void;
  readonly mounted: readonly Mounted[];
}

export async function openMetrics(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  { metricsToken }: Pick<Settings, "metricsToken">,
): Promise<Counted> {
  if (metricsToken === undefined)
    return {
      log,
      store: (store) => store,
      intake: (intake) => intake,
      surface: (surface) => surface,
      from: () => {},
      mounted: [],
    };
  const { createMetrics } = await import("../adapters/metrics/page.ts");
  const { observedStore } = await import("../adapters/metrics/observed-store.ts");
  const { observedIntake, observedLog, observedSurface } = await import("../adapters/metrics/observed.ts");
  const { meters, app, from } = createMetrics({ clock, log }, metricsToken);
  return {
    log: observedLog(log, meters),
    store: (store) => observedStore(store, meters, clock),
    intake: (intake) => observedIntake(intake, meters, clock),
    surface: (surface, platform) => observedSurface(surface, platform, meters),
    from(sql, coordination) {
      const sources: MetricsSources = { standing: () => standingOf(sql), depth: () => coordination.depth() };
      from(sources);
    },
    mounted: [{ path: "/metrics", app }],
  };
}
