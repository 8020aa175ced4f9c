import { describe, expect, test } from "vitest";
import { drain } from "../../../src/core/agent/drain.ts";
import { BobbinError } from "../../../src/core/errors.ts";
import type { Locker } from "../../../src/core/ports/locker.ts";
import { collect, outline, ports, sessionOver } from "../../support/agent-library.ts";
import { hangs, reply } from "../../support/scripted-model.ts";

async function bodies(deps: ReturnType<typeof ports>, id = "s1") {
  return (await deps.history.read(id)).map((entry) => entry.body);
}

describe("a failing port", () => {
  const failing = (code: string) => () => Promise.reject(new Error(code));

  test("History that cannot be read or written is the run's error", async () => {
    const unread = ports();
    const first = await drain(
      sessionOver({ ...unread, history: { ...unread.history, read: failing("no") } }).run("x"),
    );
    expect(first).toMatchObject({ reason: "error", error: { code: "history_failed" } });
    const unwritten = ports(reply("a"), reply("b"));
    for (const persist of ["run", "round"] as const) {
      const deps = { ...unwritten, history: { ...unwritten.history, append: failing("full") } };
      expect(await drain(sessionOver(deps, { persist }).run("x"))).toMatchObject({ reason: "error" });
    }
  });

  test("a History that panics at once is an error with the cause and its stack, and the lock is released", async () => {
    const deps = ports(reply("a"));
    const panic = () => {
      throw new TypeError("not a function");
    };
    const broken = sessionOver({ ...deps, history: { ...deps.history, read: panic } });
    const { error, reason } = await drain(broken.run("x"));
    expect(reason).toBe("error");
    const cause = error?.cause;
    expect(cause instanceof Error && cause.stack).toContain("test.ts");
    expect((await drain(sessionOver(deps).run("x"))).reason).toBe("stop");
  });

  test("a model that panics is an error with its stack, and the lock is released", async () => {
    const deps = ports(reply("a"));
    const panics = {
      ...deps,
      model: {
        stream() {
          throw new TypeError("bad client");
        },
      },
    };
    const { error } = await drain(sessionOver(panics).run("x"));
    expect(error).toMatchObject({ code: "panic", message: "bad client" });
    expect(error?.stack).toBeDefined();
    expect((await drain(sessionOver(deps).run("x"))).reason).toBe("stop");
  });

  test("a lock that cannot be had fails the run", async () => {
    const deps = ports();
    const locker: Locker = {
      withLock: () => Promise.reject(new BobbinError("lock_failed", "redis is away")),
    };
    expect(outline(await collect(sessionOver({ ...deps, locker }).run("x")))).toEqual([
      "error lock_failed",
      "end error",
    ]);
  });

  test("a lock that is not free before the run's time is over fails the run", async () => {
    const deps = ports();
    await deps.locker.withLock("s1", { mode: "try" }, async () => {
      const drained = drain(sessionOver(deps, { limits: { runMs: 1_000 } }).run("x"));
      await deps.clock.advance(1_000);
      expect(await drained).toMatchObject({ reason: "timeout", error: { code: "lock_failed" } });
    });
  });

  test("a locker that does not hear the abort does not hold the run", async () => {
    const deps = ports();
    let enter = (): void => {};
    const locker: Locker = {
      async withLock(_key, _options, body) {
        await new Promise<void>((resolve) => (enter = resolve));
        return {
          kind: "done",
          value: await body({ signal: new AbortController().signal, isLive: () => true }),
        };
      },
    };
    const session = sessionOver({ ...deps, locker });
    const drained = drain(session.run("x"));
    await session.stop();
    expect((await drained).reason).toBe("cancelled");
    enter();
    await deps.clock.advance(0);
    expect(deps.model.requests).toEqual([]);
  });

  test("an unlock that throws never fails the run: it comes after the end", async () => {
    const deps = ports(reply("a"));
    const locker: Locker = {
      async withLock(key, options, body) {
        await deps.locker.withLock(key, options, body);
        throw new Error("release failed");
      },
    };
    const events = await collect(sessionOver({ ...deps, locker }).run("x"));
    expect(outline(events).slice(-2)).toEqual(["round done 1", "end stop"]);
  });

  test("a lock that is lost in mid-run ends it with lease_lost, and nothing more is written", async () => {
    const deps = ports(hangs("half"));
    const lost = new AbortController();
    const locker: Locker = {
      withLock: async (_key, _options, body) => ({
        kind: "done",
        value: await body({ signal: lost.signal, isLive: () => !lost.signal.aborted }),
      }),
    };
    const drained = drain(sessionOver({ ...deps, locker }, { persist: "round" }).run("x"));
    await deps.model.reached(1);
    lost.abort();
    expect(await drained).toMatchObject({ reason: "error", error: { code: "lease_lost" } });
    expect(await bodies(deps)).toEqual([]);
  });
});

describe("order of lock, history and end", () => {
  test("the lock is taken before History is read and released after the end", async () => {
    const deps = ports(reply("a"));
    const order: string[] = [];
    const { history } = deps;
    const session = sessionOver({
      ...deps,
      locker: {
        async withLock(key, options, body) {
          order.push("lock");
          const locked = await deps.locker.withLock(key, options, body);
          order.push("unlock");
          return locked;
        },
      },
      history: {
        read: (id) => {
          order.push("read");
          return history.read(id);
        },
        append: (id, given) => {
          order.push("append");
          return history.append(id, given);
        },
      },
    });
    for await (const event of session.run("x")) if (event.kind === "end") order.push("end");
    await deps.clock.advance(0);
    expect(order).toEqual(["lock", "read", "append", "end", "unlock"]);
    expect(session.isRunning).toBe(false);
  });
});
