// What a test run needs is started once here, and ended when the run ends. DATABASE_URL and REDIS_URL name servers to use
// instead of our own; nothing is ever skipped for want of a service.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { compileOnce } from "./compiled-sources.ts";
import { startPostgres } from "./postgres-server.ts";
import { ensureChromium } from "./programs.ts";
import { startRedis, withRedis } from "./redis-server.ts";

interface Services {
  readonly databaseUrl: string;
  readonly databaseTemplate: string;
  readonly redisUrl: string;
  /** How many databases `freshRedis` may hand out; 0 on a server that is not ours. */
  readonly redisDatabases: number;
}

declare module "vitest" {
  interface ProvidedContext {
    services: Services;
  }
}

const redisDatabases = 2_000;

/** Called by vitest before the first test; what it returns, after the last. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  const [postgres, redis] = await Promise.all([
    openPostgres(stack),
    openRedis(stack),
    prepareChromium(project),
    compileOnce(),
  ]);
  project.provide("services", { ...postgres, ...redis });
  const open = stack.move();
  return () => open.disposeAsync();
}

async function openPostgres(
  stack: AsyncDisposableStack,
): Promise<Pick<Services, "databaseUrl" | "databaseTemplate">> {
  const databaseUrl = process.env["DATABASE_URL"] ?? stack.use(await startPostgres()).url;
  const databaseTemplate = `bobbin_template_${randomBytes(6).toString("hex")}`;
  await query(databaseUrl, `create database "${databaseTemplate}" template template0`);
  stack.defer(() => query(databaseUrl, `drop database if exists "${databaseTemplate}" with (force)`));
  const template = new URL(databaseUrl);
  template.pathname = `/${databaseTemplate}`;
  await migrate(template.href);
  return { databaseUrl, databaseTemplate };
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect().catch((error: unknown) => {
    throw new Error("The Postgres of DATABASE_URL does not answer.", { cause: error });
  });
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function openRedis(
  stack: AsyncDisposableStack,
): Promise<Pick<Services, "redisUrl" | "redisDatabases">> {
  const given = process.env["REDIS_URL"];
  if (given === undefined) {
    return { redisUrl: stack.use(await startRedis({ databases: redisDatabases })).url, redisDatabases };
  }
  await withRedis(given, (redis) => redis.ping()).catch((error: unknown) => {
    throw new Error("The Redis of REDIS_URL does not answer.", { cause: error });
  });
  return { redisUrl: given, redisDatabases: 0 };
}

/** Installs Chromium before the first test, and only for a run with tests that open it. */
async function prepareChromium(project: TestProject): Promise<void> {
  // The file names of the command line are there at run time, though the types of vitest keep quiet about them.
  const { filenamePattern } = project.vitest as { filenamePattern?: string[] };
  const specifications = await project.vitest.globTestSpecifications(filenamePattern);
  const files = new Set(specifications.map((specification) => specification.moduleId));
  for (const file of files) {
    if ((await readFile(file, "utf8")).includes("services/chromium.ts")) {
      await ensureChromium();
      return;
    }
  }
}
