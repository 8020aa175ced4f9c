// What every Pages keeps; see src/core/ports/pages.ts.
import { expect } from "vitest";
import type { RunId } from "../../src/core/ids.ts";
import type { Pages } from "../../src/core/ports/pages.ts";
import type { ContractCase } from "./contract.ts";
import { running, type RunStoreSubject } from "./run-store-subject.ts";
import { asRun, asSettle } from "./store-samples.ts";

export type PagesSubject = RunStoreSubject & { readonly pages: Pages };

export const pagesCases: readonly ContractCase<PagesSubject>[] = [
  {
    title: "a run without pages lists none, also one that never was",
    async run(subject) {
      const { run } = await running(subject, "one");
      expect(await subject.pages.list(run.id)).toEqual([]);
      expect(await subject.pages.list("nobody" as RunId)).toEqual([]);
    },
  },
  {
    title: "pages come back in reading order, each as it was last put",
    async run(subject) {
      const { pages } = subject;
      const { run, fence } = await running(subject, "one");
      await pages.put(fence, { run: run.id, index: 1, key: "k1" });
      await pages.put(fence, { run: run.id, index: 0, key: "k0", message: "m0" });
      expect(await pages.list(run.id)).toEqual([
        { run: run.id, index: 0, key: "k0", message: "m0" },
        { run: run.id, index: 1, key: "k1" },
      ]);
      await pages.put(fence, { run: run.id, index: 1, key: "k1", message: "m1" });
      await pages.put(fence, { run: run.id, index: 0, key: "k0-again" });
      expect(await pages.list(run.id)).toEqual([
        { run: run.id, index: 0, key: "k0-again" },
        { run: run.id, index: 1, key: "k1", message: "m1" },
      ]);
    },
  },
  {
    title: "a removed page is gone, and removing it again does nothing",
    async run(subject) {
      const { pages } = subject;
      const { run, fence } = await running(subject, "one");
      await pages.put(fence, { run: run.id, index: 0, key: "k0" });
      await pages.put(fence, { run: run.id, index: 1, key: "k1" });
      await pages.remove(fence, 1);
      await pages.remove(fence, 1);
      expect((await pages.list(run.id)).map((page) => page.index)).toEqual([0]);
    },
  },
  {
    title: "pages are written until the reply is settled, and survive the takeover of their run",
    async run(subject) {
      const { pages, store } = subject;
      const { run, fence, session } = await running(subject, "one");
      await pages.put(fence, { run: run.id, index: 0, key: "k0", message: "m0" });
      await store.end(fence, { reason: "stop", modelCalls: [] });
      await pages.put(fence, { run: run.id, index: 1, key: "k1" });
      const successor = asSettle(await store.open(session, "w"));
      await pages.put(successor.fence, { run: run.id, index: 1, key: "k1", message: "m1" });
      expect((await pages.list(run.id)).map((page) => page.message)).toEqual(["m0", "m1"]);
    },
  },
  {
    title: "a fence that is not the newest is refused with stale_fence and changes nothing",
    async run(subject) {
      const { pages, store } = subject;
      const { run, fence, session } = await running(subject, "one");
      await pages.put(fence, { run: run.id, index: 0, key: "k0" });
      asRun(await store.open(session, "w"));
      const stale = { code: "stale_fence" };
      await expect(pages.put(fence, { run: run.id, index: 0, key: "zombie" })).rejects.toMatchObject(stale);
      await expect(pages.put(fence, { run: run.id, index: 1, key: "zombie" })).rejects.toMatchObject(stale);
      await expect(pages.remove(fence, 0)).rejects.toMatchObject(stale);
      expect(await pages.list(run.id)).toEqual([{ run: run.id, index: 0, key: "k0" }]);
    },
  },
  {
    title: "many pages written at the same time are all there",
    async run(subject) {
      const { pages } = subject;
      const { run, fence } = await running(subject, "one");
      const indexes = Array.from({ length: 12 }, (_, index) => index);
      await Promise.all(indexes.map((index) => pages.put(fence, { run: run.id, index, key: `k${index}` })));
      expect((await pages.list(run.id)).map((page) => page.index)).toEqual(indexes);
    },
  },
];
