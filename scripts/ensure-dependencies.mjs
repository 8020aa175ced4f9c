// Makes sure that node_modules is what package-lock.json says, before any npm script runs.
// It is plain JavaScript without dependencies, because on a fresh clone it runs before anything is installed, and by
// whatever Node the machine has (18 or newer); the Node that Bobbin itself needs comes with the dependencies.
// Two scripts started at once install once; an install that was killed half way is noticed and done again.
import { execFileSync, spawn } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const lock = join(root, ".cache", "install.lock");
const pauseMs = 200;

/** Why an install is needed, or nothing. Reads two JSON files and looks for each package: a few milliseconds. */
function reasonToInstall() {
  const wanted = packagesIn(join(root, "package-lock.json"));
  if (!wanted) return "package-lock.json cannot be read";
  // npm writes this file as the very last thing it does, so an install that was killed has none, or an old one.
  const installed = packagesIn(join(modules, ".package-lock.json"));
  if (!installed) return "the dependencies are missing";
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "") continue;
    const found = installed[path];
    if (!found && entry.optional) continue;
    if (!found || found.version !== entry.version || found.integrity !== entry.integrity) {
      return `${path.replace(/^.*node_modules\//, "")} is missing or out of date`;
    }
    if (!existsSync(join(root, path, "package.json"))) return `${path} has been removed`;
  }
  // The install script of the `node` package puts the program there; whoever installs with scripts off has none.
  return isExecutable(join(modules, ".bin", nodeName())) ? undefined : "the local Node is missing";
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return undefined;
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function nodeName() {
  return process.platform === "win32" ? "node.cmd" : "node";
}

/** Takes the lock file (true), or says that a living process holds it (false). The lock of a dead process is removed. */
function takeLock() {
  const mine = `${lock}.${process.pid}`;
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(mine, identityOf(process.pid));
  try {
    // A hard link appears with its content or not at all, unlike a file that is created and then written.
    linkSync(mine, lock);
    return readLock() === identityOf(process.pid);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    const holder = readLock();
    if (holder === undefined || isAlive(holder)) return false;
    removeStale(holder);
    return takeLock();
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Moves the lock away before removing it, and puts it back if it turned out to be a newer one. */
function removeStale(holder) {
  const aside = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (readFileSync(aside, "utf8") !== holder) linkSync(aside, lock);
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function readLock() {
  try {
    return readFileSync(lock, "utf8");
  } catch {
    return undefined;
  }
}

/** A process id and, where the system tells it, the start time, because ids are used again after a restart. */
function identityOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie is over, though its id stays until somebody asks for it, which in a container may be never.
    return state === "Z" ? `${pid} over` : `${pid} ${fields[18]}`;
  } catch {
    return `${pid}`;
  }
}

/** One line for each process: the one that took the lock and the npm it started, which outlives a killed parent. */
function isAlive(holder) {
  return holder.split("\n").some((identity) => {
    const pid = Number(identity.split(" ")[0]);
    if (!Number.isInteger(pid) || pid <= 0) return false;
    try {
      process.kill(pid, 0);
    } catch (error) {
      return error.code === "EPERM";
    }
    return !identity.includes(" ") || identityOf(pid) === identity;
  });
}

/** Says in the lock file that this npm is at work too. A rename replaces the content in one step. */
function addToLock(pid) {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, `${identityOf(process.pid)}\n${identityOf(pid)}`);
  renameSync(mine, lock);
}

/**
 * A Node older than this must not run the install: npm leaves out, without a word, optional packages that ask for a newer
 * one, and the native parts of the test runner are among those.
 */
const oldestForInstall = [20, 19];

async function install() {
  // The Node that runs npm, unless that is the one in node_modules, which is about to be removed.
  const nodes = [process.env.npm_node_execpath, process.execPath];
  const outside = nodes.find((path) => path && !path.includes(`${sep}node_modules${sep}`)) ?? "node";
  const prepared = isNewEnough(outside) ? { node: outside } : await fetchNode(outside);
  if (prepared.why) return prepared;
  // Whatever Node runs npm here, a warning that packages want a newer one says nothing.
  const options = ["--include=dev", "--ignore-scripts=false", "--engine-strict=false", "--no-progress"];
  const result = await npm(prepared.node, ["ci", ...options]);
  const missing = result.why ? undefined : reasonToInstall();
  return missing ? { ...result, why: `npm ci ended well, but ${missing}` } : result;
}

function isNewEnough(node) {
  try {
    const version = execFileSync(node, ["--version"], { encoding: "utf8", env: environment() });
    const [major, minor] = version.slice(1).split(".").map(Number);
    const [least, leastMinor] = oldestForInstall;
    return major > least || (major === least && minor >= leastMinor);
  } catch {
    return false;
  }
}

/** Puts the Node that Bobbin uses into the cache folder, so that it can run the install. */
async function fetchNode(outside) {
  const version = packagesIn(join(root, "package-lock.json"))["node_modules/node"]?.version;
  if (version === undefined) return { node: outside };
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(root, ".cache", `node-${version}`);
  const node = join(folder, "node_modules", name, "bin", "node");
  if (isExecutable(node)) return { node };
  const result = await npm(outside, ["install", "--prefix", folder, "--no-save", `${name}@${version}`]);
  return { ...result, node };
}

function environment() {
  const copy = { ...process.env };
  // npm hands its own settings to scripts as variables; the ones that leave packages out must not reach the install.
  for (const name of Object.keys(copy)) {
    if (/^npm_config_(omit|only|production|dry_run|package_lock_only|global|ignore_scripts)$/i.test(name)) {
      delete copy[name];
    }
  }
  const path = (process.env.PATH ?? "").split(delimiter).filter((entry) => !entry.startsWith(modules));
  return { ...copy, PATH: path.join(delimiter) };
}

/** Runs the npm that runs this script, or the one of the path, with the given Node. `why` says how it failed. */
async function npm(node, args) {
  const cli = process.env.npm_execpath;
  const [program, ...first] = cli && /npm-cli\.c?js$/.test(cli) ? [node, cli] : ["npm"];
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund"];
  const env = environment();
  // An npm from the path, and what npm itself starts, take the first Node of the path.
  if (node !== "node") env.PATH = [dirname(node), env.PATH].join(delimiter);
  const child = spawn(program, [...first, ...args, ...quiet], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  if (child.pid) addToLock(child.pid);
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const forward = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward);
  const why = await new Promise((resolve) => {
    child.on("error", (error) => resolve(`npm could not be started (${error.code ?? error.message})`));
    child.on("close", (code, signal) =>
      resolve(code === 0 ? undefined : `npm ${args[0]} ended with ${signal ?? `code ${code}`}`),
    );
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, forward);
  return { output: output.trim(), why };
}

async function main() {
  let waiting = false;
  for (;;) {
    const reason = reasonToInstall();
    if (!reason) return 0;
    if (takeLock()) {
      try {
        // Another script may have installed between the look and the lock.
        if (!reasonToInstall()) return 0;
        process.stderr.write(`Installing the dependencies (${reason}) ...\n`);
        const { why, output } = await install();
        if (!why) return 0;
        if (output) process.stderr.write(`${output}\n`);
        return failure(`${why}. Fix what npm says, then run the command again.`);
      } finally {
        rmSync(lock, { force: true });
      }
    }
    if (!waiting) process.stderr.write("Waiting for another script that installs the dependencies ...\n");
    waiting = true;
    await pause(pauseMs);
  }
}

function failure(why) {
  process.stderr.write(`Bobbin could not install its dependencies: ${why}\n`);
  return 1;
}

process.exitCode = await main().catch((error) => failure(error.message));
