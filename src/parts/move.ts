/** `npm run export` and `npm run import`: all that a bot holds, from one database into a file, and from it into another one. */

import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { PassThrough, type Writable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { openEmbedded } from "../adapters/postgres/embedded.ts";
import { exportAll } from "../adapters/postgres/move/export.ts";
import { importAll, ImportRefused } from "../adapters/postgres/move/import.ts";
import { openPostgres } from "../adapters/postgres/pool.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { toBobbinError } from "../core/errors.ts";
import type { Log } from "../core/ports/log.ts";
import { expectFit, preparePostgres } from "./database.ts";

type Where = Pick<Settings, "databaseUrl" | "dataDir">;

/** A statement reads or writes many rows at a time here, from a disk that may be slow. */
const STATEMENT_MS = 10 * 60_000;

/**
 * The file is there only when it is whole; only its owner may read it. One whose name ends in `.gz` is compressed.
 * @returns a sentence for whoever asked. @throws ExportRefused where the database is of another version; it is left as it is.
 */
export async function exportTo(file: string, where: Where, log: Log): Promise<string> {
  const part = `${file}.part`;
  const sql = await opened(where, log, "as it is");
  try {
    const lines = new PassThrough();
    // One that lies there already keeps its own mode, or leads elsewhere.
    await rm(part, { force: true });
    const target = createWriteStream(part, { mode: 0o600, flags: "wx" });
    const written = isPacked(file) ? pipeline(lines, createGzip(), target) : pipeline(lines, target);
    // Whoever waits for room learns there that the file has failed.
    written.catch((error: unknown) => lines.destroy(error instanceof Error ? error : undefined));
    const rows = await exportAll(sql, (line) => put(lines, `${line}\n`), Date.now());
    lines.end();
    await written;
    await onDisk(part);
    await rename(part, file);
    return `${counted(rows)} are in ${file}.`;
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  } finally {
    await sql.close();
  }
}

/** @returns a sentence for whoever asked. @throws ImportRefused, and then nothing was imported. */
export async function importFrom(file: string, where: Where, log: Log): Promise<string> {
  const sql = await opened(where, log, "up to date");
  try {
    const rows = await importAll(sql, linesOf(file));
    // Nobody has counted yet what there is now: Postgres would plan as for empty tables until it does, and the embedded one for ever.
    await sql.query({ text: "analyze" }).catch((error: unknown) => {
      log.warn("what was imported could not be counted for planning: run analyze by hand", { error });
    });
    return `${counted(rows)} of ${file} are imported. What was unfinished goes on when Bobbin starts.`;
  } finally {
    await sql.close();
  }
}

/** The embedded one is brought up to date either way: nobody else is at work on it. */
async function opened(
  { databaseUrl, dataDir }: Where,
  log: Log,
  schema: "as it is" | "up to date",
): Promise<Sql> {
  if (databaseUrl === undefined) return openEmbedded({ directory: dataDir, log });
  if (schema === "up to date") await preparePostgres(databaseUrl, log);
  else await expectFit(databaseUrl);
  return openPostgres({ url: databaseUrl, connections: 1, statementTimeoutMs: STATEMENT_MS, log });
}

const isPacked = (file: string): boolean => file.endsWith(".gz");

/** Resolves when there is room for more. */
function put(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed) return Promise.reject(stream.errored ?? new Error("The file cannot be written."));
  if (stream.write(text)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      stream.off("drain", settle).off("close", settle);
      if (stream.destroyed) reject(stream.errored ?? new Error("The file cannot be written."));
      else resolve();
    };
    stream.on("drain", settle).on("close", settle);
  });
}

async function onDisk(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only a line feed ends a line: a text may hold whatever else counts as the end of one. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const unpacked = isPacked(file) ? createGunzip() : new PassThrough();
  // Errors of either end the reading of the other.
  const piped = pipeline(source, unpacked);
  piped.catch(() => {});
  let begun: string[] = [];
  try {
    for await (const chunk of unpacked.setEncoding("utf8") as AsyncIterable<string>) {
      const [first = "", ...rest] = chunk.split("\n");
      begun.push(first);
      for (const line of rest) {
        yield begun.join("");
        begun = [line];
      }
    }
    await piped;
  } catch (thrown) {
    throw new ImportRefused(`The file cannot be read: ${toBobbinError(thrown).message}`);
  } finally {
    source.destroy();
  }
  if (begun.length > 0) yield begun.join("");
}

function counted(rows: Readonly<Record<string, number>>): string {
  const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `${all} rows (${rows["sessions"] ?? 0} threads)`;
}
