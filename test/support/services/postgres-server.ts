// Starts a Postgres of our own in the temp folder. It is fast because nothing is synced to the disk unless asked for, so it
// would not survive a power cut; what was committed does survive a killed server, since commits still wait for the write to
// the system.
import { execFile, execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { until } from "../until.ts";
import { freePort } from "./free-port.ts";
import { ensurePostgres } from "./programs.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

const run = promisify(execFile);

export interface PostgresServer extends AsyncDisposable {
  /** The URL of the database `postgres` on this server. It stays the same over `stop` and `start`. */
  readonly url: string;
  /** Ends the server: "fast" closes connections in order, "immediate" is what a crash looks like. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  /** Starts it again on the same port with the same data, and waits until it answers. */
  start(): Promise<void>;
}

const unsynced = { fsync: "off", full_page_writes: "off", wal_level: "minimal", max_wal_senders: "0" };

const settings = {
  max_connections: "400",
  shared_buffers: "128MB",
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  log_min_messages: "fatal",
};

export interface PostgresServerOptions {
  /** Where the data goes: the temp folder unless said. A small file system here is how a full disk is tested. */
  readonly parentFolder?: string;
  /** Commits wait for the disk, as in production. */
  readonly synced?: boolean;
}

/** Starts a server and waits until it answers. Rejects with what the server said. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const { parentFolder, synced = false } = options;
  const bin = await ensurePostgres();
  const user = otherUser();
  // A folder of the other user must lie where that user can reach it, which a private TMPDIR is not.
  const folder = mkdtempSync(join(parentFolder ?? (user ? "/tmp" : tmpdir()), "bobbin-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const programOptions = {
    stopSignal: "SIGINT",
    user,
    folder,
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
  } as const;
  const initdb = [
    "-D",
    data,
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
  ];
  await run(join(bin, "initdb"), initdb, { cwd: folder, env: programOptions.env, ...user });

  let server: ServerProcess | undefined;
  const launch = async (port: number): Promise<boolean> => {
    const args = Object.entries({ ...settings, ...(synced ? {} : unsynced), port }).flatMap(
      ([name, value]) => ["-c", `${name}=${value}`],
    );
    const started = startServer(join(bin, "postgres"), ["-D", data, ...args], programOptions);
    server = started;
    await until(async () => started.hasEnded() || (await answers(urlAt(port))), {
      what: "Postgres answers",
    });
    return !started.hasEnded();
  };

  let port = await freePort();
  for (let attempt = 1; !(await launch(port)); attempt++) {
    if (attempt === 3) throw new Error(`Postgres does not start:\n${server?.output() ?? ""}`);
    port = await freePort();
  }
  const url = urlAt(port);
  return {
    url,
    stop: async (mode = "fast") => server?.stop(mode === "fast" ? "SIGINT" : "SIGQUIT"),
    start: async () => {
      if (server && !server.hasEnded()) return;
      if (!(await launch(port))) throw new Error(`Postgres does not start again:\n${server?.output() ?? ""}`);
    },
    async [Symbol.asyncDispose]() {
      await server?.stop("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function urlAt(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Postgres refuses to run as root, so root runs it as somebody else. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // This machine has no such user; the next one, or the numbers that `nobody` has everywhere.
    }
  }
  return existsSync("/etc/passwd") ? { uid: 65_534, gid: 65_534 } : undefined;
}
