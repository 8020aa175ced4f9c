// What every Stops keeps; see src/core/ports/stops.ts.
import { expect } from "vitest";
import type { Stops } from "../../src/core/ports/stops.ts";
import { until } from "../support/until.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";
import { sessionNamed } from "./run-queue.ts";

export const stopsCases: readonly ContractCase<Stops>[] = [
  {
    title: "a signal is heard by everyone who watches the session",
    async run(stops) {
      await areHeard(stops);
      const heard: string[] = [];
      stops.watch(sessionNamed("a"), () => heard.push("one"));
      stops.watch(sessionNamed("a"), () => heard.push("two"));
      await stops.signal(sessionNamed("a"));
      await until(() => heard.length === 2, { what: "both heard it" });
      expect(heard.toSorted()).toEqual(["one", "two"]);
    },
  },
  {
    title: "sessions are apart",
    async run(stops) {
      await areHeard(stops);
      const heard: string[] = [];
      stops.watch(sessionNamed("a"), () => heard.push("a"));
      stops.watch(sessionNamed("b"), () => heard.push("b"));
      await stops.signal(sessionNamed("a"));
      await stops.signal(sessionNamed("b"));
      await until(() => heard.length >= 2, { what: "both were heard" });
      expect(heard).toEqual(["a", "b"]);
    },
  },
  {
    title: "after unwatch nothing is heard, by the others still, and unwatch may be called twice",
    async run(stops) {
      await areHeard(stops);
      const heard: string[] = [];
      const unwatch = stops.watch(sessionNamed("a"), () => heard.push("left"));
      stops.watch(sessionNamed("a"), () => heard.push("stayed"));
      unwatch();
      unwatch();
      await stops.signal(sessionNamed("a"));
      await until(() => heard.includes("stayed"), { what: "the other heard it" });
      expect(heard).toEqual(["stayed"]);
    },
  },
  {
    title: "who watches again after all had left hears again",
    async run(stops) {
      await areHeard(stops);
      const heard: string[] = [];
      stops.watch(sessionNamed("a"), () => heard.push("first"))();
      stops.watch(sessionNamed("a"), () => heard.push("second"));
      await stops.signal(sessionNamed("a"));
      await until(() => heard.length > 0, { what: "it was heard" });
      expect(heard).toEqual(["second"]);
    },
  },
  {
    title: "a signal that nobody watches for is no error",
    async run(stops) {
      await stops.signal(sessionNamed("nobody"));
    },
  },
];

/** Before that a watch may be told once more than there are signals. */
async function areHeard(stops: Stops): Promise<void> {
  const session = sessionNamed("heard");
  const heard: string[] = [];
  const unwatch = stops.watch(session, () => heard.push("signal"));
  await until(async () => (await stops.signal(session), heard.length > 0), { what: "signals are heard" });
  unwatch();
}

/** Registers the suite over one implementation. */
export function stopsContract(name: string, open: OpenSubject<Stops>): void {
  runContract(`Stops: ${name}`, stopsCases, open);
}
