/** What watches a process: metrics and traces, each only where somebody wants it. */

import type { RunQueue } from "../core/ports/run-queue.ts";
import type { Surface } from "../core/ports/surface.ts";
import { threadOf, type SessionId } from "../core/thread.ts";
import { openMetrics, type Counted } from "./metrics.ts";
import { openTraces } from "./traces.ts";

/** Each gives back what it was given, watched; where nobody watches, just that. */
export interface Watch extends Omit<Counted, "surface"> {
  /** The bell that is rung where a message comes in. */
  queue(queue: RunQueue): RunQueue;
  surface(surface: Surface, session: SessionId): Surface;
  /** Sends what is left to tell. */
  stop(): Promise<void>;
}

export async function openWatch(
  deps: Parameters<typeof openMetrics>[0],
  settings: Parameters<typeof openMetrics>[1] & Parameters<typeof openTraces>[1],
  about: Parameters<typeof openTraces>[2],
): Promise<Watch> {
  const counted = await openMetrics(deps, settings);
  const traced = await openTraces(deps, settings, about);
  return {
    ...counted,
    intake: (intake) => traced.intake(counted.intake(intake)),
    store: (store) => traced.store(counted.store(store)),
    queue: (queue) => traced.queue(queue, "runs"),
    surface: (surface, session) =>
      traced.surface(counted.surface(surface, threadOf(session).platform), session),
    stop: () => traced.stop(),
  };
}
