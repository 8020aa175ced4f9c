// The product as it was before: the newest release, or before there is one, what stood before the schema last changed. Taken
// from this repository's history, so that a rolling deploy over today's schema can be tried with the code that is out there.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const MIGRATIONS = "src/adapters/postgres/migrations";

export interface PreviousVersion {
  /** Its `main.ts`, which `spawnProduct` takes as its program. */
  readonly program: string;
  /** The tag or the commit that it was taken from. */
  readonly from: string;
}

/** Rejects with one sentence that names the fix when the history is not there and cannot be fetched. */
export async function previousVersion(): Promise<PreviousVersion> {
  const from = await findPrevious();
  const folder = await unpacked(from);
  // Today's packages may have changed since it was unpacked.
  const modules = join(folder, "node_modules");
  await rm(modules, { force: true });
  await symlink(await modulesFor(folder), modules);
  return { program: join(folder, "src/main.ts"), from };
}

/** Once, in a place that stays the same: what Node compiled of it is found by where it lies. */
async function unpacked(from: string): Promise<string> {
  const cache = join(root, ".cache");
  const name = `version-${(await git("rev-parse", `${from}^{commit}`)).slice(0, 16)}`;
  const made = join(cache, name);
  if (existsSync(made)) return made;
  await mkdir(cache, { recursive: true });
  for (const old of await readdir(cache)) {
    // Also what a run that was killed had begun to make.
    if (/^(version|making)-/.test(old)) await rm(join(cache, old), { recursive: true, force: true });
  }
  const making = await mkdtemp(join(cache, "making-"));
  const archive = join(making, "previous.tar");
  await git("archive", `--output=${archive}`, from, "src", "package.json", "package-lock.json");
  await run("tar", ["-x", "-f", archive, "-C", making]);
  await rm(archive);
  await rename(making, made);
  return made;
}

async function findPrevious(): Promise<string> {
  const found = (await newestRelease()) ?? (await beforeLastMigration());
  if (found !== undefined) return found;
  // A clone of depth one, as automations make them. What is missing is brought, like every other thing that a test needs.
  const fetched = await attempt("fetch", "--quiet", "--tags", "--unshallow");
  const now = fetched === undefined ? undefined : ((await newestRelease()) ?? (await beforeLastMigration()));
  if (now !== undefined) return now;
  throw new Error(
    "The version before is not in this clone's history. Clone the repository with its history, or run `git fetch --tags --unshallow`.",
  );
}

/** A release that is not this very commit. */
function newestRelease(): Promise<string | undefined> {
  return attempt("describe", "--tags", "--abbrev=0", "--match=v[0-9]*", "HEAD^");
}

async function beforeLastMigration(): Promise<string | undefined> {
  const today = await migrationsOf("HEAD");
  const changes = (await attempt("log", "--format=%H", "--", MIGRATIONS))?.split("\n") ?? [];
  for (const changed of changes) {
    // At the border of a shallow clone everything seems to be new, and nothing is before it.
    const before = await attempt("rev-parse", "--verify", "--quiet", `${changed}^`);
    if (before === undefined) return undefined;
    // Work that was done side by side does not come in by its numbers: what lacks one in the middle was never a version. Nor was
    // what has one that was written anew since.
    const had = await migrationsOf(before);
    if (had.length < today.length && had.every((one, at) => one === today[at])) return before;
  }
  return undefined;
}

/** With the hash of what is in each. */
async function migrationsOf(commit: string): Promise<readonly string[]> {
  return (await git("ls-tree", commit, `${MIGRATIONS}/`)).split("\n");
}

/** Today's packages where the version before wants the same ones; else its own, installed once. */
async function modulesFor(folder: string): Promise<string> {
  const [before, today] = await Promise.all([wantedIn(folder), wantedIn(root)]);
  const isThere = Object.entries(before).every(([name, version]) => today[name] === version);
  if (isThere) return join(root, "node_modules");
  const lock = await readFile(join(folder, "package-lock.json"));
  const cache = join(
    root,
    ".cache",
    `previous-${createHash("sha256").update(lock).digest("hex").slice(0, 16)}`,
  );
  if (!existsSync(join(cache, "node_modules", ".package-lock.json"))) {
    await mkdir(cache, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) await cp(join(folder, file), join(cache, file));
    await run("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: cache });
  }
  return join(cache, "node_modules");
}

async function wantedIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const file = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return file.dependencies ?? {};
}

async function git(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
  const { stdout } = await run("git", args, { cwd: root, env, timeout: 60_000 });
  return stdout.trim();
}

/** Nothing where git says no, or nothing. */
async function attempt(...args: readonly string[]): Promise<string | undefined> {
  try {
    const answer = await git(...args);
    return answer === "" && args[0] !== "fetch" ? undefined : answer;
  } catch {
    return undefined;
  }
}
