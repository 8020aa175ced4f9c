// What every Live keeps; see src/core/ports/live.ts.
import { expect } from "vitest";
import type { Live } from "../../src/core/ports/live.ts";
import { until } from "../support/until.ts";
import { runContract, type ContractCase, type OpenSubject } from "./contract.ts";

export const liveCases: readonly ContractCase<Live>[] = [
  {
    title: "events of a topic are heard in order by everyone who subscribed",
    async run(live) {
      const one: unknown[] = [];
      const two: unknown[] = [];
      await live.subscribe("web:local:general:a", (event) => one.push(event));
      await live.subscribe("web:local:general:a", (event) => two.push(event));
      for (let at = 0; at < 50; at++)
        await live.publish("web:local:general:a", { at, text: "größer 日本 \u2028" });
      await until(() => one.length === 50 && two.length === 50, { what: "both heard all" });
      expect(one).toEqual(Array.from({ length: 50 }, (_, at) => ({ at, text: "größer 日本 \u2028" })));
      expect(two).toEqual(one);
    },
  },
  {
    title: "topics are apart",
    async run(live) {
      const heard: unknown[] = [];
      await live.subscribe("threads", (event) => heard.push(event));
      await live.publish("other", "not for us");
      await live.publish("threads", "for us");
      await until(() => heard.length > 0, { what: "it was heard" });
      expect(heard).toEqual(["for us"]);
    },
  },
  {
    title: "each watcher has its own copy: changing it changes nothing for anybody",
    async run(live) {
      const event = { list: [1] };
      const heard: { list: number[] }[] = [];
      for (let watcher = 0; watcher < 2; watcher++) {
        await live.subscribe("t", (copy) => {
          heard.push(copy as { list: number[] });
          (copy as { list: number[] }).list.push(heard.length + 1);
        });
      }
      await live.publish("t", event);
      await until(() => heard.length === 2, { what: "both heard it" });
      expect(event).toEqual({ list: [1] });
      expect(heard).toEqual([{ list: [1, 2] }, { list: [1, 3] }]);
    },
  },
  {
    title: "after the end of a subscription nothing is heard, by the others still",
    async run(live) {
      const heard: string[] = [];
      const leave = await live.subscribe("t", () => heard.push("left"));
      await live.subscribe("t", () => heard.push("stayed"));
      leave();
      leave();
      await live.publish("t", null);
      await until(() => heard.includes("stayed"), { what: "the other heard it" });
      expect(heard).toEqual(["stayed"]);
    },
  },
  {
    title: "an event that nobody watches for, and one that JSON cannot say, are no errors",
    async run(live) {
      await live.publish("nobody", { a: 1 });
      const heard: unknown[] = [];
      await live.subscribe("t", (event) => heard.push(event));
      await live.publish("t", undefined);
      await until(() => heard.length > 0, { what: "it was heard" });
      expect(heard).toEqual([null]);
    },
  },
];

/** Registers the suite over one implementation. */
export function liveContract(name: string, open: OpenSubject<Live>): void {
  runContract(`Live: ${name}`, liveCases, open);
}
