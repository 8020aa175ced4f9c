/** Sessions are served only where somebody can be answered: what waits for an install is left, and what waits for none any more ends. */

import type { Departures } from "../ports/departures.ts";
import type { Goals } from "../ports/goals.ts";
import type { SessionId } from "../thread.ts";
import type { ServeStep } from "./serve-session.ts";

/**
 * `broken`: nobody can be answered with the token that there is, until the app is installed there again or this process is started with
 * another one; `gone`: the app is not installed.
 */
export type Reach = "here" | "broken" | "gone";

export interface WhereInstalledDeps {
  readonly step: ServeStep;
  /** Rejects when it cannot be known now. */
  reachOf(session: SessionId): Promise<Reach>;
  readonly departures: Pick<Departures, "expire">;
  readonly goals: Pick<Goals, "apply">;
}

/** Why something of a space expired in which the app is not installed any more; kept with it. */
export const UNINSTALLED = "the app was removed from this workspace";

export function onlyWhereInstalled({ step, reachOf, departures, goals }: WhereInstalledDeps): ServeStep {
  return async (session, lease, leaving) => {
    const reach = await reachOf(session);
    switch (reach) {
      case "here":
        return step(session, lease, leaving);
      case "broken":
        return "closed";
      case "gone":
        // A run that was begun ends as after a stop: that is the step's.
        await departures.expire(session, UNINSTALLED);
        await goals.apply(session, { kind: "leave" });
        return step(session, lease, leaving);
      default:
        return reach satisfies never;
    }
  };
}
