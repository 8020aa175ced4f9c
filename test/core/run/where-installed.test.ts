import { expect, test } from "vitest";
import { onlyWhereInstalled, UNINSTALLED, type Reach } from "../../../src/core/run/where-installed.ts";
import { createServe } from "../../../src/core/run/serve-session.ts";
import { createLocalLocker } from "../../../src/core/agent/local-locker.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { silentLog } from "../../support/silent-log.ts";

const session = sessionIdOf({ platform: "slack", space: "T1", channel: "C1", root: "1.000001" });

/** What is done, in its order, when the session is served, and there seems to be work for ever. */
async function served(reach: Reach): Promise<readonly string[]> {
  const done: string[] = [];
  const step = onlyWhereInstalled({
    step: () => {
      done.push("step");
      return Promise.resolve("idle");
    },
    reachOf: () => Promise.resolve(reach),
    departures: {
      expire: (_, reason) => Promise.resolve(void done.push(`expire: ${reason}`)),
    },
    goals: {
      apply(_, { kind }) {
        done.push(`goal: ${kind}`);
        return Promise.resolve({ kind: "refused", why: "there is none" });
      },
    },
  });
  const store = {
    hasWork: () => {
      done.push("look");
      return Promise.resolve(done.length < 4);
    },
  };
  const serve = createServe({ locker: createLocalLocker(), store, step, log: silentLog });
  await serve(session, new AbortController().signal);
  return done;
}

test("where the app is, a session is served", async () => {
  expect((await served("here"))[0]).toBe("step");
});

test("where an install is broken, nothing is done and nobody looks again: what waits is left", async () => {
  expect(await served("broken")).toEqual([]);
});

test("where the app is no more, what waits expires before anything else is done, though nobody heard of the removal", async () => {
  expect((await served("gone")).slice(0, 3)).toEqual([`expire: ${UNINSTALLED}`, "goal: leave", "step"]);
});
