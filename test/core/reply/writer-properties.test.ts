// Replies whose attempts die and are taken over, while people delete pages and the platform does what it wants: what stands in the
// thread in the end is what was said, once, and nothing older.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentOf } from "../../../src/core/reply/document.ts";
import { createReplyWriter, type ReplyWriter, type Settled } from "../../../src/core/reply/writer.ts";
import type { RunInfo } from "../../../src/core/run.ts";
import { FakeThread, type Reaction } from "../../support/fake-surface.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";
import { MemoryPages } from "../../support/memory-pages.ts";
import { MortalSurface } from "../../support/mortal-surface.ts";
import {
  entryOf,
  fenceOf,
  roundOf,
  runNamed,
  settledTexts,
  settles,
  stopped,
} from "../../support/reply-bench.ts";
import { silentLog } from "../../support/silent-log.ts";

/** As long as a write of a dead attempt may be under way when the next one begins. */
const LATE_MS = 5_000;
const PAGE = 220;

type Act =
  | { readonly kind: "say"; readonly words: number }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "tool" }
  | { readonly kind: "steer" }
  /** A round of which nothing is kept: the reply shrinks. */
  | { readonly kind: "again" }
  | { readonly kind: "done" }
  /** The attempt dies; what is under way lands so much later, or never. */
  | { readonly kind: "die"; readonly landsMs: number | undefined; readonly goneMs: number }
  | { readonly kind: "delete"; readonly at: number };

const acts = (deletes: boolean): fc.Arbitrary<readonly Act[]> => {
  const kinds: fc.WeightedArbitrary<Act>[] = [
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 40 }).map((words): Act => ({ kind: "say", words })) },
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 4000 }).map((ms): Act => ({ kind: "pass", ms })) },
    { weight: 1, arbitrary: fc.constant<Act>({ kind: "tool" }) },
    { weight: 1, arbitrary: fc.constant<Act>({ kind: "steer" }) },
    { weight: 1, arbitrary: fc.constant<Act>({ kind: "again" }) },
    { weight: 3, arbitrary: fc.constant<Act>({ kind: "done" }) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.option(fc.integer({ min: 0, max: LATE_MS / 2 }), { nil: undefined }),
          fc.integer({ min: 0, max: 3000 }),
        )
        .map(([landsMs, goneMs]): Act => ({ kind: "die", landsMs, goneMs })),
    },
  ];
  if (deletes)
    kinds.push({ weight: 1, arbitrary: fc.nat({ max: 3 }).map((at): Act => ({ kind: "delete", at })) });
  return fc.array(fc.oneof(...kinds), { maxLength: 22 });
};

const reaction: fc.Arbitrary<Reaction> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Reaction>({ kind: "ok" }) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 2500 }).map((afterMs): Reaction => ({ kind: "ok", afterMs })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 9000 }), fc.boolean())
      .map(([waitMs, isTurn]): Reaction => ({ kind: "later", waitMs, ...(isTurn && { isTurn }) })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.boolean(), fc.integer({ min: 0, max: 2000 }))
      .map(([landed, afterMs]): Reaction => ({ kind: "unknown", landed, afterMs })),
  },
);

interface World {
  readonly clock: ManualClock;
  readonly thread: FakeThread;
  readonly pages: MemoryPages;
  readonly mergesKeys: boolean;
}

function worldOf(reactions: readonly Reaction[], mergesKeys: boolean): World {
  const clock = manualClock();
  const thread = new FakeThread({ clock, pageSize: PAGE, mergesKeys });
  thread.reactions.push(...reactions);
  return { clock, thread, pages: new MemoryPages(), mergesKeys };
}

