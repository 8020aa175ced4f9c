// Loaded into each process of the product in a soak (`--import`), where it changes nothing: at SIGUSR2 it appends a line of
// figures to a file. It holds no timer and no socket, so that it is not in its own figures.
import { appendFileSync, existsSync } from "node:fs";
import { Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { COUNTS_OBJECTS, FIGURES_FOLDER, type Figures } from "./figures.ts";

/** Kinds of which one that is forgotten is a leak, whether or not it keeps the process alive. */
const KINDS = { Timeout: timeoutKind(), Socket, AbortSignal, Promise } as const;

const folder = process.env[FIGURES_FOLDER];
// Tools of the machine (npm, a compiler) may be started with the same options.
if (folder !== undefined && process.argv[1]?.endsWith("entry.ts") === true) listen(folder);

function listen(into: string): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  process.on("SIGUSR2", () => {
    const delays = { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6 };
    // What the first collection finalises is freed by the second.
    collect();
    collect();
    const figures: Figures = {
      ...memory(),
      "event-loop delay p50, ms": delays.p50,
      "event-loop delay p99, ms": delays.p99,
      "listeners of the process": listeners(),
      ...active(),
      ...(existsSync(`${into}/${COUNTS_OBJECTS}`) ? objects() : {}),
    };
    appendFileSync(`${into}/${process.pid}.figures`, `${JSON.stringify(figures)}\n`);
    // The time that looking took is nobody's delay.
    setImmediate(() => delay.reset());
  });
}

function memory(): Figures {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { "RSS, MB": rss / 1e6, "heap in use, MB": heapUsed / 1e6, "buffers, MB": external / 1e6 };
}

function listeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
}

/** What keeps the process alive, by kind. */
function active(): Figures {
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  return Object.fromEntries([...kinds].map(([kind, all]) => [`active ${kind}`, all.length]));
}

/** Each count collects several times: seconds, in which the process stands still. */
function objects(): Figures {
  return Object.fromEntries(
    Object.entries(KINDS).map(([name, kind]) => [`${name} objects`, queryObjects(kind, { format: "count" })]),
  );
}

function timeoutKind(): new () => object {
  const one = setTimeout(() => {}, 0);
  clearTimeout(one);
  return one.constructor as new () => object;
}
