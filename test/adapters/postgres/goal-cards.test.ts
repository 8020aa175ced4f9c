// The card of a goal on a thread that loses, delays and refuses writes: one message, the newest state, by whoever is alive.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createGoalCards } from "../../../src/adapters/postgres/goal-cards.ts";
import { cardOf } from "../../../src/core/goal/card.ts";
import type { GoalEvent } from "../../../src/core/goal/event.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import type { GoalCards, OwedCard } from "../../../src/core/ports/goal-cards.ts";
import { createGoalCardKeeper } from "../../../src/core/run/goal-cards.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { newSession } from "../../contract/store-samples.ts";
import { FakeThread, type Reaction } from "../../support/fake-surface.ts";
import { changedGoal, owner, setGoal } from "../../support/goals.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { until } from "../../support/until.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

const backend = postgresBackend();
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const cards = (): GoalCards => createGoalCards(backend.sql());

interface World {
  readonly session: SessionId;
  readonly clock: ManualClock;
  readonly thread: FakeThread;
  apply(event: GoalEvent): Promise<Goal>;
  goal(): Promise<Goal>;
  /** Whoever keeps it, as one process does. */
  keeper(over?: Partial<GoalCards>): ReturnType<typeof createGoalCardKeeper>;
  /** Time passes until the work is done. */
  while<T>(work: Promise<T>): Promise<T>;
}

function world(): World {
  const session = newSession();
  const clock = manualClock();
  // Between two edits there is no pause: the store's time is not this clock's.
  const thread = new FakeThread({ clock, editEveryMs: 1 });
  const { goals } = storesOver(backend.sql());
  return {
    session,
    clock,
    thread,
    apply: async (event) => changedGoal(await goals.apply(session, event)),
    goal: async () => (await goals.read(session))!,
    keeper: (over = {}) =>
      createGoalCardKeeper(
        {
          cards: { ...cards(), ...over },
          surfaceOf: () => thread,
          reachOf: () => Promise.resolve("here"),
          clock,
          hash: sha256,
          log: silentLog,
        },
        { idleMs: 16_000 },
      ),
    async while(work) {
      let isDone = false;
      const watched = work.finally(() => {
        isDone = true;
      });
      await until(
        async () => {
          await clock.advance(500);
          return isDone;
        },
        { what: "the card is brought" },
      );
      return watched;
    },
  };
}

const pause: GoalEvent = { kind: "pause", by: owner };
const resume: GoalEvent = { kind: "resume", by: owner };

/** What stands in the thread is the goal as it is, once. */
async function expectShown({ thread, goal }: World): Promise<void> {
  expect(thread.visible()).toEqual([cardOf(await goal())]);
  expect(thread.faults).toEqual([]);
}

test("a goal has one message, which is edited with whatever happens to it, and keeps its last state", async () => {
  const it = world();
  const keeper = it.keeper();
  for (const event of [setGoal(), pause, resume, { kind: "clear", by: owner } as const]) {
    await it.apply(event);
    await it.while(keeper.shown(it.session));
    await expectShown(it);
  }
  expect(it.thread.messages).toHaveLength(1);
  expect(it.thread.visible()[0]?.buttons).toEqual([]);
});

test("a card that says how the goal stands comes with replies, also where it waits long for its turn, and its last word with finals", async () => {
  const it = world();
  const keeper = it.keeper();
  await it.apply(setGoal());
  await it.while(keeper.shown(it.session));
  await it.apply(pause);
  for (let turn = 0; turn < 8; turn++)
    it.thread.reactions.push({ kind: "later", waitMs: 1_000, isTurn: true });
  await it.while(keeper.shown(it.session));
  await expectShown(it);
  await it.apply({ kind: "clear", by: owner });
  await it.while(keeper.shown(it.session));
  expect([...new Set(it.thread.writes.map(({ urgency }) => urgency))]).toEqual(["reply", "final"]);
});

test("a post whose answer was lost is looked for and not posted again", async () => {
  const it = world();
  it.thread.reactions.push({ kind: "unknown", landed: true });
  await it.apply(setGoal());
  await it.while(it.keeper().shown(it.session));
  await expectShown(it);
  expect(it.thread.messages).toHaveLength(1);
});

