// One server program (Postgres, Redis) that lives at most as long as this process, however this process ends.
// A small shell watches a pipe that only we hold open: when we are gone, it ends the server and removes its folder.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

export interface ServerOptions {
  /** The signal that asks the server to end without losing what it promised to keep. */
  readonly stopSignal: NodeJS.Signals;
  /** The user to run as; without it, the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Removed by the watching shell when this process has ended without doing so. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export interface ServerProcess {
  readonly pid: number;
  /** What the server has written so far, newest last, at most some kilobytes: for the message of a failed start. */
  output(): string;
  hasEnded(): boolean;
  /** Sends the stop signal, or the given one, and waits for the end; kills after ten seconds. May be called twice. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const outputLimit = 8_000;
const stopTimeoutMs = 10_000;

/** Starts the program. It has ended when `hasEnded()` says so; whether it answers is for the caller to find out. */
export function startServer(program: string, args: readonly string[], options: ServerOptions): ServerProcess {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: options.folder,
    // Its own process group, so that Ctrl-C in the terminal reaches it only through us.
    detached: true,
    ...options.user,
    ...(options.env ? { env: options.env } : {}),
  });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-outputLimit);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  child.on("error", (error) => (output += error.message));
  const watcher = child.pid === undefined ? undefined : watch(child.pid, options);
  child.once("exit", () => watcher?.kill("SIGKILL"));
  child.unref();
  const ended = (): boolean =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? -1,
    output: () => output,
    hasEnded: ended,
    async stop(signal = options.stopSignal) {
      if (ended()) return;
      const exit = once(child, "exit");
      child.ref();
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      await exit;
      clearTimeout(timer);
    },
  };
}

function watch(pid: number, { stopSignal, folder }: ServerOptions): ChildProcess {
  const name = stopSignal.replace("SIG", "");
  // `cat` returns when the last holder of the other end, this process, is gone.
  const script = `cat >/dev/null; kill -${name} ${pid} 2>/dev/null; n=0
while kill -0 ${pid} 2>/dev/null && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done
kill -KILL ${pid} 2>/dev/null; rm -rf "$1"`;
  const shell = spawn("sh", ["-c", script, "watch", folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  shell.unref();
  const pipe = shell.stdin as (typeof shell.stdin & { unref?: () => void }) | null;
  pipe?.on("error", () => {});
  pipe?.unref?.();
  return shell;
}
