/** The pacer of all processes that share a Redis, by its clock. */

import { createHash } from "node:crypto";
import type { Log } from "../core/ports/log.ts";
import type { Budget, Pacer } from "../core/ports/pacer.ts";
import {
  BINDING_MS,
  GRACE_MS,
  keptFree,
  LONGEST_DEBT_MS,
  longestWaitMs,
  URGENCIES,
} from "../core/reply/pacing.ts";
import type { RedisConnections } from "./connection.ts";
import { HOLD, TAKE } from "./scripts.ts";

export interface RedisPacerDeps {
  readonly redis: Pick<RedisConnections, "commands" | "prefix">;
  /** Asked where the others cannot be: takes a part of each budget, as they may do. */
  readonly alone: Pacer;
  readonly log: Log;
}

export interface RedisPacerOptions {
  /** Of a simulation: ms since 1970, in place of the server's own time. */
  now?(): number;
}

interface Script {
  readonly lua: string;
  readonly sha: string;
}

const take = scriptOf(TAKE);
const hold = scriptOf(HOLD);

export function createRedisPacer(deps: RedisPacerDeps, options: RedisPacerOptions = {}): Pacer {
  const { redis, alone, log } = deps;

  function keysOf({ key }: Budget): readonly string[] {
    const base = `${redis.prefix}:pacer:${key}`;
    return [base, `${base}:line`, `${base}:due`];
  }

  async function run(
    { lua, sha }: Script,
    budget: Budget,
    args: readonly (string | number)[],
  ): Promise<unknown> {
    const keys = keysOf(budget);
    const all = [...keys, options.now?.() ?? "", ...args];
    try {
      return await redis.commands.evalsha(sha, keys.length, ...all);
    } catch (error) {
      // A server that was restarted or changed places does not know it.
      if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
      return redis.commands.eval(lua, keys.length, ...all);
    }
  }

  async function orAlone<T>(budget: Budget, work: () => Promise<T>, without: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      log.debug("the others could not be asked for their pace", { budget: budget.key, error });
      return without();
    }
  }

  return {
    take(budget, asking) {
      const { everyMs, burst, isLeast } = budget;
      const { who, urgency } = asking;
      const mayExceed = isLeast === true && urgency !== "progress" ? 1 : 0;
      const args = [
        everyMs,
        burst,
        keptFree(budget, urgency),
        URGENCIES.indexOf(urgency),
        mayExceed,
        who,
        longestWaitMs(urgency),
        GRACE_MS,
        isLeast === true ? LONGEST_DEBT_MS : 0,
      ];
      return orAlone(
        budget,
        async () => Number(await run(take, budget, args)),
        () => alone.take(budget, asking),
      );
    },
    async leave(budget, who) {
      const [, line = "", due = ""] = keysOf(budget);
      await orAlone(
        budget,
        async () => void (await redis.commands.pipeline().zrem(line, who).zrem(due, who).exec()),
        () => alone.leave(budget, who),
      );
    },
    async hold(budget, forMs) {
      // Also for the time when Redis is away: the platform said it to this process.
      await alone.hold(budget, forMs);
      const args = [budget.everyMs, budget.burst, Math.ceil(forMs), BINDING_MS];
      await orAlone(
        budget,
        async () => void (await run(hold, budget, args)),
        () => Promise.resolve(),
      );
    },
  };
}

function scriptOf(lua: string): Script {
  return { lua, sha: createHash("sha1").update(lua).digest("hex") };
}
