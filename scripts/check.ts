// `npm run check`: everything that can be said about the source without running it. Each tool's output is printed as a
// whole when it ends, so that parallel tools do not mix, and the exit code is non-zero when one of them complained.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";

interface Check {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

interface Outcome {
  readonly check: Check;
  readonly ok: boolean;
  readonly output: string;
  readonly seconds: number;
}

const root = dirname(import.meta.dirname);

const browsers = ["src/adapters/web/browser", "src/adapters/admin/browser"];

// The slowest first, so that a machine with few cores is never left with only the slow one running.
const checks: Check[] = [
  { name: "lint (oxlint)", program: "oxlint", args: ["--type-aware", "--deny-warnings"] },
  { name: "dead code (knip)", program: "knip", args: ["--no-progress"] },
  { name: "types (tsc)", program: "tsc", args: ["-p", "."] },
  { name: "core is pure (tsc)", program: "tsc", args: ["-p", "src/core"] },
  ...browsers
    .filter((folder) => existsSync(join(root, folder, "tsconfig.json")))
    .map((folder) => ({ name: `browser code, ${folder} (tsc)`, program: "tsc", args: ["-p", folder] })),
  { name: "format (oxfmt)", program: "oxfmt", args: ["--check", "."] },
];

async function run(check: Check): Promise<Outcome> {
  const started = performance.now();
  const child = spawn(join(root, "node_modules", ".bin", check.program), check.args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ok = await new Promise<boolean>((resolve) => {
    child.on("error", (error) => {
      output += error.message;
      resolve(false);
    });
    child.on("close", (code) => resolve(code === 0));
  });
  return { check, ok, output: output.trim(), seconds: (performance.now() - started) / 1000 };
}

function print({ check, ok, output, seconds }: Outcome): void {
  console.log(`${ok ? "ok  " : "FAIL"} ${check.name}, ${seconds.toFixed(1)} s`);
  if (!ok) console.log(`${output}\n`);
}

async function main(): Promise<void> {
  const waiting = [...checks];
  const failed: string[] = [];
  const next = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const outcome = await run(check);
      print(outcome);
      if (!outcome.ok) failed.push(check.name);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, next));
  if (failed.length === 0) return;
  console.log(`${failed.length} of ${checks.length} failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

await main();
