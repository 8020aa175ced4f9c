// Bobbin as it is deployed: a gateway and two workers as processes, on real Postgres and Redis, with a fake model.
import { join } from "node:path";
import { createTranscripts } from "../../src/adapters/postgres/transcripts.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { AppWorld } from "../../src/app.ts";
import type { Transcripts } from "../../src/core/ports/transcripts.ts";
import { createFakeLlm, type FakeLlm, type FakeLlmOptions } from "../support/fake-llm/server.ts";
import { spawnProduct, type Environment, type ProductProcess } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { freshRedis } from "../support/services/redis.ts";
import { createWebPerson, type WebPerson } from "../support/web-person.ts";

export interface Deployment extends AsyncDisposable {
  readonly env: Environment;
  readonly llm: FakeLlm;
  readonly gateway: ProductProcess;
  readonly workers: ProductProcess[];
  readonly sql: Sql;
  readonly transcripts: Transcripts;
  /** At the gateway, or at the address of another one. */
  newPerson(address?: string): WebPerson;
  /** One worker more; a program of the test's in its place where one is given. */
  addWorker(program?: string): Promise<ProductProcess>;
  /** Another gateway, which is ready. */
  addGateway(): Promise<ProductProcess>;
}

/** The product with the times of `QUICK_TIMES`. */
export const quickProcess = join(import.meta.dirname, "quick-process.ts");

export interface DeployOptions {
  /** 2 unless said. */
  readonly workers?: number;
  /** Shorter than in earnest, for every process but those with a program of the test's. */
  readonly times?: NonNullable<AppWorld["times"]>;
  /** In the gateway's place. */
  readonly gatewayProgram?: string;
  readonly llm?: FakeLlmOptions;
  /** Besides what every process gets. */
  readonly env?: Environment;
}

export async function deploy(options: DeployOptions = {}): Promise<Deployment> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const redis = stack.use(await freshRedis());
  const llm = await createFakeLlm(options.llm);
  stack.defer(() => llm.close());
  const sql = openPostgres({ url: database.url });
  stack.defer(() => sql.close());
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    OPENAI_API_KEY: "key-of-the-test",
    WEB_CHAT: "on",
    ...(options.times === undefined ? {} : { QUICK_TIMES: JSON.stringify(options.times) }),
    ...options.env,
  };
  const usual = options.times === undefined ? undefined : quickProcess;
  const spawn = (role: string, program = usual): ProductProcess =>
    stack.use(spawnProduct(role, env, program));
  const gateway = spawn("gateway", options.gatewayProgram);
  const workers = Array.from({ length: options.workers ?? 2 }, () => spawn("worker"));
  const [address] = await Promise.all([gateway.ready(), ...workers.map((worker) => worker.ready())]);
  return {
    env,
    llm,
    gateway,
    workers,
    sql,
    transcripts: createTranscripts(sql),
    newPerson: (at = address) => createWebPerson(at),
    async addWorker(program) {
      const worker = spawn("worker", program);
      await worker.ready();
      workers.push(worker);
      return worker;
    },
    async addGateway() {
      const another = spawn("gateway");
      await another.ready();
      return another;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
