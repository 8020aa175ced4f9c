// The reply writer against a platform that does what it wants, and killed at every step.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/events.ts";
import type { Pages } from "../../../src/core/ports/pages.ts";
import type { Surface } from "../../../src/core/ports/surface.ts";
import { documentOf } from "../../../src/core/reply/document.ts";
import { createReplyWriter } from "../../../src/core/reply/writer.ts";
import type { Reaction } from "../../support/fake-surface.ts";
import {
  entryOf,
  fenceOf,
  replyBench,
  roundOf,
  settledTexts,
  settles,
  stopped,
} from "../../support/reply-bench.ts";
import { silentLog } from "../../support/silent-log.ts";

const sentence = fc
  .array(
    fc.constantFrom(
      "one",
      "two",
      "three",
      "**four**",
      "`five six`",
      "😀",
      "\n\n",
      "\n- item",
      "\n\n```ts\ncode\n```\n\n",
    ),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
  .map((words) => words.join(" "));

const reaction: fc.Arbitrary<Reaction> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Reaction>({ kind: "ok" }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 3000 }).map((afterMs): Reaction => ({ kind: "ok", afterMs })),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 9000 }).map((waitMs): Reaction => ({ kind: "later", waitMs })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.boolean(), fc.integer({ min: 0, max: 2000 }))
      .map(([landed, afterMs]): Reaction => ({ kind: "unknown", landed, afterMs })),
  },
);

/** A moment of a run: an event, time that passes, or a round that begins anew. */
type Moment =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "tool" }
  | { readonly kind: "again" }
  | { readonly kind: "done" };

const moment: fc.Arbitrary<Moment> = fc.oneof(
  { weight: 5, arbitrary: sentence.map((text): Moment => ({ kind: "say", text })) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 4000 }).map((ms): Moment => ({ kind: "pass", ms })) },
  { weight: 1, arbitrary: fc.constant<Moment>({ kind: "tool" }) },
  { weight: 1, arbitrary: fc.constant<Moment>({ kind: "again" }) },
  { weight: 2, arbitrary: fc.constant<Moment>({ kind: "done" }) },
);

