/** The filter of the list of threads, as it stands in an address. */

import type { OverviewFilter, Queue } from "../../core/ports/overviews.ts";
import type { AdminContext } from "./viewer.ts";

const QUEUES: readonly Queue[] = ["failures", "sample"];
const DAY_MS = 24 * 3_600_000;

export function filterIn(c: AdminContext): OverviewFilter {
  const text = (name: string): string | undefined => c.req.query(name)?.trim().slice(0, 200) || undefined;
  const day = (name: string): number | undefined => {
    const given = text(name);
    const at =
      given !== undefined && /^\d{4}-\d\d-\d\d$/.test(given) ? Date.parse(`${given}T00:00:00Z`) : Number.NaN;
    return Number.isNaN(at) ? undefined : at;
  };
  const cost = Number(text("cost") ?? Number.NaN);
  const to = day("to");
  const fields: { [K in keyof OverviewFilter]: OverviewFilter[K] | undefined } = {
    channel: text("channel"),
    person: text("person"),
    model: text("model"),
    reason: text("reason"),
    costOver: Number.isFinite(cost) && cost >= 0 ? cost : undefined,
    hasError: text("error") === undefined ? undefined : true,
    hasGoal: text("goal") === undefined ? undefined : true,
    isFlagged: text("flagged") === undefined ? undefined : true,
    queue: QUEUES.find((queue) => queue === text("queue")),
    isUnreviewed: text("unreviewed") === undefined ? undefined : true,
    reviewer: text("mine") === undefined ? undefined : c.get("viewer").who.person,
    from: day("from"),
    // The last day counts.
    to: to === undefined ? undefined : to + DAY_MS,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as OverviewFilter;
}

export function aboutOf(filter: OverviewFilter): { readonly about?: string } {
  return Object.keys(filter).length === 0 ? {} : { about: JSON.stringify(filter) };
}
