// Emoji that people give to messages of a thread, as rows: the newest counts, whatever order they come in, and nothing is kept of what is no thread.
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createGoalCards } from "../../../src/adapters/postgres/goal-cards.ts";
import { createReview } from "../../../src/adapters/postgres/admin/review.ts";
import { createReactionBook } from "../../../src/adapters/postgres/reactions.ts";
import { inboundIdOf } from "../../../src/core/inbound.ts";
import type { Reaction, ReactedMessage } from "../../../src/core/ports/reactions.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { finish } from "../../contract/run-store-subject.ts";
import { asRun, message } from "../../contract/store-samples.ts";
import { owner, setGoal } from "../../support/goals.ts";
import { pgliteBackend, postgresBackend } from "./backends.ts";
import { storesOver, type Stores } from "./store-subject.ts";

const ana = { id: "U1", name: "Ana" };
const ben = { id: "U2", name: "Ben" };
const near = { platform: "slack", space: "T1", channel: "C1" } as const;
const idOf = (ts: string) => inboundIdOf(near, "A1", "message", ts);

describe.each([postgresBackend(), pgliteBackend()])("$name", (backend) => {
  let stores: Stores;
  beforeAll(() => {
    stores = storesOver(backend.sql());
  });

  let count = 0;
  /** A question and its answer on two pages, with the addresses of all three. */
  async function answered() {
    const ts = `171.${++count}`;
    const session = `slack:T1:C1:${ts}` as SessionId;
    await stores.inbox.put(message(session, "hello", { id: idOf(ts), message: ts }));
    const run = asRun(await stores.store.open(session, "w"));
    const pages = [`${ts}1`, `${ts}2`];
    for (const [index, page] of pages.entries())
      await stores.pages.put(run.fence, { run: run.run.id, index, key: `k${index}`, message: page });
    await finish(stores, run);
    const at = (id: string): ReactedMessage => ({ near, message: id, inbound: idOf(id) });
    return { session, asked: at(ts), first: at(pages[0] ?? ""), second: at(pages[1] ?? "") };
  }

  const book = () => createReactionBook(backend.sql());
  const did = (
    to: ReactedMessage,
    kind: Reaction["kind"],
    at: number,
    { person = ana, emoji = "eyes" }: { readonly person?: Reaction["person"]; readonly emoji?: string } = {},
  ): Promise<void> => book().put({ ...to, kind, person, emoji, shown: `:${emoji}:`, at });

  async function seen(session: SessionId) {
    const { runs, inbounds } = await createReview(backend.sql()).thread(session, { limit: 9 });
    return {
      asked: inbounds.flatMap(({ reactions }) => reactions),
      answer: runs.flatMap(({ reactions }) => reactions),
    };
  }

  test("what people give to what they said and to each page of an answer is there with who and when", async () => {
    const { session, asked, first, second } = await answered();
    await did(asked, "given", 100);
    await did(second, "given", 110, { person: ben });
    await did(first, "given", 120, { person: ben, emoji: "+1" });
    const eyes = { emoji: ":eyes:" };
    expect(await seen(session)).toEqual({
      asked: [{ message: asked.message, person: "U1", name: "Ana", at: 100, ...eyes }],
      answer: [
        { message: second.message, person: "U2", name: "Ben", at: 110, ...eyes },
        { message: first.message, person: "U2", name: "Ben", at: 120, emoji: ":+1:" },
      ],
    });
  });

  test("what people give to the card of a goal stands with the goal, at the newest that happened to it", async () => {
    const { session } = await answered();
    const { goals } = stores;
    const card: ReactedMessage = { near, message: "190.1", inbound: idOf("190.1") };
    await goals.apply(session, setGoal());
    const cards = createGoalCards(backend.sql());
    const owed = await cards.take(1_000, session);
    if (owed === undefined || "dueInMs" in owed) throw new Error("no card is owed");
    expect(await book().isKept(card)).toBe(false);
    await cards.keep(owed, { posts: 1, key: "k", message: card.message });
    const review = createReview(backend.sql());
    const before = await review.state(session);
    await did(card, "given", 100);
    await did({ ...card, near: { ...near, space: "T2" } }, "given", 100, { person: ben });
    expect(await review.state(session)).not.toBe(before);
    await goals.apply(session, { kind: "pause", by: owner });
    const ofSteps = (await review.goals(session)).map(({ kind, reactions }) => [kind, reactions]);
    expect(ofSteps).toEqual([
      ["set", []],
      ["pause", [{ message: card.message, person: "U1", name: "Ana", emoji: ":eyes:", at: 100 }]],
    ]);
    // It is no part of what was said or answered.
    expect(await seen(session)).toEqual({ asked: [], answer: [] });
  });

  test("of a person, message and emoji there is one, whatever order things come in and how often", async () => {
    const { session, asked } = await answered();
    const told = fc.record({ kind: fc.constantFrom("given", "taken"), at: fc.integer({ min: 1, max: 6 }) });
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(told, { minLength: 1, maxLength: 6 }), async (all) => {
        const emoji = `e${++n}`;
        for (const { kind, at } of all) await did(asked, kind, at, { emoji });
        const newest = (which: string): number =>
          Math.max(-1, ...all.filter(({ kind }) => kind === which).map(({ at }) => at));
        const [given, taken] = [newest("given"), newest("taken")];
        const found = (await seen(session)).asked.filter((each) => each.emoji === `:${emoji}:`);
        expect(found.map(({ at, takenAt }) => [at, takenAt])).toEqual(
          given < 0 ? [] : [[given, taken >= given ? taken : undefined]],
        );
      }),
      { numRuns: 20 },
    );
  });

  test("many at once leave one row, the newest", async () => {
    const { session, asked } = await answered();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => did(asked, n % 2 === 0 ? "given" : "taken", 1_000 + n)),
    );
    expect((await seen(session)).asked).toMatchObject([{ at: 1_018, takenAt: 1_019 }]);
  });

  test("a moderator takes away all, or all of one emoji, of one message; what is given afterwards stands", async () => {
    const { session, asked, first } = await answered();
    await did(asked, "given", 100);
    await did(asked, "given", 101, { person: ben });
    await did(asked, "given", 102, { person: ben, emoji: "+1" });
    await did(first, "given", 103);
    await book().clear(asked, 200, "eyes");
    const taken = async () =>
      (await seen(session)).asked.map(({ person, emoji, takenAt }) => [person, emoji, takenAt]);
    expect(await taken()).toEqual([
      ["U1", ":eyes:", 200],
      ["U2", ":eyes:", 200],
      ["U2", ":+1:", undefined],
    ]);
    await did(asked, "given", 300);
    await book().clear(asked, 250);
    expect(await taken()).toEqual([
      ["U2", ":eyes:", 200],
      ["U2", ":+1:", 250],
      ["U1", ":eyes:", undefined],
    ]);
    expect((await seen(session)).answer[0]).not.toHaveProperty("takenAt");
  });

  test("nothing is kept of a message of no thread, of another place, or that was refused before a thread began", async () => {
    const { first } = await answered();
    const refused = { near, message: "180.1", inbound: idOf("180.1") };
    await stores.inbox.put(
      message("slack:T1:C1:180.1" as SessionId, "may I?", { id: refused.inbound, message: "180.1" }),
      { rule: "nobody", isRefused: true },
    );
    const rows = async () => backend.sql().query({ text: "select * from reactions order by n" });
    const before = await rows();
    for (const to of [
      { near, message: "179.9", inbound: idOf("179.9") },
      { ...first, near: { ...near, channel: "C2" } },
      { ...first, near: { ...near, space: "T2" } },
      refused,
    ]) {
      expect(await book().isKept(to)).toBe(false);
      await did(to, "given", 100);
      await did(to, "taken", 101);
      await book().clear(to, 200);
    }
    expect(await rows()).toEqual(before);
    expect(await book().isKept(first)).toBe(true);
  });

  test("a name that is not known is the one that they spoke under, or their id, and one that is learnt later stays", async () => {
    const { session, asked } = await answered();
    await did(asked, "given", 100, { person: { id: "U1" } });
    await did(asked, "given", 101, { person: { id: "U9" } });
    const names = async () => (await seen(session)).asked.map(({ name }) => name);
    expect(await names()).toEqual(["Ana", "U9"]);
    await did(asked, "given", 101, { person: { id: "U9", name: "Nina" } });
    await did(asked, "taken", 102, { person: { id: "U9" } });
    expect(await names()).toEqual(["Ana", "Nina"]);
  });

  test("who looks at the thread finds another state after each change, and the same after what changes nothing", async () => {
    const { session, asked } = await answered();
    const state = () => createReview(backend.sql()).state(session);
    const states = [await state()];
    const steps: readonly (() => Promise<void>)[] = [
      () => did(asked, "given", 100),
      () => did(asked, "taken", 101),
      () => did(asked, "given", 102),
      () => book().clear(asked, 103),
    ];
    for (const step of steps) {
      await step();
      states.push(await state());
    }
    expect(new Set(states).size).toBe(5);
    await did(asked, "given", 102);
    await book().clear(asked, 104);
    expect(await state()).toBe(states.at(-1));
  });

  test("hostile names and emoji are kept as whole text, and no longer than is shown", async () => {
    const { session, asked } = await answered();
    const emoji = `<b>\u0000\ud800${"x".repeat(500)}`;
    await book().put({
      ...asked,
      kind: "given",
      person: { id: "U1", name: emoji },
      emoji,
      shown: emoji,
      at: 1,
    });
    const [found] = (await seen(session)).asked;
    expect(found?.emoji).toMatch(/^<b>\ufffd\ufffdx+$/);
    expect(found?.emoji.length).toBe(200);
    expect(found?.name.length).toBe(200);
  });
});
