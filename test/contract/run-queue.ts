// What every RunQueue with its RunWorker keeps; see src/core/ports/run-queue.ts.
import { expect } from "vitest";
import type { RunQueue, RunWorker, Serve } from "../../src/core/ports/run-queue.ts";
import { sessionIdOf, type SessionId } from "../../src/core/thread.ts";
import { until } from "../support/until.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

export interface RunQueueSubject {
  readonly queue: RunQueue;
  /** A worker of that queue, not started; the subject's disposal closes all of them. */
  readonly worker: (
    serve: Serve,
    options?: { readonly concurrency?: number; readonly closeMs?: number },
  ) => RunWorker;
}

export const sessionNamed = (name: string): SessionId =>
  sessionIdOf({ platform: "slack", space: "T1", channel: "C1", root: name });

export const runQueueCases: readonly ContractCase<RunQueueSubject>[] = [
  {
    title: "a wake is followed by a service of its session, also when the worker starts later",
    async run({ queue, worker }) {
      const served: SessionId[] = [];
      await queue.wake(sessionNamed("a"));
      const one = worker(async (session) => void served.push(session));
      await one.start();
      await seen(() => served.length === 1, "the session was served");
      await queue.wake(sessionNamed("b"));
      await seen(() => served.length === 2, "the second session was served");
      expect(served).toEqual([sessionNamed("a"), sessionNamed("b")]);
    },
  },
  {
    title: "a wake during a service leads to one more service, and five wakes too",
    async run({ queue, worker }) {
      const first = Promise.withResolvers<void>();
      const served: SessionId[] = [];
      await worker(async (session) => {
        served.push(session);
        if (served.length === 1) await first.promise;
      }).start();
      const [a, other] = [sessionNamed("a"), sessionNamed("other")];
      await queue.wake(a);
      await seen(() => served.length === 1, "the first service began");
      for (let ring = 0; ring < 5; ring++) await queue.wake(a);
      first.resolve();
      await seen(() => served.length === 2, "the second service began");
      // A third one would come before a session that is rung for later.
      await queue.wake(other);
      await seen(() => served.includes(other), "the other session was served");
      expect(served).toEqual([a, a, other]);
    },
  },
  {
    title: "never two services of one session at once, over two workers",
    async run({ queue, worker }) {
      let inside = 0;
      let most = 0;
      let served = 0;
      const serve: Serve = async () => {
        inside += 1;
        most = Math.max(most, inside);
        await turns(5);
        inside -= 1;
        served += 1;
      };
      await Promise.all([worker(serve).start(), worker(serve).start()]);
      for (let ring = 0; ring < 30; ring++) {
        const before = served;
        await queue.wake(sessionNamed("a"));
        if (ring % 3 === 0) await seen(() => served > before, "a service ended after the wake");
      }
      expect(most).toBe(1);
    },
  },
  {
    title: "sessions are served in parallel, as many as the worker may",
    async run({ queue, worker }) {
      const leave = Promise.withResolvers<void>();
      let inside = 0;
      await worker(
        async () => {
          inside += 1;
          await leave.promise;
        },
        { concurrency: 3 },
      ).start();
      for (const name of ["a", "b", "c", "d"]) await queue.wake(sessionNamed(name));
      await seen(() => inside === 3, "three sessions were served at once");
      await turns(20);
      expect(inside).toBe(3);
      leave.resolve();
      await seen(() => inside === 4, "the fourth session was served");
    },
  },
  {
    title: "a wake just as a service ends is not lost",
    async run({ queue, worker }) {
      const sessions = Array.from({ length: 20 }, (_, place) => sessionNamed(`s${place}`));
      const rung = new Map<SessionId, number>();
      const read = new Map<SessionId, number>();
      const wakes: Promise<void>[] = [];
      const ring = (session: SessionId): void => {
        rung.set(session, (rung.get(session) ?? 0) + 1);
        wakes.push(queue.wake(session));
      };
      const serve: Serve = async (session) => {
        read.set(session, rung.get(session) ?? 0);
        await turns(1);
        if ((rung.get(session) ?? 0) < 10) queueMicrotask(() => ring(session));
      };
      await worker(serve, { concurrency: 10 }).start();
      for (const session of sessions) ring(session);
      await seen(
        () => sessions.every((session) => read.get(session) === 10),
        "every session was looked at after its last wake",
      );
      await Promise.all(wakes);
    },
  },
  {
    title: "a service that throws is over, and its session can be served again",
    async run({ queue, worker }) {
      let begun = 0;
      await worker(async () => {
        begun += 1;
        if (begun === 1) throw new Error("a service that throws");
      }).start();
      await queue.wake(sessionNamed("a"));
      await seen(() => begun === 1, "the first service began");
      await queue.wake(sessionNamed("a"));
      await seen(() => begun === 2, "the second service began");
    },
  },
  {
    title: "close aborts `leaving` and waits for the service; another worker takes its session up at once",
    async run({ queue, worker }) {
      const seenBy: string[] = [];
      let first = 0;
      const one = worker(async (_session, leaving) => {
        first += 1;
        await aborted(leaving);
        await turns(5);
        seenBy.push("one has left");
      });
      await one.start();
      await queue.wake(sessionNamed("a"));
      await seen(() => first === 1, "the first worker serves");
      await worker(async () => void seenBy.push("two serves")).start();
      await one.close();
      expect(seenBy[0]).toBe("one has left");
      await seen(() => seenBy.length === 2, "the second worker serves");
      expect(seenBy).toEqual(["one has left", "two serves"]);
    },
  },
  {
    title: "close is bounded, also when a service never ends, and may be called twice",
    async run({ queue, worker }) {
      let begun = 0;
      const one = worker(
        () => {
          begun += 1;
          return new Promise<void>(() => {});
        },
        { closeMs: 50 },
      );
      await one.start();
      await queue.wake(sessionNamed("a"));
      await seen(() => begun === 1, "the service began");
      await Promise.all([one.close(), one.close()]);
      await one.close();
    },
  },
  {
    title: "a closed worker takes no more wakes, and they wait for another",
    async run({ queue, worker }) {
      let byClosed = 0;
      const one = worker(async () => void (byClosed += 1));
      await one.start();
      await one.close();
      await queue.wake(sessionNamed("a"));
      let byOther = 0;
      await worker(async () => void (byOther += 1)).start();
      await seen(() => byOther === 1, "the other worker served");
      expect(byClosed).toBe(0);
    },
  },
  {
    title: "a worker that was closed before it started never starts",
    async run({ queue, worker }) {
      let begun = 0;
      const one = worker(async () => void (begun += 1));
      await one.close();
      await one.start();
      await queue.wake(sessionNamed("a"));
      let byOther = 0;
      await worker(async () => void (byOther += 1)).start();
      await seen(() => byOther === 1, "the other worker served");
      expect(begun).toBe(0);
    },
  },
];

/** Registers the suite over one implementation. */
export function runQueueContract(name: string, open: OpenSubject<RunQueueSubject>): void {
  runContract(`RunQueue: ${name}`, runQueueCases, open);
}

function seen(condition: () => boolean, what: string): Promise<unknown> {
  return until(condition, { what, everyMs: 2 });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Lets everything that is ready run; not a wait for time. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}
