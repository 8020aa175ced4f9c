/** Finds and loads `bobbin.config.ts`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkConfig, type Config } from "./config.ts";

const fileName = "bobbin.config.ts";

export type ReadConfig =
  | { readonly kind: "ok"; readonly config: Config }
  | {
      readonly kind: "wrong";
      readonly problems: readonly { readonly name: string; readonly problem: string; readonly fix: string }[];
    };

/** Without a file: the defaults. Never throws: a file that cannot be loaded is a problem like any other. */
export async function readConfig(folder: string): Promise<ReadConfig> {
  const file = join(folder, fileName);
  const loaded = existsSync(file) ? await load(file) : { kind: "loaded" as const, input: {} };
  if (loaded.kind === "wrong") return { kind: "wrong", problems: [{ name: fileName, ...loaded }] };
  const checked = checkConfig(loaded.input);
  if (checked.kind === "ok") return checked;
  const fix = `Correct it in ${fileName}; the type of defineConfig says what may stand there.`;
  return {
    kind: "wrong",
    problems: checked.problems.map(({ at, problem }) => ({ name: `${fileName}: ${at}`, problem, fix })),
  };
}

type Loaded =
  | { readonly kind: "loaded"; readonly input: unknown }
  | { readonly kind: "wrong"; readonly problem: string; readonly fix: string };

async function load(file: string): Promise<Loaded> {
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      kind: "wrong",
      problem: `cannot be loaded: ${why}`,
      fix: "Run it by itself to see the error: node bobbin.config.ts",
    };
  }
  if (module.default !== undefined) return { kind: "loaded", input: module.default };
  return {
    kind: "wrong",
    problem: "has no default export",
    fix: "Write: export default defineConfig({ ... })",
  };
}
