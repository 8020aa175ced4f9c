import { expect, test } from "vitest";
import { createLocalLocker } from "../../../src/core/agent/local-locker.ts";
import type { Locker } from "../../../src/core/ports/locker.ts";
import { expectBroken } from "../../contract/contract.ts";
import { lockerCases, lockerContract } from "../../contract/locker.ts";

const opened = (subject: Locker): { subject: Locker; close(): Promise<void> } => ({
  subject,
  close: () => Promise.resolve(),
});

lockerContract("within one process", () => opened(createLocalLocker()));

test("forget answers whether the key was free, and a free key is taken as before", async () => {
  const locker = createLocalLocker();
  await locker.withLock("k", { mode: "try" }, async () => {
    expect(locker.forget("k")).toBe(false);
    expect(await locker.withLock("k", { mode: "try" }, async () => 1)).toEqual({ kind: "busy" });
  });
  expect(locker.forget("k")).toBe(true);
  expect(await locker.withLock("k", { mode: "try" }, async () => 1)).toEqual({ kind: "done", value: 1 });
});

test("waiters get the key in the order in which they asked", async () => {
  const locker = createLocalLocker();
  const order: number[] = [];
  await Promise.all(
    [1, 2, 3, 4].map((n) =>
      locker.withLock("k", { mode: "wait" }, async () => {
        order.push(n);
      }),
    ),
  );
  expect(order).toEqual([1, 2, 3, 4]);
});

expectBroken(
  "locks nothing",
  lockerCases,
  () =>
    opened({
      async withLock(_key, options, body) {
        options.signal?.throwIfAborted();
        return {
          kind: "done",
          value: await body({ signal: new AbortController().signal, isLive: () => true }),
        };
      },
    }),
  {
    noticedBy: [
      "never two bodies of one key at a time",
      "try answers busy at once while the key is held, and its body does not run",
      "wait gets the key when it is released",
    ],
  },
);

expectBroken(
  "keeps the key after a body that threw",
  lockerCases,
  () => {
    const locker = createLocalLocker();
    const stuck = new Set<string>();
    return opened({
      async withLock(key, options, body) {
        if (stuck.has(key)) return { kind: "busy" };
        return locker.withLock(key, options, async (lease) => {
          try {
            return await body(lease);
          } catch (error) {
            stuck.add(key);
            throw error;
          }
        });
      },
    });
  },
  { noticedBy: ["a body that throws passes its error through and releases the key"] },
);

expectBroken(
  "never gives up waiting",
  lockerCases,
  () => {
    const locker = createLocalLocker();
    return opened({ withLock: (key, { mode }, body) => locker.withLock(key, { mode }, body) });
  },
  { noticedBy: ["an abort ends the waiting with lock_failed, and the body does not run"], limitMs: 300 },
);