test("killed between the post and the note of it: whoever looks next finds the post", async () => {
  const it = world();
  await it.apply(setGoal());
  const dying = it.keeper({ shown: () => Promise.reject(new Error("killed")), leave: async () => {} });
  await it.while(dying.shown(it.session));
  expect(it.thread.messages).toHaveLength(1);
  // Nobody else has it for a while, and then somebody does.
  expect(await cards().take(1_000, it.session)).toMatchObject({ dueInMs: expect.any(Number) });
  await backend
    .sql()
    .query({ name: "let-it-be-due", text: "update goals set card_at = 0 where session = $1" }, [it.session]);
  await it.while(it.keeper().shown(it.session));
  await expectShown(it);
  expect(it.thread.messages).toHaveLength(1);
});

test("what changes while a card is written is shown right after it, by whoever writes", async () => {
  const it = world();
  await it.apply(setGoal());
  let isFirst = true;
  const keeper = it.keeper({
    async shown(card, state, times) {
      if (isFirst) await it.apply(pause);
      isFirst = false;
      return cards().shown(card, state, times);
    },
  });
  await it.while(keeper.shown(it.session));
  await expectShown(it);
  expect(it.thread.messages).toHaveLength(1);
});

test("who lost the card writes nothing of it down", async () => {
  const it = world();
  await it.apply(setGoal());
  const first = (await cards().take(0, it.session)) as OwedCard;
  const second = (await cards().take(1_000, it.session)) as OwedCard;
  expect(second.fence).toBe(first.fence + 1);
  expect(await cards().keep(first, { posts: 1, key: "old" })).toBe(false);
  expect(await cards().shown(first, { posts: 1 }, { idleMs: 0, quietMs: 0 })).toBeUndefined();
  await cards().over(first);
  expect(await cards().shown(second, { posts: 1 }, { idleMs: 0, quietMs: 0 })).toBe("all");
  expect(await cards().take(0, it.session)).toBeUndefined();
});

test("a card that somebody deletes comes back when the goal stands otherwise, and not for each of its turns", async () => {
  const it = world();
  const keeper = it.keeper();
  await it.apply(setGoal());
  await it.while(keeper.shown(it.session));
  it.thread.deleteShown(0);
  await it.apply({ kind: "edit", by: owner, objective: "tidy all of it" });
  await it.while(keeper.shown(it.session));
  expect(it.thread.visible()).toEqual([]);
  await it.apply(pause);
  await it.while(keeper.shown(it.session));
  await expectShown(it);
  it.thread.deleteShown(0);
  await it.apply({ kind: "clear", by: owner });
  await it.while(keeper.shown(it.session));
  expect(it.thread.visible()).toEqual([]);
});

test("where the thread is gone nothing is tried any more, whatever becomes of the goal", async () => {
  const it = world();
  const keeper = it.keeper();
  await it.apply(setGoal());
  it.thread.isGone = true;
  await it.while(keeper.shown(it.session));
  const writes = it.thread.writes.length;
  await it.apply(pause);
  await it.while(keeper.shown(it.session));
  expect(it.thread.writes).toHaveLength(writes);
});

test("goal on an archived Discord thread: its card is not touched, since that would open the thread, and is once the goal goes on", async () => {
  const it = world();
  const keeper = it.keeper();
  await it.apply(setGoal());
  await it.while(keeper.shown(it.session));
  const writes = it.thread.writes.length;
  await it.apply({ kind: "lost", reason: "archived" });
  await it.while(keeper.shown(it.session));
  expect(it.thread.writes).toHaveLength(writes);
  await it.apply(resume);
  await it.while(keeper.shown(it.session));
  await expectShown(it);
});

test("a goal that is replaced keeps its own card, which says so, and the new one gets another", async () => {
  const it = world();
  const keeper = it.keeper();
  await it.apply(setGoal("the first"));
  await it.while(keeper.shown(it.session));
  await it.apply(setGoal("the second", { mode: "replace" }));
  await it.while(keeper.shown(it.session));
  const [first, second] = it.thread.visible();
  expect(first?.markdown).toContain("another one took its place");
  expect(second?.markdown).toContain("the second");
  expect(it.thread.messages).toHaveLength(2);
});

test("a goal that ended before anybody saw it gets no card", async () => {
  const it = world();
  await it.apply(setGoal());
  await it.apply({ kind: "clear", by: owner });
  await it.while(it.keeper().shown(it.session));
  expect(it.thread.messages).toEqual([]);
});

test("whoever looks brings every card up to date that others left", async () => {
  const it = world();
  await it.apply(setGoal());
  const keeper = it.keeper();
  keeper.start();
  await until(
    async () => {
      await it.clock.advance(500);
      return it.thread.visible().length === 1;
    },
    { what: "the card is there" },
  );
  await keeper.stop();
});

