/** The foreign peers beside Bobbin: installed when they are first asked for, in the versions of `package-lock.json` here. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const folder = import.meta.dirname;

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
}

/** @returns whether they are there; a machine without a network goes on without them. */
export async function ensurePeers(note: (line: string) => void): Promise<boolean> {
  if (await areThere()) return true;
  note("installs the peers");
  try {
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    await promisify(execFile)("npm", ["ci", ...quiet], { cwd: folder });
    return true;
  } catch (error) {
    note(`goes on without the peers: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function areThere(): Promise<boolean> {
  try {
    const [wanted, found] = await Promise.all(
      ["package-lock.json", "node_modules/.package-lock.json"].map(packagesIn),
    );
    const paths = Object.keys(wanted ?? {}).filter((path) => path !== "");
    return paths.every((path) => wanted?.[path]?.version === found?.[path]?.version);
  } catch {
    return false;
  }
}

async function packagesIn(file: string): Promise<Lock["packages"]> {
  return (JSON.parse(await readFile(`${folder}/${file}`, "utf8")) as Lock).packages;
}
