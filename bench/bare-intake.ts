/** What is durable of a mention before it is acknowledged, and nothing else: a row, then a job. */

import { Queue } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import type { BareEvent } from "./signed-events.ts";

export const BARE_QUEUE = "bare";

/** A job says only which session. */
export interface BareJob {
  readonly session: string;
}

export interface BareServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

const PUT = {
  name: "bare-put",
  text: "insert into bare_inbox (id, session, body) values ($1, $2, $3) on conflict (id) do nothing",
};

export function openBareIntake(servers: BareServers): {
  readonly pool: pg.Pool;
  take(event: BareEvent): Promise<void>;
} {
  const pool = new pg.Pool({ connectionString: servers.databaseUrl, max: 10 });
  const queue = new Queue<BareJob>(BARE_QUEUE, {
    connection: connectRedis(servers),
    defaultJobOptions: { removeOnComplete: true },
  });
  return {
    pool,
    async take(event) {
      const { id, session } = event;
      await pool.query({ ...PUT, values: [id, session, JSON.stringify(event)] });
      await queue.add("wake", { session }, { deduplication: { id: session, keepLastIfActive: true } });
    },
  };
}

export function connectRedis({ redisUrl }: BareServers): Redis {
  return new Redis(redisUrl, { maxRetriesPerRequest: null });
}