/** One run from its first attempt to its settled reply. @returns what it said in its rounds, and how often people deleted a page of it. */
async function live(
  { clock, thread, pages, mergesKeys }: World,
  run: RunInfo,
  all: readonly Act[],
  firstFence: number,
): Promise<{ readonly said: readonly string[]; readonly deleted: number; readonly settled: Settled }> {
  const said: string[] = [];
  let current = "";
  let counted = 0;
  let deleted = 0;
  let fenceNumber = firstFence;
  let surface: MortalSurface;
  let writer: ReplyWriter;

  const begin = (isFirst: boolean): void => {
    pages.newestFence = fenceNumber;
    const own = new MortalSurface(thread, clock);
    surface = own;
    const entries = said.map((text, index) => entryOf(run, index + 1, text));
    writer = createReplyWriter(
      { surface: own, pages, clock, log: silentLog },
      {
        run,
        fence: fenceOf(run, fenceNumber),
        isLive: () => own.isAlive,
        document: documentOf(run, entries),
        ...(isFirst ? { isNew: true } : { lateWritesMs: LATE_MS }),
      },
    );
    writer.on({ kind: "round", round: said.length + 1, state: "start" });
  };

  const end = (): void => {
    const [, , done] = roundOf(said.length + 1, current);
    if (done !== undefined) writer.on(done);
    said.push(current);
    current = "";
    writer.on({ kind: "round", round: said.length + 1, state: "start" });
  };

  begin(true);
  for (const act of [...all, { kind: "done" } as const]) {
    switch (act.kind) {
      case "say": {
        const words = Array.from({ length: act.words }, () => `${run.id}w${++counted}`);
        const text = `${words.join(" ")} `;
        current += text;
        writer!.on({ kind: "text", text });
        break;
      }
      case "pass":
        await clock.advance(act.ms);
        break;
      case "tool":
        writer!.on({ kind: "tool_call", call: { id: `c${counted}`, name: "clock", arguments: "{}" } });
        break;
      case "steer":
        writer!.on({ kind: "steer", messages: [] });
        break;
      case "again":
        current = "";
        writer!.on({ kind: "round", round: said.length + 1, state: "again", why: "cut" });
        break;
      case "done":
        end();
        break;
      case "die":
        surface!.die(act.landsMs);
        await clock.advance(act.goneMs);
        // Where a platform does not know a key again, a post has landed, or never will, by the time the lease is over.
        while (!mergesKeys && surface!.postsUnderWay > 0) await clock.advance(100);
        fenceNumber++;
        // What was not stored is said anew.
        current = "";
        begin(false);
        break;
      case "delete":
        if (act.at < thread.visible().length) deleted++;
        thread.deleteShown(act.at);
        break;
      default:
        act satisfies never;
    }
  }
  const settled = await settles(clock, writer!.settle(stopped));
  return { said, deleted, settled };
}

const wordsOf = (texts: readonly string[]): string[] =>
  texts
    .join(" ")
    .split(/\s+/)
    .filter((word) => /w\d/.test(word));

describe("whatever happens to its attempts, a reply", () => {
  it("stands there exactly as it was said, once, and nothing older comes back", async () => {
    await fc.assert(
      fc.asyncProperty(
        acts(false),
        fc.array(reaction, { maxLength: 30 }),
        fc.boolean(),
        async (all, reactions, mergesKeys) => {
          const world = worldOf(reactions, mergesKeys);
          const run = runNamed("a");
          const { said, settled } = await live(world, run, all, 1);
          expect(settled).toEqual({ kind: "settled" });
          world.thread.isSettled = true;
          await world.clock.advance(120_000);
          expect(world.thread.texts()).toEqual(settledTexts(run, said, world.thread.limits));
          expect(world.thread.visible().filter(({ status }) => status !== undefined)).toEqual([]);
          expect(world.thread.faults.filter((fault) => !fault.includes("in flight"))).toEqual([]);
          expect((await world.pages.list(run.id)).length).toBe(world.thread.visible().length);
        },
      ),
      { numRuns: 600 },
    );
  });

  it("lacks at most what people deleted, and nothing of it stands there twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        acts(true),
        fc.array(reaction, { maxLength: 20 }),
        fc.boolean(),
        async (all, reactions, mergesKeys) => {
          const world = worldOf(reactions, mergesKeys);
          const run = runNamed("a");
          const { said, deleted, settled } = await live(world, run, all, 1);
          await world.clock.advance(120_000);
          const texts = world.thread.texts();
          if (settled.kind === "gone") expect(deleted).toBeGreaterThan(1);
          else {
            const wanted = settledTexts(run, said, world.thread.limits);
            expect(texts).toEqual(wanted.filter((text) => texts.includes(text)));
            expect(wanted.length - texts.length).toBeLessThanOrEqual(deleted);
          }
          const words = wordsOf(texts);
          expect(new Set(words).size).toBe(words.length);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("R14: leaves the reply before it alone, and stands below it", async () => {
    await fc.assert(
      fc.asyncProperty(
        acts(false),
        acts(false),
        fc.array(reaction, { maxLength: 30 }),
        fc.boolean(),
        async (first, second, reactions, mergesKeys) => {
          const world = worldOf(reactions, mergesKeys);
          const [a, b] = [runNamed("a"), runNamed("b")];
          const before = await live(world, a, first, 1);
          const stood = world.thread.visible();
          const after = await live(world, b, second, 100);
          await world.clock.advance(120_000);
          expect([before.settled.kind, after.settled.kind]).toEqual(["settled", "settled"]);
          expect(world.thread.visible().slice(0, stood.length)).toEqual(stood);
          expect(world.thread.texts()).toEqual([
            ...settledTexts(a, before.said, world.thread.limits),
            ...settledTexts(b, after.said, world.thread.limits),
          ]);
        },
      ),
      { numRuns: 150 },
    );
  });
});
