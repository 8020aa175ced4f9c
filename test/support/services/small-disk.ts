// A disk that is soon full: a file system in memory, mounted for one test.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { appendFile, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder on a small file system of its own. */
export interface SmallDisk extends Disposable {
  readonly folder: string;
  /** Uses up every free byte. */
  fill(): Promise<void>;
  free(): Promise<void>;
}

/** The system's own programs, not of this package. */
const system = { mount: "mount", unmount: "umount" };

/** Only root may mount, and in a container not even root. */
export function canMount(): boolean {
  try {
    smallDisk(1)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

export function smallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "bobbin-small-"));
  try {
    const size = `size=${megabytes}m`;
    execFileSync(system.mount, ["-t", "tmpfs", "-o", size, "tmpfs", folder], { stdio: "ignore" });
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  // Postgres runs as another user, who has to get in.
  chmodSync(folder, 0o755);
  const ballast = join(folder, "ballast");
  return {
    folder,
    async fill() {
      await (await open(ballast, "w")).close();
      for (const size of [1_000_000, 4_096]) {
        let isFull = false;
        while (!isFull) {
          await appendFile(ballast, Buffer.alloc(size)).catch((error: unknown) => {
            if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
            isFull = true;
          });
        }
      }
    },
    free: () => rm(ballast),
    [Symbol.dispose]() {
      execFileSync(system.unmount, ["-l", folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
