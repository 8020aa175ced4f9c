// Does to processes and servers what the plan says, when it says so, and counts what was really done.
import { setTimeout as pause } from "node:timers/promises";
import type { PostgresServer } from "../support/services/postgres-server.ts";
import type { RedisServer } from "../support/services/redis-server.ts";
import type { Fleet, Place } from "./fleet.ts";
import { NEVER } from "./orders.ts";
import type { ChaosPlace } from "./place.ts";
import type { Blow, Past, Planned } from "./plan.ts";
import type { Random } from "./random.ts";

export interface FaultDeps {
  readonly fleet: Fleet;
  readonly redis: RedisServer;
  readonly postgres: PostgresServer;
  readonly place: ChaosPlace;
  readonly random: Random;
  readonly leaseMs: number;
  note(line: string): void;
}

/** What was done, by its name. */
export type Tally = Map<string, number>;

/** How long a process may take to come to the moment that it was told. */
const MOMENT_MS = 4_000;
/** How long a process that starts again is spared. */
const STARTS_MS = 3_000;
/** How long a blow may wait for somebody whom it can hit. */
const FREE_MS = 20_000;

/** Resolves when all of it is done and everything runs again. */
export async function inflict(
  plan: readonly Planned[],
  deps: FaultDeps,
  signal: AbortSignal,
): Promise<Tally> {
  const { fleet, redis, postgres, place, random, leaseMs } = deps;
  const tally: Tally = new Map();
  const count = (what: string): void => {
    tally.set(what, (tally.get(what) ?? 0) + 1);
    deps.note(what);
  };
  const rest = (least: number, most: number): Promise<void> => pause(random.between(least, most));
  const chains = { redis: Promise.resolve(), postgres: Promise.resolve() };

  /** One that nothing is done to, waited for; nothing when all are busy for too long. */
  async function take(role: Place["role"]): Promise<Place | undefined> {
    for (const until = performance.now() + FREE_MS; performance.now() < until; await pause(50)) {
      for (const one of fleet.places) if (!one.isBusy) fleet.resume(one);
      const free = fleet.places.filter(
        (one) => one.role === role && !one.isBusy && fleet.stateOf(one) === "runs",
      );
      if (free.length === 0) continue;
      const taken = random.pick(free);
      taken.isBusy = true;
      return taken;
    }
    return undefined;
  }

  const standsFor = (past: Past): number =>
    leaseMs * (past === "lease" ? 1.02 + 0.05 * random.next() : 1.8 + 1.2 * random.next());

  async function again(one: Place): Promise<void> {
    await rest(0, 1_200);
    fleet.start(one);
    // Who takes longer to start is hit while it starts.
    await Promise.race([fleet.untilReady(one), pause(STARTS_MS)]);
  }

  async function strike(blow: Extract<Blow, { who: unknown }>, one: Place): Promise<void> {
    switch (blow.kind) {
      case "kill":
        await fleet.end(one, "SIGKILL");
        count(`kill ${blow.who}`);
        return again(one);
      case "end": {
        const code = await fleet.end(one, "SIGTERM");
        count(code === 0 ? `end ${blow.who}` : `end ${blow.who} with ${code}`);
        return again(one);
      }
      case "pause":
        fleet.pause(one);
        await pause(standsFor(blow.past));
        fleet.resume(one);
        return count(`pause ${blow.who}`);
      case "kill at":
        fleet.order(one, { at: blow.moment, signal: "SIGKILL" });
        if (await comes(one, "ended")) {
          count(`kill ${blow.who} ${blow.moment}`);
          return again(one);
        }
        return fleet.order(one, NEVER);
      case "pause at":
        fleet.order(one, { at: blow.moment, signal: "SIGSTOP" });
        if (await comes(one, "stopped")) {
          await pause(standsFor(blow.past));
          fleet.resume(one);
          return count(`pause ${blow.who} ${blow.moment}`);
        }
        return fleet.order(one, NEVER);
      default:
        return blow satisfies never;
    }
  }

  async function comes(one: Place, state: "ended" | "stopped"): Promise<boolean> {
    const until = performance.now() + MOMENT_MS;
    while (performance.now() < until) {
      if (fleet.stateOf(one) === state) return true;
      await pause(25);
    }
    return false;
  }

  async function breakRedis(how: "shutdown" | "kill" | "flush"): Promise<void> {
    if (how === "flush") await redis.flush();
    else {
      await redis.stop(how);
      await rest(0, 1_500);
      await redis.start();
    }
    count(`redis ${how}`);
  }

  async function breakPostgres(how: "fast" | "immediate"): Promise<void> {
    await postgres.stop(how);
    await rest(0, 1_000);
    await postgres.start();
    count(`postgres ${how}`);
  }

  async function inflictOne({ fault }: Planned): Promise<void> {
    switch (fault.kind) {
      case "call":
        count(`call ${fault.how}`);
        return place.breakCall(fault.how, random);
      case "delivery":
        count(`delivery ${fault.how}`);
        return place.breakDelivery(fault.how, random);
      case "redis":
        return (chains.redis = chains.redis.then(() => breakRedis(fault.how)));
      case "postgres":
        return (chains.postgres = chains.postgres.then(() => breakPostgres(fault.how)));
      default: {
        const one = await take(fault.who);
        if (one === undefined) return count(`nobody to ${fault.kind}`);
        try {
          return await strike(fault, one);
        } finally {
          one.isBusy = false;
        }
      }
    }
  }

  const begun = performance.now();
  const all: Promise<void>[] = [];
  for (const planned of plan) {
    await pause(Math.max(0, begun + planned.atMs - performance.now()), undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    all.push(inflictOne(planned));
  }
  await Promise.all(all);
  // A moment may have come after it was taken back.
  for (const one of fleet.places) fleet.resume(one);
  return tally;
}
