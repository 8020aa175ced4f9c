/**
 * `GET /metrics`, as Prometheus reads it, for whoever brings the token. What stands in the database and in the queues is asked
 * when it is read, at most once a few seconds, whoever reads.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { withTimeLimit } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Standing } from "../../core/ports/standing.ts";
import type { Watched } from "../../core/ports/watched.ts";
import { createInstruments, type Instruments } from "./instruments.ts";

/** Where it cannot be known the figures are left out. */
export interface MetricsSources extends Pick<Watched, "depth"> {
  /** Rejects where it cannot be known. */
  standing(): Promise<Standing>;
}

export interface Metrics {
  readonly meters: Instruments;
  readonly app: Hono;
  /** From when on there is something to ask. */
  from(sources: MetricsSources): void;
}

const FRESH_MS = 2_000;
const ASK_MS = 2_000;

/** @param token whoever reads has to send it: `Authorization: Bearer …`. */
export function createMetrics(
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  token: string,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meters = createInstruments(registry);
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `bobbin_${name}`, help, labelNames, registers: [registry] });
  const waiting = gauge("waiting_inbounds", "Inbounds that nobody has taken up yet.");
  const oldest = gauge("oldest_waiting_seconds", "For how long the oldest of them has waited.");
  const runs = gauge("open_runs", "Runs that are under way, or whose final pages are still to be written.", [
    "state",
  ]);
  const goals = gauge("planned_goals", "Goals that have something to do by themselves later.", ["status"]);
  const jobs = gauge("queue_jobs", "Wakes in the queues.", ["queue", "state"]);
  let sources: MetricsSources | undefined;
  let asked = -Infinity;
  let asking: Promise<void> | undefined;

  async function ask(from: MetricsSources): Promise<void> {
    for (const each of [waiting, oldest, runs, goals, jobs]) each.reset();
    const [standing, depth] = await withTimeLimit(
      clock,
      ASK_MS,
      "the figures of the servers",
      Promise.all([from.standing(), from.depth()]),
    );
    waiting.set(standing.waiting);
    oldest.set(standing.oldestSeconds);
    runs.set({ state: "open" }, standing.open);
    runs.set({ state: "settling" }, standing.settling);
    for (const [status, count] of Object.entries(standing.goals)) goals.set({ status }, count);
    for (const [queue, { waiting: wait, active }] of Object.entries(depth)) {
      jobs.set({ queue, state: "waiting" }, wait);
      jobs.set({ queue, state: "active" }, active);
    }
  }

  async function fresh(): Promise<void> {
    if (sources === undefined || clock.ticks() - asked < FRESH_MS) return asking;
    asked = clock.ticks();
    asking = ask(sources).catch((error: unknown) => {
      log.warn("figures of the servers are missing in the metrics", { error });
    });
    return asking;
  }

  const app = new Hono();
  app.get("*", async (c) => {
    c.header("Cache-Control", "no-store");
    if (!isToken(c.req.header("authorization"), token)) {
      c.header("WWW-Authenticate", "Bearer");
      return c.text("The metrics need the token of METRICS_TOKEN.", 401);
    }
    await fresh();
    return c.body(await registry.metrics(), 200, { "Content-Type": registry.contentType });
  });

  return { meters, app, from: (given) => void (sources = given) };
}

/** In a time that says nothing of the token. */
function isToken(header: string | undefined, token: string): boolean {
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(header ?? ""), hash(`Bearer ${token}`));
}
