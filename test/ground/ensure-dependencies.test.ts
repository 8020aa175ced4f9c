import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";

const script = join(import.meta.dirname, "../../scripts/ensure-dependencies.mjs");
const lockfile = {
  packages: { "": {}, "node_modules/one": { version: "1.0.0" }, "node_modules/two": { version: "2.0.0" } },
};

/**
 * What `npm ci` does, as far as the script can see it: empty the folder, work for a while, and for as long as the test holds it, write its
 * own lock file last.
 */
const fakeNpm = `#!/bin/sh
echo "$@ NODE_ENV=$NODE_ENV omit=$npm_config_omit" >> calls
if [ -e broken ]; then echo "npm error the registry is away"; exit 1; fi
rm -rf node_modules
mkdir -p node_modules/.bin node_modules/one
echo "{}" > node_modules/one/package.json
sleep 0.4
while [ -e held ]; do sleep 0.05; done
mkdir node_modules/two
echo "{}" > node_modules/two/package.json
echo > node_modules/.bin/node
chmod +x node_modules/.bin/node
cp package-lock.json node_modules/.package-lock.json
`;

async function project() {
  const folder = await mkdtemp(join(tmpdir(), "bobbin-fresh-"));
  await mkdir(join(folder, "scripts"));
  await mkdir(join(folder, "bin"));
  await copyFile(script, join(folder, "scripts/ensure-dependencies.mjs"));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lockfile));
  await writeFile(join(folder, "bin/npm"), fakeNpm);
  await chmod(join(folder, "bin/npm"), 0o755);
  const env: NodeJS.ProcessEnv = {
    PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
    NODE_ENV: "production",
    npm_config_omit: "dev",
  };
  const args = [join(folder, "scripts/ensure-dependencies.mjs")];
  return {
    folder,
    start: () => spawn(process.execPath, args, { env, cwd: folder, stdio: "ignore" }),
    run: () =>
      new Promise<{ code: number; output: string }>((resolve) => {
        execFile(process.execPath, args, { env, cwd: folder }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr }),
        );
      }),
    calls: () => {
      const file = join(folder, "calls");
      return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

test("a fresh clone is installed once, with development packages also in production, and then left alone", async () => {
  await using clone = await project();
  expect((await clone.run()).code).toBe(0);
  expect(clone.calls()).toHaveLength(1);
  expect(clone.calls()[0]).toMatch(/^ci --include=dev .*NODE_ENV=production omit=$/);
  expect(await clone.run()).toEqual({ code: 0, output: "" });
  expect(clone.calls()).toHaveLength(1);
});

test("scripts that start at once install once, and all wait for it", async () => {
  await using clone = await project();
  const results = await Promise.all(Array.from({ length: 4 }, () => clone.run()));
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(clone.calls()).toHaveLength(1);
  expect(existsSync(join(clone.folder, "node_modules/two/package.json"))).toBe(true);
});

test.each([
  [
    "a package was removed",
    async (folder: string) => rm(join(folder, "node_modules/one"), { recursive: true }),
  ],
  [
    "npm was killed before its end",
    async (folder: string) => rm(join(folder, "node_modules/.package-lock.json")),
  ],
  ["the local Node is missing", async (folder: string) => rm(join(folder, "node_modules/.bin/node"))],
  [
    "the lock file names a newer version",
    async (folder: string) => {
      const newer = JSON.stringify(lockfile).replace("2.0.0", "2.0.1");
      await writeFile(join(folder, "package-lock.json"), newer);
    },
  ],
])("it is installed again when %s", async (_, harm) => {
  await using clone = await project();
  await clone.run();
  await harm(clone.folder);
  expect((await clone.run()).code).toBe(0);
  expect(clone.calls()).toHaveLength(2);
  expect((await clone.run()).output).toBe("");
});

test("after a killed starter the next one waits for its npm, and does not install beside it", async () => {
  await using clone = await project();
  const held = join(clone.folder, "held");
  await writeFile(held, "");
  const first = clone.start();
  const lock = join(clone.folder, ".cache/install.lock");
  await until(() => clone.calls().length === 1 && readFileSync(lock, "utf8").includes("\n"), {
    what: "npm is at work",
  });
  first.kill("SIGKILL");
  await once(first, "exit");
  const second = clone.run();
  await rm(held);
  expect((await second).code).toBe(0);
  expect(clone.calls()).toHaveLength(1);
});

test("the lock of a process that is gone is taken over, also when its number is in use again", async () => {
  await using clone = await project();
  await mkdir(join(clone.folder, ".cache"));
  for (const holder of ["999999999 1", `${process.pid} 1`, "nonsense"]) {
    await rm(join(clone.folder, "node_modules"), { recursive: true, force: true });
    await writeFile(join(clone.folder, ".cache/install.lock"), holder);
    expect((await clone.run()).code).toBe(0);
  }
  expect(clone.calls()).toHaveLength(3);
});

test("a failure shows what npm said, ends in one plain sentence, and the next try works", async () => {
  await using clone = await project();
  await writeFile(join(clone.folder, "broken"), "");
  const { code, output } = await clone.run();
  expect(code).toBe(1);
  expect(output).toContain("npm error the registry is away");
  expect(output.trim().split("\n").at(-1)).toBe(
    "Bobbin could not install its dependencies: npm ci ended with code 1. Fix what npm says, then run the command again.",
  );
  await rm(join(clone.folder, "broken"));
  expect((await clone.run()).code).toBe(0);
});
