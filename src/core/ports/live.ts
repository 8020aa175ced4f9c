/** Live events to watchers (an open web chat). Lossy: a watcher that missed one reads the rows again. */

import type { Unwatch } from "./stops.ts";

export interface Live {
  /** `topic` is a session id or a fixed word; `event` is a small JSON value. Never rejects for want of watchers. */
  publish(topic: string, event: unknown): Promise<void>;
  /** Resolves once events are certainly heard. `heard` must not throw. */
  subscribe(topic: string, heard: (event: unknown) => void): Promise<Unwatch>;
}