describe("whatever the platform does and whoever writes", () => {
  const reaction: fc.Arbitrary<Reaction> = fc.oneof(
    fc.constant({ kind: "ok" } as const),
    fc.constant({ kind: "later", waitMs: 700 } as const),
    fc.record({ kind: fc.constant("unknown" as const), landed: fc.boolean() }),
  );
  const step = fc.constantFrom("pause", "resume", "edit", "both");

  test("one card stands in the thread in the end, and shows the goal as it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.array(reaction, { maxLength: 4 }),
        async (steps, reactions) => {
          const it = world();
          it.thread.reactions.push(...reactions);
          const [one, two] = [it.keeper(), it.keeper()];
          await it.apply(setGoal());
          const works = [one.shown(it.session)];
          const { goals } = storesOver(backend.sql());
          for (const [index, each] of steps.entries()) {
            if (each === "edit")
              await goals.apply(it.session, { kind: "edit", by: owner, objective: `tidy ${index}` });
            else if (each !== "both") await goals.apply(it.session, each === "pause" ? pause : resume);
            works.push((index % 2 === 0 ? one : two).shown(it.session));
            if (each === "both") works.push(two.shown(it.session));
          }
          await it.while(Promise.all(works));
          // What was left since a platform was away too long is due later.
          await backend
            .sql()
            .query({ name: "let-it-be-due", text: "update goals set card_at = 0 where session = $1" }, [
              it.session,
            ]);
          await it.while(one.shown(it.session));
          await expectShown(it);
          expect(it.thread.messages).toHaveLength(1);
        },
      ),
      { numRuns: 25 },
    );
  });
});

test.each([pause, { kind: "clear", by: owner } as const])(
  "a card that nobody may edit any more is posted anew: as it runs, and as its last state ($kind)",
  async (event) => {
    const it = world();
    const keeper = it.keeper();
    for (const each of [setGoal(), event]) {
      if (each === event) it.thread.reactions.push({ kind: "frozen" });
      await it.apply(each);
      await it.while(keeper.shown(it.session));
    }
    await expectShown(it);
    expect(it.thread.messages).toHaveLength(2);
  },
);

test("a running card with nothing new to say but its figures is posted anew when it is frozen, and not when a person deleted it", async () => {
  for (const isFrozen of [true, false]) {
    const it = world();
    const keeper = it.keeper();
    const raise: GoalEvent = { kind: "raise", by: owner, more: { turns: 5 } };
    for (const each of [setGoal(), raise]) {
      if (each === raise && isFrozen) it.thread.reactions.push({ kind: "frozen" });
      if (each === raise && !isFrozen) it.thread.messages[0]!.isDeleted = true;
      await it.apply(each);
      await it.while(keeper.shown(it.session));
    }
    expect(it.thread.visible()).toHaveLength(isFrozen ? 1 : 0);
  }
});

test("a thread that is archived between two states of its card is not opened again by the second", async () => {
  const it = world();
  let shown = 0;
  const real = cards();
  const keeper = it.keeper({
    async shown(card, state, times) {
      if (++shown === 1) await it.apply({ kind: "lost", reason: "archived" });
      return real.shown(card, state, times);
    },
  });
  await it.apply(setGoal());
  await it.while(keeper.shown(it.session));
  expect(it.thread.writes.map(({ kind }) => kind)).toEqual(["post"]);
});

test("a card that was found is known from then on, though its edit has to wait for its turn", async () => {
  const it = world();
  // Posted with a lost answer; found; and then what is new has a long way to its turn.
  it.thread.reactions.push(
    { kind: "unknown", landed: true },
    { kind: "later", waitMs: 30_000, isTurn: true },
  );
  const taken = { messages: [] as (string | undefined)[] };
  const real = cards();
  const keeper = it.keeper({
    async keep(card, state) {
      taken.messages.push(state.message);
      return real.keep(card, state);
    },
  });
  await it.apply(setGoal());
  await it.while(keeper.shown(it.session));
  expect(taken.messages).toEqual([undefined, it.thread.messages[0]?.id]);
});

test("what a goal came to does not wait as long as the figures before it had to", async () => {
  const it = world();
  await it.apply(setGoal());
  await it.while(it.keeper().shown(it.session));
  it.thread.reactions.push({ kind: "later", waitMs: 30_000, isTurn: true });
  await it.apply({ kind: "raise", by: owner, more: { turns: 5 } });
  const left: number[] = [];
  const keeper = it.keeper({
    async leave(_, afterMs) {
      left.push(afterMs);
      // Whoever else looks has it now.
      await cards().take(60_000, it.session);
    },
  });
  await it.while(keeper.shown(it.session));
  expect(left).toEqual([5_000]);
});
