// Loaded into each process of the product in a soak (`--import`), where it changes nothing: at SIGUSR2 it appends a line of
// figures to a file. It holds no timer and no socket, so that it is not in its own figures.
import { createHook } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FIGURES_FOLDER, type Figures } from "./figures.ts";

const folder = process.env[FIGURES_FOLDER];
// Other programs of the machine may be started with the same options.
if (folder !== undefined && process.argv[1]?.endsWith("entry.ts") === true) listen(folder);

function listen(into: string): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const open = watchResources();
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
      ...open(),
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

/** Timers and sockets that were made and have not ended, whether or not they keep the process alive. */
function watchResources(): () => Figures {
  const kinds = new Map<number, string>();
  const counts = new Map<string, number>();
  const add = (kind: string, more: number): void => void counts.set(kind, (counts.get(kind) ?? 0) + more);
  createHook({
    trackPromises: false,
    init(id, kind) {
      kinds.set(id, kind);
      add(kind, 1);
    },
    destroy(id) {
      const kind = kinds.get(id);
      if (kind === undefined) return;
      kinds.delete(id);
      add(kind, -1);
    },
  }).enable();
  return () => {
    const timers = counts.get("Timeout") ?? 0;
    const sockets = counts.get("TCPWRAP") ?? 0;
    return { "open timers": timers, "open sockets": sockets, "open others": kinds.size - timers - sockets };
  };
}
