// The look-up of a page that is not wanted any more and may have landed: by its key, then by the names of the reply's files.
import { expect, test } from "vitest";
import type { KnownPost } from "../../../src/core/ports/surface.ts";
import { createPostedPages } from "../../../src/core/reply/posted-pages.ts";
import { FakeThread } from "../../support/fake-surface.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { MemoryPages } from "../../support/memory-pages.ts";
import { fenceOf, runNamed } from "../../support/reply-bench.ts";
import { silentLog } from "../../support/silent-log.ts";

const FILES = ["reply-r1.md", "image-r1-1.png", "image-r1-2.png"];

/** Every second search is refused for its haste, as where one a minute is all there is. */
class BusyThread extends FakeThread {
  readonly searches: string[] = [];
  #asked = 0;

  override async find(_key: string, known?: KnownPost): Promise<string | undefined> {
    if (this.#asked++ % 2 === 1) throw new Error("too often");
    this.searches.push(known?.file ?? "key");
    return undefined;
  }
}

/** @param lateUntil ticks until which a write of the attempt before may land. */
async function openWorld(lateUntil?: number) {
  const clock = manualClock();
  const thread = new BusyThread({ clock });
  const [run, pages] = [runNamed("r1"), new MemoryPages()];
  await pages.put(fenceOf(run, 1), { run: run.id, index: 0, key: "lost" });
  const late = lateUntil === undefined ? {} : { lateUntil };
  const posted = createPostedPages(
    { surface: thread, pages, log: silentLog, ticks: () => clock.ticks() },
    { run, fence: fenceOf(run, 2), isNew: false, isLive: () => true, fileNames: () => FILES, ...late },
  );
  await posted.load();
  return { clock, thread, pages, posted, run };
}
const remove = { kind: "remove", index: 0 } as const;

test("it is looked for by its key once and by each name once, and goes on where it was broken off", async () => {
  const { thread, pages, posted, run } = await openWorld();
  const steps: string[] = [];
  for (let tries = 0; tries < 10 && steps.at(-1) !== "done"; tries++)
    steps.push((await posted.perform(remove, "final")).kind);
  expect(steps).toEqual(["unknown", "unknown", "unknown", "done"]);
  expect(thread.searches).toEqual(["key", ...FILES]);
  expect(await pages.list(run.id)).toEqual([]);
});

test("while something may still land, what was not there is looked for anew", async () => {
  const { clock, thread, posted } = await openWorld(60_000);
  await posted.perform(remove, "final");
  await posted.perform(remove, "final");
  expect(thread.searches).toEqual(["key", "key"]);
  await clock.advance(60_000);
  await posted.perform(remove, "final");
  await posted.perform(remove, "final");
  expect(thread.searches).toEqual(["key", "key", "key", FILES[0]]);
});
