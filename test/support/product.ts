// The product as it runs: as a process of its own, or within the test where a part has to be stood between.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigLimits } from "../../src/adapters/settings/config.ts";
import type { AccessRules } from "../../src/core/access/rules.ts";
import type { App, AppWorld, Role } from "../../src/app.ts";
import { silentLog } from "./silent-log.ts";
import { until } from "./until.ts";

export type Environment = Readonly<Record<string, string>>;

/** Nothing of the machine's own settings gets in. */
const quiet: Environment = { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info" };

/**
 * Starts the parts within this process.
 * @param limits as `bobbin.config.ts` would set them; so with `access`, with everything filled in.
 */
export async function startProduct(
  role: Role,
  env: Environment,
  world: Partial<AppWorld> = {},
  limits: Partial<ConfigLimits> = {},
  access: Partial<AccessRules> = {},
): Promise<App & AsyncDisposable> {
  // Who only starts processes need not read all of the product first.
  const { readSettings } = await import("../../src/adapters/settings/settings.ts");
  const { startApp } = await import("../../src/app.ts");
  const read = await readSettings({ ...quiet, ...env }, { command: role });
  if (read.kind === "wrong") throw new Error(JSON.stringify(read.problems));
  const { config } = read.settings;
  const settings = {
    ...read.settings,
    config: { ...config, limits: { ...config.limits, ...limits }, access: { ...config.access, ...access } },
  };
  const app = await startApp(role, settings, { log: silentLog, ...world }, new AbortController().signal);
  return { ...app, [Symbol.asyncDispose]: () => app.stop() };
}

export interface ProductProcess extends AsyncDisposable {
  readonly pid: number;
  /** Address of the HTTP server; waits until the process is ready. */
  ready(): Promise<string>;
  /** Everything that it wrote to stdout and stderr. */
  readonly output: string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, or the signal's name. */
  readonly exited: Promise<number | string>;
}

const main = join(import.meta.dirname, "../../src/main.ts");

/** In a test run, not in a bench: what reading the sources gave when they were read before, which is a third of a start. */
function compiled(): Environment {
  const folder = process.env["NODE_COMPILE_CACHE"];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}

/** `node src/main.ts <role>` as a process of its own; another program in its place where one is given. */
export function spawnProduct(role: string, env: Environment, program = main): ProductProcess {
  const child = spawn(process.execPath, [program, role], {
    env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), ...compiled(), ...quiet, ...env },
    cwd: join(import.meta.dirname, "../.."),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  let isGone = false;
  exited.then(() => (isGone = true)).catch(() => {});
  return {
    pid: child.pid ?? 0,
    ready: () =>
      until(
        () => {
          if (isGone) throw new Error(`the process ended: ${output}`);
          return /"msg":"Bobbin is ready".*|ready/.test(output)
            ? /"url":"([^"]+)"/.exec(output)?.[1]
            : undefined;
        },
        { what: "the process to be ready" },
      ),
    get output() {
      return output;
    },
    kill: (signal) => void child.kill(signal),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** A folder that goes with the test. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "bobbin-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
