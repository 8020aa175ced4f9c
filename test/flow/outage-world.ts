// Bobbin within the test on a Postgres and a Redis of its own, which a test may stop, start and empty while it works.
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import { createTranscripts } from "../../src/adapters/postgres/transcripts.ts";
import type { App } from "../../src/app.ts";
import type { Transcripts } from "../../src/core/ports/transcripts.ts";
import { createFakeLlm, type FakeLlm } from "../support/fake-llm/server.ts";
import { startProduct } from "../support/product.ts";
import type { PostgresServer } from "../support/services/postgres-server.ts";
import { ownPostgres } from "../support/services/postgres.ts";
import type { RedisServer } from "../support/services/redis-server.ts";
import { ownRedis } from "../support/services/redis.ts";
import { until } from "../support/until.ts";
import { createWebPerson, type ShownMessage, type WebPerson } from "../support/web-person.ts";

export interface OutageWorld extends AsyncDisposable {
  readonly postgres: PostgresServer;
  /** Absent where everything runs in one process. */
  readonly redis: RedisServer | undefined;
  readonly llm: FakeLlm;
  readonly person: WebPerson;
  readonly transcripts: Transcripts;
  /** Address of the chat. */
  readonly url: string;
  /** What `/readyz` of all processes names as missing; empty when all are well. */
  missing(): Promise<readonly string[]>;
  isWell(): Promise<void>;
  /** The reply of the thread once it has begun to grow; whoever wants to see it so holds the model. */
  begun(thread: string): Promise<ShownMessage>;
}

export interface OutageWorldOptions {
  /** `start`: one process on Postgres alone; `gateway and worker`: two on Postgres and Redis. */
  readonly roles: "start" | "gateway and worker";
  /** Where Postgres keeps its data. */
  readonly parentFolder?: string;
}

interface Readiness {
  readonly missing: readonly { readonly name: string; readonly why: string }[];
}

/** A job lock of two seconds: an outage of Redis ends leases sooner than in production. */
const TIMES = { jobLockMs: 2_000, stalledCheckMs: 500 };

export async function openOutageWorld({ roles, parentFolder }: OutageWorldOptions): Promise<OutageWorld> {
  await using building = new AsyncDisposableStack();
  const postgres = building.use(await ownPostgres(parentFolder === undefined ? {} : { parentFolder }));
  const redis = roles === "start" ? undefined : building.use(await ownRedis());
  const llm = await createFakeLlm({ talker: { perSecond: 60 } });
  building.defer(() => llm.close());
  const env = {
    DATABASE_URL: postgres.url,
    ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    WEB_CHAT: "on",
  };
  const parts = roles === "start" ? (["start"] as const) : (["gateway", "worker"] as const);
  const apps: App[] = [];
  // What is long is read in the thread here, and not in a file.
  const limits = { replyPages: Number.POSITIVE_INFINITY };
  for (const role of parts) apps.push(building.use(await startProduct(role, env, { times: TIMES }, limits)));
  const sql = openPostgres({ url: postgres.url });
  building.defer(() => sql.close());
  const url = apps[0]?.url ?? "";
  const person = createWebPerson(url);
  const missing = async (): Promise<readonly string[]> => {
    const answers = await Promise.all(apps.map((app) => fetch(`${app.url}/readyz`)));
    const told = await Promise.all(answers.map(async (answer) => (await answer.json()) as Readiness));
    return told.flatMap((each) => each.missing.map(({ name, why }) => `${name}: ${why}`));
  };
  const stack = building.move();
  return {
    postgres,
    redis,
    llm,
    person,
    transcripts: createTranscripts(sql),
    url,
    missing,
    async isWell() {
      await until(async () => (await missing()).length === 0, { what: "all is well again" });
    },
    begun: (thread) => person.shows(thread, "word10 "),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