describe("the reply writer", () => {
  it("shows exactly the final document, once, whole and in order, whatever the platform did", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(moment, { maxLength: 25 }),
        fc.array(reaction, { maxLength: 30 }),
        fc.integer({ min: 0, max: 3 }),
        fc.boolean(),
        async (moments, reactions, failingFinds, mergesKeys) => {
          const { clock, thread, writer, run } = replyBench({ pageSize: 300, mergesKeys });
          thread.reactions.push(...reactions);
          thread.failingFinds = failingFinds;
          const reply = writer();
          const said: string[] = [];
          let current = "";
          reply.on({ kind: "round", round: 1, state: "start" });
          for (const each of [...moments, { kind: "done" } as const]) {
            const round = said.length + 1;
            switch (each.kind) {
              case "say":
                current += each.text;
                reply.on({ kind: "text", text: each.text });
                break;
              case "pass":
                await clock.advance(each.ms);
                break;
              case "tool":
                reply.on({ kind: "tool_call", call: { id: `c${round}`, name: "clock", arguments: "{}" } });
                break;
              case "again":
                current = "";
                reply.on({ kind: "round", round, state: "again", why: "cut" });
                break;
              case "done":
                for (const event of doneOf(round, current)) reply.on(event);
                said.push(current);
                current = "";
                break;
              default:
                each satisfies never;
            }
          }
          expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "settled" });
          thread.isSettled = true;
          await clock.advance(60_000);
          expect(thread.texts()).toEqual(settledTexts(run, said, thread.limits));
          expect(thread.visible().every((page) => page.status === undefined)).toBe(true);
          expect(thread.faults).toEqual([]);
          expect(clock.waiting).toBe(0);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("R15: loses no word where pages turn out too long, again and again", async () => {
    const words = fc.array(fc.constantFrom("one", "two", "three.", "\n\n"), { minLength: 1, maxLength: 400 });
    const tooLong = fc.oneof(reaction, fc.constant<Reaction>({ kind: "too_long" }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(words, { maxLength: 8 }),
        fc.array(tooLong, { maxLength: 6 }),
        async (parts, reactions) => {
          const { clock, thread, writer } = replyBench({ pageSize: 2000 });
          thread.reactions.push(...reactions);
          const reply = writer();
          const said = `Begin. ${parts.map((part) => part.join(" ")).join(" ")} End.`;
          reply.on({ kind: "round", round: 1, state: "start" });
          for (let at = 0; at < said.length; at += 700) {
            reply.on({ kind: "text", text: said.slice(at, at + 700) });
            await clock.advance(900);
          }
          expect(await settles(clock, reply.settle(stopped))).toEqual({ kind: "settled" });
          expect(thread.texts().join("").replace(/\s/g, "")).toBe(said.replace(/\s/g, ""));
          expect(thread.visible().every((page) => page.status === undefined)).toBe(true);
          expect(thread.faults).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("killed at any step, before or after the step took effect, its successor leaves the thread right", async () => {
    const whole = Array.from(
      { length: 12 },
      (_, index) => `Part ${index}: ${"word ".repeat(12).trim()}.`,
    ).join("\n\n");
    let steps = 0;
    for (let killedAt = 0; killedAt <= steps; killedAt++) {
      for (const landed of [true, false]) {
        const { clock, thread, pages, run, writer } = replyBench({ pageSize: 300 });
        const life = new Life(killedAt, landed);
        const first = createReplyWriter(
          { surface: life.surface(thread), pages: life.pages(pages), clock, log: silentLog },
          { run, fence: fenceOf(run, 1), isLive: () => true },
        );
        first.on({ kind: "round", round: 1, state: "start" });
        for (let at = 0; at < whole.length; at += 150) {
          first.on({ kind: "text", text: whole.slice(at, at + 150) });
          await clock.advance(2000);
        }
        first.on({ kind: "round", round: 1, state: "again", why: "cut" });
        first.on({ kind: "text", text: "Short." });
        await clock.advance(4000);
        first.on({ kind: "text", text: ` ${whole}` });
        await clock.advance(3000);
        void first.settle(stopped).catch(() => undefined);
        await clock.advance(10_000);
        steps = Math.max(steps, life.steps);

        pages.newestFence = 2;
        const final = `Short. ${whole}`;
        const second = writer({ fenceNumber: 2, document: documentOf(run, [entryOf(run, 1, final)]) });
        expect(await settles(clock, second.settle(stopped))).toEqual({ kind: "settled" });
        const at = `killed at step ${killedAt}, ${landed ? "after" : "before"} it took effect`;
        expect(thread.texts(), at).toEqual(settledTexts(run, [final], thread.limits));
        expect(
          thread.visible().filter((page) => page.status !== undefined),
          at,
        ).toEqual([]);
        expect(
          thread.faults.filter((fault) => !fault.includes("in flight")),
          at,
        ).toEqual([]);
        expect((await pages.list(run.id)).length, at).toBe(thread.visible().length);
      }
    }
    expect(steps).toBeGreaterThan(20);
  });
});

function doneOf(round: number, text: string): RunEvent[] {
  const [, , done] = roundOf(round, text);
  return [...(done === undefined ? [] : [done]), { kind: "round", round: round + 1, state: "start" }];
}

/** A process that ends at its n-th step: that step takes effect or not, and nothing is ever heard of it again. */
class Life {
  steps = 0;
  readonly #killedAt: number;
  readonly #landed: boolean;

  constructor(killedAt: number, landed: boolean) {
    this.#killedAt = killedAt;
    this.#landed = landed;
  }

  surface(inner: Surface): Surface {
    return {
      limits: inner.limits,
      post: (...write) => this.#step(() => inner.post(...write)),
      edit: (...write) => this.#step(() => inner.edit(...write)),
      remove: (...write) => this.#step(() => inner.remove(...write)),
      find: (key) => this.#step(() => inner.find(key)),
    };
  }

  pages(inner: Pages): Pages {
    return {
      list: (run) => inner.list(run),
      put: (fence, page) => this.#step(() => inner.put(fence, page)),
      remove: (fence, index) => this.#step(() => inner.remove(fence, index)),
    };
  }

  async #step<T>(work: () => Promise<T>): Promise<T> {
    const step = this.steps++;
    if (step < this.#killedAt) return work();
    if (step === this.#killedAt && this.#landed) await work();
    return new Promise<T>(() => {});
  }
}
