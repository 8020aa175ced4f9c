// What every Locker keeps; see src/core/ports/locker.ts. Loss of a lease is shown by each implementation's own tests, since
// only they know how to take one away.
import { expect } from "vitest";
import { BobbinError } from "../../src/core/errors.ts";
import type { Lease, Locker } from "../../src/core/ports/locker.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

export const lockerCases: readonly ContractCase<Locker>[] = [
  {
    title: "the body runs with a live lease and its value comes back",
    async run(locker) {
      const locked = await locker.withLock("k", { mode: "try" }, async (lease) => {
        expect(lease.isLive()).toBe(true);
        expect(lease.signal.aborted).toBe(false);
        return 7;
      });
      expect(locked).toEqual({ kind: "done", value: 7 });
    },
  },
  {
    title: "never two bodies of one key at a time",
    async run(locker) {
      let inside = 0;
      let most = 0;
      const body = async (): Promise<void> => {
        inside += 1;
        most = Math.max(most, inside);
        await turns(3);
        inside -= 1;
      };
      await Promise.all(Array.from({ length: 10 }, () => locker.withLock("k", { mode: "wait" }, body)));
      expect(most).toBe(1);
    },
  },
  {
    title: "try answers busy at once while the key is held, and its body does not run",
    async run(locker) {
      await using holder = await hold(locker, "k");
      let ran = false;
      const locked = await locker.withLock("k", { mode: "try" }, async () => {
        ran = true;
      });
      expect(locked).toEqual({ kind: "busy" });
      expect(ran).toBe(false);
      expect(holder.lease.isLive()).toBe(true);
    },
  },
  {
    title: "keys are apart",
    async run(locker) {
      await using _holder = await hold(locker, "k");
      expect(await locker.withLock("other", { mode: "try" }, async () => "in")).toEqual({
        kind: "done",
        value: "in",
      });
    },
  },
  {
    title: "wait gets the key when it is released",
    async run(locker) {
      const holder = await hold(locker, "k");
      let ran = false;
      const waiting = locker.withLock("k", { mode: "wait" }, async () => {
        ran = true;
      });
      await turns(3);
      expect(ran).toBe(false);
      await holder[Symbol.asyncDispose]();
      expect(await waiting).toEqual({ kind: "done", value: undefined });
      expect(ran).toBe(true);
    },
  },
  {
    title: "a body that throws passes its error through and releases the key",
    async run(locker) {
      const failure = new Error("the body failed");
      await expect(locker.withLock("k", { mode: "wait" }, () => Promise.reject(failure))).rejects.toBe(
        failure,
      );
      expect(await locker.withLock("k", { mode: "try" }, async () => "in")).toEqual({
        kind: "done",
        value: "in",
      });
    },
  },
  {
    title: "an abort ends the waiting with lock_failed, and the body does not run",
    async run(locker) {
      await using _holder = await hold(locker, "k");
      const controller = new AbortController();
      let ran = false;
      const waiting = locker.withLock("k", { mode: "wait", signal: controller.signal }, async () => {
        ran = true;
      });
      const refused = expectLockFailed(waiting);
      await turns(2);
      controller.abort();
      await refused;
      expect(ran).toBe(false);
    },
  },
  {
    title: "who has given up waiting does not get the key later",
    async run(locker) {
      const holder = await hold(locker, "k");
      const controller = new AbortController();
      let ran = false;
      const waiting = locker.withLock("k", { mode: "wait", signal: controller.signal }, async () => {
        ran = true;
      });
      const refused = expectLockFailed(waiting);
      await turns(2);
      controller.abort();
      await refused;
      await holder[Symbol.asyncDispose]();
      expect(await locker.withLock("k", { mode: "wait" }, async () => "in")).toEqual({
        kind: "done",
        value: "in",
      });
      expect(ran).toBe(false);
    },
  },
  {
    title: "a signal that is aborted already refuses with lock_failed, also on a free key",
    async run(locker) {
      let ran = false;
      await expectLockFailed(
        locker.withLock("k", { mode: "wait", signal: AbortSignal.abort() }, async () => {
          ran = true;
        }),
      );
      expect(ran).toBe(false);
    },
  },
  {
    title: "an abort after the body began ends neither the body nor its lease",
    async run(locker) {
      const controller = new AbortController();
      const locked = await locker.withLock(
        "k",
        { mode: "wait", signal: controller.signal },
        async (lease) => {
          controller.abort();
          await turns(2);
          return lease.isLive() && !lease.signal.aborted;
        },
      );
      expect(locked).toEqual({ kind: "done", value: true });
    },
  },
  {
    title: "a lease is not live any more once its body has settled",
    async run(locker) {
      let kept: Lease | undefined;
      await locker.withLock("k", { mode: "try" }, async (lease) => {
        kept = lease;
      });
      expect(kept?.isLive()).toBe(false);
    },
  },
];

/** Registers the suite over one implementation; `open` gives a locker on which nothing is held. */
export function lockerContract(name: string, open: OpenSubject<Locker>): void {
  runContract(`Locker: ${name}`, lockerCases, open);
}

interface Holder extends AsyncDisposable {
  readonly lease: Lease;
}

/** Holds the key until the holder is disposed of. */
async function hold(locker: Locker, key: string): Promise<Holder> {
  const entered = Promise.withResolvers<Lease>();
  const leave = Promise.withResolvers<void>();
  const held = locker.withLock(key, { mode: "try" }, async (lease) => {
    entered.resolve(lease);
    await leave.promise;
  });
  held.then(
    (locked) => locked.kind === "busy" && entered.reject(new Error("the key was not free")),
    (error: unknown) => entered.reject(error),
  );
  const lease = await entered.promise;
  return {
    lease,
    async [Symbol.asyncDispose]() {
      leave.resolve();
      await held;
    },
  };
}

async function expectLockFailed(locked: Promise<unknown>): Promise<void> {
  const thrown = await locked.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(BobbinError);
  expect((thrown as BobbinError).code).toBe("lock_failed");
}

/** Lets everything that is ready run; not a wait for time. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
}
