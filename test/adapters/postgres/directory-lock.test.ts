import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { lockDirectory } from "../../../src/adapters/postgres/directory-lock.ts";

const program = fileURLToPath(new URL("./programs/hold-directory.ts", import.meta.url));

async function freshDirectory(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "bobbin-lock-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

interface Holder extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly said: string;
}

async function holder(directory: string): Promise<Holder> {
  const child = spawn(process.execPath, [program, directory], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = String((await lines.next()).value);
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { child, said, [Symbol.asyncDispose]: end };
}

test("a second process on a directory is refused with the first one's number and what to do", async () => {
  await using directory = await freshDirectory();
  await using first = await holder(directory.path);
  expect(first.said).toBe("held");
  await using second = await holder(directory.path);
  expect(second.said).toContain(`process ${first.child.pid}`);
  expect(second.said).toMatch(/DATA_DIR/);
  await expect(lockDirectory(directory.path)).rejects.toMatchObject({
    code: "lock_failed",
    facts: { pid: first.child.pid },
  });
});

test("one process does not take a directory twice, and can take it again after giving it free", async () => {
  await using directory = await freshDirectory();
  const first = await lockDirectory(directory.path);
  await expect(lockDirectory(directory.path)).rejects.toMatchObject({ code: "lock_failed" });
  await first.release();
  await first.release();
  const second = await lockDirectory(directory.path);
  await first.release();
  await expect(lockDirectory(directory.path)).rejects.toMatchObject({ code: "lock_failed" });
  await second.release();
});

test("the lock of a killed process is taken over", async () => {
  await using directory = await freshDirectory();
  {
    await using killed = await holder(directory.path);
    expect(killed.said).toBe("held");
  }
  const lock = await lockDirectory(directory.path);
  await lock.release();
});

test("a stale lock that six processes find at once goes to exactly one of them", async () => {
  await using directory = await freshDirectory();
  for (let again = 0; again < 3; again += 1) {
    const holders = await Promise.all(Array.from({ length: 6 }, () => holder(directory.path)));
    await using stack = new AsyncDisposableStack();
    for (const each of holders) stack.use(each);
    expect(holders.filter((each) => each.said === "held")).toHaveLength(1);
    // Disposed here by SIGKILL: the next round finds a stale lock.
  }
});

test("many within one process that race for a free directory: exactly one has it at any time", async () => {
  await using directory = await freshDirectory();
  let holding = 0;
  let turns = 0;
  const race = async (): Promise<void> => {
    while (turns < 30) {
      try {
        const lock = await lockDirectory(directory.path);
        holding += 1;
        turns += 1;
        expect(holding).toBe(1);
        await readdir(directory.path);
        holding -= 1;
        await lock.release();
      } catch (error) {
        expect(error).toMatchObject({ code: "lock_failed" });
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, race));
  expect(turns).toBeGreaterThanOrEqual(30);
  expect((await readdir(directory.path)).filter((name) => !/^lock\.\d+$/.test(name))).toEqual([]);
});

test("a number that another process has got since does not keep a directory locked", async () => {
  await using directory = await freshDirectory();
  // The first process of the system, which runs for sure, but began at another time than the lock says.
  const owner = { pid: 1, started: "1", host: hostname() };
  await writeFile(join(directory.path, "lock.7"), JSON.stringify(owner));
  const lock = await lockDirectory(directory.path);
  await lock.release();
});

test("a lock from another machine holds while it is touched", async () => {
  await using directory = await freshDirectory();
  const owner = { pid: 1, started: "1", host: "another-machine" };
  await writeFile(join(directory.path, "lock.1"), JSON.stringify(owner));
  await expect(lockDirectory(directory.path)).rejects.toThrow(/another-machine/);
});
