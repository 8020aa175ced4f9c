/** What the system says about another process. Linux only, as the product cannot be asked itself. */

import { readdirSync, readFileSync } from "node:fs";

/** Memory that a process holds, bytes. */
export function rssOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (line === null) throw new Error(`the system does not tell the memory of process ${pid}`);
  return Number(line[1]) * 1024;
}

/** Processor time of all threads that live, ms. In nanoseconds at the source, since an idle process uses few. */
export function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}
