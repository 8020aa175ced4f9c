/**
 * Lets one process at a time use a directory: two PGlites on one directory destroy it, and PGlite itself does not look.
 *
 * The lock is the file `lock.<n>` with the largest n; it names a process, or says that it is free. Taking it means making
 * `lock.<n+1>`, which only one of many can. Nobody ever removes the largest number, so one who was slow and makes a number
 * that was used before sees a larger one beside it and steps back. A lock file that was removed and made anew would not do:
 * of two who both found it stale, the second would remove the file of the first.
 */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { BobbinError } from "../../core/errors.ts";

export interface DirectoryLock {
  /** Gives the directory free. May be called twice; never throws. */
  release(): Promise<void>;
}

interface Owner {
  readonly pid: number;
  /** When the process started, in whatever form the system has it: a pid is given again, both together are not. */
  readonly started: string;
  readonly host: string;
  readonly free?: true;
}

const NAME = /^lock\.(\d+)$/;
/** Only for owners on another machine (a shared volume, another container), where pids say nothing. */
const TOUCH_MS = 5_000;
const FOREIGN_STALE_MS = 30_000;

/** @throws BobbinError `lock_failed`, whose message says who holds it and what to do. */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const me: Owner = { pid: process.pid, started: startOf(process.pid) ?? "", host: hostname() };
  const mark = join(directory, `mark.${process.pid}.${randomBytes(6).toString("hex")}`);
  await writeFile(mark, JSON.stringify(me), { flag: "wx" });
  try {
    for (;;) {
      const top = await largest(directory);
      if (top > 0) await refuseLiveOwner(directory, top);
      const number = top + 1;
      const file = join(directory, `lock.${number}`);
      if (!(await made(mark, file))) continue;
      if ((await largest(directory)) > number) {
        await rm(file, { force: true });
        continue;
      }
      await removeBelow(directory, number);
      return held(file, me);
    }
  } finally {
    await rm(mark, { force: true });
  }
}

function held(file: string, me: Owner): DirectoryLock {
  const timer = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, TOUCH_MS);
  timer.unref();
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    clearInterval(timer);
    const freed = `${file}.free`;
    await writeFile(freed, JSON.stringify({ ...me, free: true } satisfies Owner));
    await rename(freed, file);
  };
  return {
    release: () => (released ??= release().catch(() => {})),
  };
}

async function refuseLiveOwner(directory: string, number: number): Promise<void> {
  const file = join(directory, `lock.${number}`);
  const owner = await readOwner(file);
  if (owner === undefined || owner.free === true) return;
  const isLive =
    owner.host === hostname()
      ? isRunning(owner)
      : Date.now() - (await stat(file).catch(() => ({ mtimeMs: 0 }))).mtimeMs < FOREIGN_STALE_MS;
  if (!isLive) return;
  const who = owner.host === hostname() ? `process ${owner.pid}` : `process ${owner.pid} on ${owner.host}`;
  throw new BobbinError(
    "lock_failed",
    `The data directory ${directory} is in use by ${who}. Stop that process, or give this one its own DATA_DIR, ` +
      `or set DATABASE_URL to share one database.`,
    { facts: { pid: owner.pid, host: owner.host } },
  );
}

/** Undefined for a file that is gone or makes no sense: written whole or not at all, so that is never a live owner. */
async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, started, host, free } = value as Record<string, unknown>;
    if (typeof pid !== "number" || typeof started !== "string" || typeof host !== "string") return undefined;
    return { pid, started, host, ...(free === true ? { free } : {}) };
  } catch {
    return undefined;
  }
}

function isRunning(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it is there and belongs to someone else.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const started = startOf(owner.pid);
  return started === undefined || owner.started === "" || started === owner.started;
}

/** Undefined where the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain anything; the start time is the 20th field after it.
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    try {
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    } catch {
      return undefined;
    }
  }
}

async function numbers(directory: string): Promise<readonly number[]> {
  return (await readdir(directory)).flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

async function largest(directory: string): Promise<number> {
  return Math.max(0, ...(await numbers(directory)));
}

async function removeBelow(directory: string, limit: number): Promise<void> {
  for (const number of await numbers(directory)) {
    if (number < limit) await rm(join(directory, `lock.${number}`), { force: true });
  }
}

/** False when the file was there already. Whole or not at all: a link has its content from the first moment. */
async function made(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
