// Each contract of the doorbell, the stop signals and the live events notices an implementation that breaks it.
import { createLocalLive } from "../../../src/adapters/local/live.ts";
import { createLocalStops } from "../../../src/adapters/local/stops.ts";
import type { Live } from "../../../src/core/ports/live.ts";
import type { RunQueue, RunWorker, Serve } from "../../../src/core/ports/run-queue.ts";
import type { Stops } from "../../../src/core/ports/stops.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { expectBroken } from "../../contract/contract.ts";
import { liveCases } from "../../contract/live.ts";
import { runQueueCases, type RunQueueSubject } from "../../contract/run-queue.ts";
import { stopsCases } from "../../contract/stops.ts";

const nothing: AsyncDisposable = { [Symbol.asyncDispose]: async () => {} };

interface Faults {
  /** A wake while the session is served is taken for done. */
  readonly forgetsWhileServed?: boolean;
  /** A wake while the session is served starts another service beside it. */
  readonly overlaps?: boolean;
  /** One session after the other. */
  readonly oneByOne?: boolean;
  readonly closeWaitsForEver?: boolean;
  /** A session that was being served is forgotten by who closes. */
  readonly keepsOnClose?: boolean;
}

/** A doorbell of a few lines with its faults: what it does right is what the contract asks for. */
function faultyQueue(faults: Faults): RunQueueSubject & AsyncDisposable {
  const waiting: SessionId[] = [];
  const served = new Map<SessionId, Promise<void>>();
  const again = new Set<SessionId>();
  const looks = new Set<() => void>();
  const look = (): void => looks.forEach((each) => each());
  const queue: RunQueue = {
    async wake(session) {
      if (served.has(session) && faults.overlaps !== true) {
        if (faults.forgetsWhileServed !== true) again.add(session);
      } else if (!waiting.includes(session)) {
        waiting.push(session);
        look();
      }
    },
  };
  const worker = (serve: Serve, options: { readonly concurrency?: number } = {}): RunWorker => {
    const leaving = new AbortController();
    const own = new Set<Promise<void>>();
    const most = faults.oneByOne === true ? 1 : (options.concurrency ?? 5);
    const take = (): void => {
      while (own.size < most && !leaving.signal.aborted) {
        const session = waiting.shift();
        if (session === undefined) return;
        const service = serve(session, leaving.signal).then(
          () => {},
          () => {},
        );
        own.add(service);
        served.set(session, service);
        const end = (): void => {
          own.delete(service);
          served.delete(session);
          if (again.delete(session) || (leaving.signal.aborted && faults.keepsOnClose !== true)) {
            waiting.unshift(session);
          }
          look();
        };
        service.then(end, end);
      }
    };
    return {
      async start() {
        looks.add(take);
        take();
      },
      async close() {
        looks.delete(take);
        leaving.abort();
        const tooLong = new Promise<void>((resolve) => void setTimeout(resolve, 50));
        await (faults.closeWaitsForEver === true
          ? Promise.all(own)
          : Promise.race([Promise.all(own), tooLong]));
      },
    };
  };
  return { queue, worker, ...nothing };
}

const faulty: readonly (readonly [string, Faults, string])[] = [
  [
    "forgets a wake while the session is served",
    { forgetsWhileServed: true },
    "a wake during a service leads to one more service, and five wakes too",
  ],
  [
    "serves a session twice at once",
    { overlaps: true },
    "never two services of one session at once, over two workers",
  ],
  [
    "serves one session after the other",
    { oneByOne: true },
    "sessions are served in parallel, as many as the worker may",
  ],
  [
    "waits for ever when it closes",
    { closeWaitsForEver: true },
    "close is bounded, also when a service never ends, and may be called twice",
  ],
  [
    "forgets what was served when it closes",
    { keepsOnClose: true },
    "close aborts `leaving` and waits for the service; another worker takes its session up at once",
  ],
];
for (const [name, faults, title] of faulty) {
  expectBroken(name, runQueueCases, () => faultyQueue(faults), { noticedBy: [title], limitMs: 1_000 });
}

expectBroken("hears every session's stop", stopsCases, () => {
  const all = new Set<() => void>();
  const stops: Stops = {
    signal: async () => all.forEach((heard) => heard()),
    watch(_session, heard) {
      all.add(heard);
      return () => void all.delete(heard);
    },
  };
  return { ...stops, ...nothing };
});
expectBroken(
  "goes on hearing after unwatch",
  stopsCases,
  () => {
    const stops = createLocalStops();
    return { ...stops, watch: (...args) => (stops.watch(...args), () => {}), ...nothing };
  },
  { noticedBy: ["after unwatch nothing is heard, by the others still, and unwatch may be called twice"] },
);
expectBroken(
  "hands out one event to all",
  liveCases,
  () => {
    const heards = new Set<(event: unknown) => void>();
    const live: Live = {
      publish: async (_topic, event) => heards.forEach((heard) => heard(event)),
      async subscribe(_topic, heard) {
        heards.add(heard);
        return () => void heards.delete(heard);
      },
    };
    return { ...live, ...nothing };
  },
  { noticedBy: ["each watcher has its own copy: changing it changes nothing for anybody"] },
);
expectBroken(
  "tells only the last who subscribed",
  liveCases,
  () => {
    const live = createLocalLive();
    let leave = (): void => {};
    const subscribe: Live["subscribe"] = async (topic, heard) => {
      leave();
      leave = await live.subscribe(topic, heard);
      return leave;
    };
    return { ...live, subscribe, ...nothing };
  },
  { noticedBy: ["events of a topic are heard in order by everyone who subscribed"], limitMs: 500 },
);
