// The embedded database for tests, with today's schema and nothing in it: made once and copied. From an empty folder it takes four
// seconds of computing; what does that for the first time is tested where it belongs, and everybody else takes a copy.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { openEmbedded } from "../../../src/adapters/postgres/embedded.ts";

const root = join(import.meta.dirname, "../../..");
const MIGRATIONS = join(root, "src/adapters/postgres/migrations");
const CACHE = join(root, ".cache");

/** A `DATA_DIR` of its own, as a bot that was started and ended before any message has left it. Disposing removes it. */
export async function embeddedFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "bobbin-"));
  await cp(join(await template(), "data"), path, { recursive: true });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The same in memory. */
export async function embeddedInMemory(): Promise<PGlite> {
  const copy = new Blob([await readFile(join(await template(), "data.tar"))]);
  return PGlite.create({ dataDir: "memory://", loadDataDir: copy });
}

/** Made by whoever is the first to need it; where two are, the second throws its own away. */
async function template(): Promise<string> {
  const name = `embedded-${await version()}`;
  const made = join(CACHE, name);
  if (existsSync(made)) return made;
  await mkdir(CACHE, { recursive: true });
  for (const old of await readdir(CACHE)) {
    if (old.startsWith("embedded-") && old !== name)
      await rm(join(CACHE, old), { recursive: true, force: true });
  }
  const making = await mkdtemp(join(CACHE, "making-"));
  const directory = join(making, "data");
  await (await openEmbedded({ directory })).close();
  const database = await PGlite.create({ dataDir: join(directory, "pglite") });
  const copy = await database.dumpDataDir("none");
  await writeFile(join(making, "data.tar"), Buffer.from(await copy.arrayBuffer()));
  await database.close();
  await rename(making, made).catch(() => rm(making, { recursive: true }));
  return made;
}

/** What the copy depends on: the program that writes it, and the schema. */
async function version(): Promise<string> {
  const files = (await readdir(MIGRATIONS)).toSorted().map((name) => join(MIGRATIONS, name));
  const hash = createHash("sha256");
  for (const file of [join(root, "node_modules/@electric-sql/pglite/package.json"), ...files]) {
    hash.update(file.slice(root.length)).update(await readFile(file));
  }
  return hash.digest("hex").slice(0, 16);
}
