/** Which core does what: servers and load on one, the process that is measured on another, so that neither takes the other's time. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Cores {
  /** Servers, load, and everything else that is not measured. */
  readonly services: number;
  readonly client: number;
}

/** Of Linux; nothing here needs it to be there. */
const PROGRAM = "taskset";

/** Nothing where there is one core only, or no `taskset`. */
export function findCores(): Cores | undefined {
  try {
    execFileSync(PROGRAM, ["-V"], { stdio: "ignore" });
    const allowed = /^Cpus_allowed_list:\s+(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
    const [services, client] = (allowed ?? "").split(",").flatMap(coresOf);
    return services === undefined || client === undefined ? undefined : { services, client };
  } catch {
    return undefined;
  }
}

/** `0-3` or `5`. */
function coresOf(range: string): readonly number[] {
  const [first = Number.NaN, last = first] = range.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** All threads of the process, and those that it will make. */
export function pinTo(core: number, pid: number): void {
  execFileSync(PROGRAM, ["-a", "-c", "-p", `${core}`, `${pid}`], { stdio: "ignore" });
}
