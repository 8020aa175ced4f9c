// A gateway and two workers as processes, each with a wire of its own to Redis and to Postgres that a test may silence.
import { createTranscripts } from "../../src/adapters/postgres/transcripts.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { AppWorld } from "../../src/app.ts";
import type { InboundView, RunView } from "../../src/core/ports/transcripts.ts";
import { toSessionId, type SessionId } from "../../src/core/thread.ts";
import { createFakeLlm, type FakeLlm } from "../support/fake-llm/server.ts";
import { spawnProduct, type ProductProcess } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { withRedis } from "../support/services/redis-server.ts";
import { freshRedis } from "../support/services/redis.ts";
import { until } from "../support/until.ts";
import { createWebPerson, type ShownMessage, type WebPerson } from "../support/web-person.ts";
import { openWire, type Wire } from "../support/wire.ts";
import { quickProcess } from "./deployment.ts";

export interface WiredProcess {
  readonly process: ProductProcess;
  readonly url: string;
  readonly redis: Wire;
  readonly postgres: Wire;
}

export interface WiredWorld extends AsyncDisposable {
  readonly llm: FakeLlm;
  readonly person: WebPerson;
  /** Past every wire. */
  readonly sql: Sql;
  readonly gateway: WiredProcess;
  readonly workers: readonly WiredProcess[];
  /** All of the kind. */
  readonly redis: readonly Wire[];
  readonly postgres: readonly Wire[];
  emptyRedis(): Promise<void>;
  /** Every wire lets pass again. */
  mend(): Promise<void>;
  /** What `/readyz` of the process names as missing, and how long the answer took, ms. */
  missing(process: WiredProcess): Promise<{ readonly names: readonly string[]; readonly tookMs: number }>;
  /** Nothing is missing in any process. */
  isWell(): Promise<void>;
  inbounds(thread: string): Promise<readonly InboundView[]>;
  /** The one run of the thread. */
  run(thread: string): Promise<RunView>;
  /** The reply of the thread once it has begun to grow; whoever wants to see it so holds the model. */
  begun(thread: string): Promise<ShownMessage>;
  /** Who has the run of the thread. */
  holder(thread: string): Promise<WiredProcess>;
}

/** A lease of 1.4 seconds, so that seconds are longer than it; a statement may take 1.5, a request to Redis 0.5. */
const TIMES: NonNullable<AppWorld["times"]> = {
  jobLockMs: 2_000,
  stalledCheckMs: 500,
  commandTimeoutMs: 500,
  connectTimeoutMs: 1_000,
  statementTimeoutMs: 1_500,
  sweep: { everyMs: 2_000, soonMs: 300, idleMs: 1_500 },
};

export async function openWiredWorld(times: AppWorld["times"] = TIMES): Promise<WiredWorld> {
  await using building = new AsyncDisposableStack();
  const database = building.use(await freshDatabase());
  const redis = building.use(await freshRedis());
  const llm = await createFakeLlm({ talker: { perSecond: 100 } });
  building.defer(() => llm.close());
  const sql = openPostgres({ url: database.url });
  building.defer(() => sql.close());
  const transcripts = createTranscripts(sql);

  async function start(role: "gateway" | "worker"): Promise<WiredProcess> {
    const wires = {
      redis: building.use(await openWire(redis.url)),
      postgres: building.use(await openWire(database.url)),
    };
    const started = building.use(
      spawnProduct(
        role,
        {
          DATABASE_URL: wires.postgres.url,
          REDIS_URL: wires.redis.url,
          OPENAI_BASE_URL: llm.url,
          MODEL: "fake",
          OPENAI_API_KEY: "key-of-the-test",
          WEB_CHAT: "on",
          WORKER_CONCURRENCY: "2",
          QUICK_TIMES: JSON.stringify(times),
        },
        quickProcess,
      ),
    );
    return { process: started, url: await started.ready(), ...wires };
  }

  const [gateway, ...workers] = await Promise.all([start("gateway"), start("worker"), start("worker")]);
  const all = [gateway, ...workers];
  const person = createWebPerson(gateway.url);
  const run = async (thread: string): Promise<RunView> => {
    const [only, ...more] = await transcripts.runs(sessionOf(thread));
    if (only === undefined || more.length > 0) throw new Error(`the thread has ${more.length + 1} runs`);
    return only;
  };
  const missing: WiredWorld["missing"] = async ({ url }) => {
    const askedAt = performance.now();
    const answer = await fetch(`${url}/readyz`);
    const told = (await answer.json()) as { readonly missing: readonly { readonly name: string }[] };
    return { names: told.missing.map(({ name }) => name), tookMs: performance.now() - askedAt };
  };
  const wires = { redis: all.map((each) => each.redis), postgres: all.map((each) => each.postgres) };
  const stack = building.move();
  return {
    llm,
    person,
    sql,
    gateway,
    workers,
    ...wires,
    emptyRedis: () => withRedis(redis.url, async (on) => void (await on.flushdb())),
    async mend() {
      for (const wire of [...wires.redis, ...wires.postgres]) await wire.mend();
    },
    missing,
    isWell: async () =>
      void (await until(
        async () => (await Promise.all(all.map(missing))).every(({ names }) => names.length === 0),
        { everyMs: 100, what: "all is well" },
      )),
    inbounds: (thread) => transcripts.inbounds(sessionOf(thread)),
    run,
    begun: (thread) => person.shows(thread, "word10 "),
    async holder(thread) {
      const worker = (await run(thread)).attempts.at(-1)?.worker;
      const holder = workers.find(({ process }) => worker?.endsWith(`/${process.pid}`));
      if (holder === undefined) throw new Error("nobody has the run");
      return holder;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function sessionOf(thread: string): SessionId {
  const session = toSessionId(thread);
  if (session === undefined) throw new Error(`not a session: ${thread}`);
  return session;
}
