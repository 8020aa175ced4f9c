// Where Node keeps what it compiled of the product and its packages, so that the many processes of a test run, those of the tests
// themselves too, need not do it again. Node looks at the
// text of each source, so what is old is not taken; the folder outlives the run.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

export const compiledSources = join(root, ".cache", "compiled");

/** The first time, for who is killed leaves nothing there: the product reads all of itself and ends, since it knows no such command. */
export async function compileOnce(): Promise<void> {
  if (existsSync(compiledSources)) return;
  await new Promise<void>((resolve) => {
    const env = { ...process.env, NODE_COMPILE_CACHE: compiledSources };
    execFile(process.execPath, [join(root, "src/main.ts"), "compile"], { env }, () => resolve());
  });
}
