// What Bobbin's worlds on the local platforms have in common: what they run on, how it is looked at, and what must hold after all.
import { expect } from "vitest";
import { openEmbedded } from "../../src/adapters/postgres/embedded.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import type { Sql } from "../../src/adapters/postgres/sql.ts";
import type { Role } from "../../src/app.ts";
import type { FakeLlm, FakeLlmOptions } from "../support/fake-llm/server.ts";
import { type Environment } from "../support/product.ts";
import { embeddedFolder } from "../support/services/embedded.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { freshRedis } from "../support/services/redis.ts";
import { silentLog } from "../support/silent-log.ts";
import { until } from "../support/until.ts";

export interface WorldOptions {
  /** `embedded`: one process with its own database in a folder. */
  readonly parts: "embedded" | "start" | readonly Exclude<Role, "start">[];
  /** Default: within the test. */
  readonly as?: "processes";
  /** Instead of a fresh corner of the servers that all tests share. */
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  readonly llm?: FakeLlmOptions;
}

/**
 * A job lock of three seconds: a run whose worker died is taken up sooner than in production. Only for tests of that: on a machine that
 * others load, who holds such a short lease may lose it.
 */
export const TIMES = { jobLockMs: 3_000, stalledCheckMs: 500 };

export const rolesOf = ({ parts }: WorldOptions): readonly Role[] =>
  typeof parts === "string" ? ["start"] : parts;

interface Store {
  readonly env: Environment;
  /** What was stored; only while no embedded process has it. */
  open(): Promise<Sql>;
}

export async function storeFor(stack: AsyncDisposableStack, options: WorldOptions): Promise<Store> {
  const { parts } = options;
  if (parts === "embedded") {
    const { path } = stack.use(await embeddedFolder());
    return { env: { DATA_DIR: path }, open: () => openEmbedded({ directory: path, log: silentLog }) };
  }
  const databaseUrl = options.databaseUrl ?? stack.use(await freshDatabase()).url;
  const open = (): Promise<Sql> => Promise.resolve(openPostgres({ url: databaseUrl, log: silentLog }));
  if (parts === "start") return { env: { DATABASE_URL: databaseUrl }, open };
  const redisUrl = options.redisUrl ?? stack.use(await freshRedis()).url;
  return { env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }, open };
}

/** What `/readyz` names as missing, of all of them. */
export async function missingAt(urls: readonly string[]): Promise<readonly string[]> {
  const answers = await Promise.all(urls.map((url) => fetch(`${url}/readyz`)));
  const told = await Promise.all(
    answers.map(async (answer) => (await answer.json()) as { missing: readonly { name: string }[] }),
  );
  return told.flatMap(({ missing }) => missing.map(({ name }) => name));
}

/** The first of the messages that shows this, once one does. */
export function showing<M extends { readonly text: string }>(
  messages: () => readonly M[],
  text: string | RegExp,
): Promise<M> {
  return until(
    () =>
      messages().find((one) => (typeof text === "string" ? one.text.includes(text) : text.test(one.text))),
    { what: `the thread shows ${String(text)}` },
  );
}

interface LocalPlatform {
  /** What the platform would punish. */
  readonly complaints: readonly string[];
  readonly unusedFaults: number;
  botOutsideOfThreads(): readonly { readonly text: string }[];
  clearFaults(): void;
}

/** Each call expects that nothing of the bot stands outside of threads, and that nobody has complained since the last one. */
export function peaceOn(platform: LocalPlatform, llm: FakeLlm): () => void {
  let told = 0;
  return () => {
    // A branch, and a goal that is given in a channel, begin with a message of the bot's own, below which their thread is.
    const strays = platform
      .botOutsideOfThreads()
      .filter(({ text }) => !/^\W*(?:Branch of |[^\n]* gave me a goal:)/.test(text))
      .map(({ text }) => `outside of any thread: ${text}`);
    const complaints = [...platform.complaints, ...llm.complaints];
    const problems = [...complaints.slice(told), ...strays];
    told = complaints.length;
    if (platform.unusedFaults > 0) problems.push(`${platform.unusedFaults} faults that nobody met`);
    if (llm.unused > 0) problems.push(`${llm.unused} scripted answers that nobody asked for`);
    platform.clearFaults();
    expect(problems).toEqual([]);
  };
}
