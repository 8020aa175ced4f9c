// What was erased is in no column of any table, what is left goes on validly, and nothing is written back.
import { beforeAll, describe, expect, test } from "vitest";
import { toTold } from "../../../src/adapters/postgres/chosen-row.ts";
import { createAudit } from "../../../src/adapters/postgres/admin/audit.ts";
import { createHolds } from "../../../src/adapters/postgres/admin/holds.ts";
import { createOverviews } from "../../../src/adapters/postgres/admin/overviews.ts";
import { createRemarks } from "../../../src/adapters/postgres/admin/remarks.ts";
import { createReview } from "../../../src/adapters/postgres/admin/review.ts";
import { createReviews } from "../../../src/adapters/postgres/admin/reviews.ts";
import {
  BESIDE_THREADS,
  ERASE_STEPS,
  WITHOUT_WORDS,
} from "../../../src/adapters/postgres/admin/erase-sql.ts";
import { createErasedWords } from "../../../src/adapters/postgres/erased-words.ts";
import { createGoalProposals } from "../../../src/adapters/postgres/goal-proposals.ts";
import { wantedIn } from "../../../src/core/admin/words.ts";
import { buildRequest } from "../../../src/core/context/request.ts";
import { DEFAULT_LIMITS } from "../../../src/core/goal/goal.ts";
import { isStaleFence, toBobbinError } from "../../../src/core/errors.ts";
import type { ErasedThing } from "../../../src/core/ports/erasures.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { answer, asRun, round } from "../../contract/store-samples.ts";
import { setGoal } from "../../support/goals.ts";
import { requestRefusals } from "../../support/strict-provider.ts";
import { placesOf, tablesIn } from "../../support/word-scan.ts";
import { pgliteBackend, postgresBackend } from "./backends.ts";
import {
  ANA,
  BEN,
  BOSS,
  eraseWorld,
  HAYSTACK,
  newSlackThread,
  WORD,
  type EraseWorld,
} from "./erase-world.ts";

describe.each([postgresBackend(), pgliteBackend()])("$name", (backend) => {
  let world: EraseWorld;
  beforeAll(() => {
    world = eraseWorld(backend.sql());
  });

  let erasureCount = 0;
  async function erase(thing: ErasedThing): Promise<string> {
    const { erasures } = world;
    const id = `e${++erasureCount}`;
    expect(await erasures.begin(id, thing, "asked for in ticket 12", BOSS)).toEqual({ kind: "begun" });
    for (const session of await erasures.left(id)) await erasures.erase(id, session);
    await erasures.finish(id);
    return id;
  }

  /** What a model would be asked with next. */
  async function nextRequest(session: SessionId) {
    await world.stores.inbox.put(world.say(session, BEN, "and now?"));
    const { tail, fence } = asRun(await world.stores.store.open(session, "w"));
    const model = {
      name: "m",
      contextWindow: 100_000,
      outputTokens: 100,
      largerOutputTokens: 200,
      seesImages: true,
    } as const;
    const profile = {
      model: { ...model, thinking: "none", caching: "automatic" },
      system: "s",
      tools: [{ name: "clock", description: "d", schema: {} }],
      caching: false,
    } as const;
    await world.stores.store.end(fence, { reason: "stop", round: round(1, answer("well")), modelCalls: [] });
    await world.stores.store.settled(fence);
    return buildRequest(profile, tail).request;
  }

  test("every table is erased from, or is named as one without words", async () => {
    const known = new Set([...ERASE_STEPS.map(({ table }) => table), ...WITHOUT_WORDS, ...BESIDE_THREADS]);
    expect((await tablesIn(backend.sql())).filter((table) => !known.has(table))).toEqual([]);
  });

  test("the word of an erased thread is in no column of any table, also not in a branch, the audit log or the web chat", async () => {
    const { erasures, maker } = world;
    const session = await world.filled();
    const branch = await world.branchOf(session);
    await world.stores.inbox.put(world.say(branch, BEN, HAYSTACK));
    await world.answered(asRun(await world.stores.store.open(branch, "w")), `it was ${WORD}`);
    const webThread = await world.filledWebThread();
    // It did get everywhere: a test that looks for nothing finds nothing.
    expect((await placesOf(backend.sql(), WORD)).length).toBeGreaterThan(24);
    const id = await erase({ kind: "thread", subject: session });
    const own = { platform: "web", space: "local", person: "owner", name: "You" } as const;
    expect(await erasures.begin("web", { kind: "thread", subject: webThread }, "r", own)).toEqual({
      kind: "begun",
    });
    await erasures.erase("web", webThread);
    // Of Ana's name in admins' tables nothing is asked here.
    expect(await placesOf(backend.sql(), WORD)).toEqual([]);
    // What is made from what is left brings nothing back.
    for (const each of [session, branch, webThread]) await maker.make(each);
    expect(await placesOf(backend.sql(), WORD)).toEqual([]);
    const wanted = wantedIn(WORD);
    if (wanted === undefined) throw new Error("no word");
    const overviews = createOverviews(backend.sql(), () => false);
    expect((await overviews.search(BOSS, wanted, { limit: 9, opened: new Set() })).hits).toEqual([]);
    const proof = await erasures.get(BOSS, id);
    expect(proof).toMatchObject({
      thing: { kind: "thread", subject: session },
      reason: "asked for in ticket 12",
      who: BOSS,
    });
    expect(proof?.threads.map((each) => each.extent).toSorted()).toEqual(["all", "copied"]);
    for (const { digest, counts } of proof?.threads ?? []) {
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      expect(counts["entries"]).toBeGreaterThan(5);
    }
    // What Ben himself said in the branch is his.
    expect(await placesOf(backend.sql(), HAYSTACK)).toContain("entries.body");
    // Why others were exported stays.
    expect(await placesOf(backend.sql(), "quarterly audit")).toEqual(["audit.about"]);
  });

  test("what an older version masked so that it is no JSON any more is borne by who makes an overview, opens a run and erases", async () => {
    const session = await world.filled();
    const model = '{"model":{"contextWindow":1000},"asked":';
    const broken = [`${model}"is ***"x\\" one?"}`, `${model}["***"x","***"]}`, `${model}"***",x"}`];
    for (const params of broken) {
      await backend
        .sql()
        .query({ text: "update model_calls set params = $2 where session = $1" }, [session, params]);
      await backend.sql().query({ text: "delete from overviews where session = $1" }, [session]);
      await world.maker.make(session);
      const [made] = await backend
        .sql()
        .query<{ context_window: string }>(
          { text: "select context_window from overviews where session = $1" },
          [session],
        );
      expect(Number(made?.context_window)).toBe(1000);
      expect(toTold("m", params)).toEqual({ model: "m" });
    }
    await erase({ kind: "thread", subject: session });
    const left = await backend
      .sql()
      .query({ text: "select distinct params from model_calls where session = $1" }, [session]);
    expect(left).toEqual([{ params: "{}" }]);
  });

  test("a thread goes on from nothing, and a branch of it from markers that a strict provider takes", async () => {
    const session = await world.filled();
    const branch = await world.branchOf(session);
    await erase({ kind: "thread", subject: session });
    const [anew, branched] = [await nextRequest(session), await nextRequest(branch)];
    expect(requestRefusals(anew)).toEqual([]);
    expect(anew.messages).toHaveLength(1);
    expect(requestRefusals(branched)).toEqual([]);
    expect(JSON.stringify(branched)).toContain("[erased]");
    expect(JSON.stringify([anew, branched])).not.toContain(WORD);
    // Everything that reads the thread still can.
    const review = createReview(backend.sql());
    for (const each of [session, branch]) {
      const { runs, inbounds } = await review.thread(each, { limit: 20 });
      expect(JSON.stringify([runs, inbounds])).not.toContain(WORD);
      for (const call of runs.flatMap(({ calls }) => calls))
        expect(JSON.stringify(await review.request(each, call.id))).not.toContain(WORD);
      await world.stores.transcripts.inbounds(each);
    }
  });

  test("of an erased person nothing is left but the id, and what others said themselves stays", async () => {
    const shared = await world.filled();
    const branch = await world.branchOf(shared);
    const alone = newSlackThread();
    await world.stores.inbox.put(world.say(alone, ANA, WORD));
    await world.answered(asRun(await world.stores.store.open(alone, "w")), WORD);
    const others = newSlackThread("C2");
    await world.stores.inbox.put(world.say(others, BEN, "nothing of hers"));
    await world.answered(asRun(await world.stores.store.open(others, "w")), "untouched");
    await backend.sql().query(
      {
        text: `insert into admin_browsers (hash, id, platform, space, person, name, browser, until) values ('h', 'i', 'slack', 'T1', 'UANA', $1, 'b', 1)`,
      },
      [ANA.name],
    );
    await backend.sql().query(
      {
        text: `insert into audit (platform, space, person, name, kind) values ('slack', 'T1', 'UANA', $1, 'list')`,
      },
      [ANA.name],
    );
    // An admin herself: what she did and what was given to her has her name on it, also where nobody else's words are.
    const ana = { ...BOSS, person: "UANA", name: ANA.name };
    const reviews = createReviews(backend.sql(), () => false);
    const remarks = createRemarks(backend.sql());
    await reviews.assign(others, ana);
    await reviews.done(others, ana);
    for (const flag of ["f1", "f2"])
      await remarks.add(others, { id: flag, kind: "wrong", text: "look" }, BOSS);
    await remarks.assign(others, "f1", ana);
    await remarks.resolve(others, "f2", ana);
    // As lines were written before they had only the id.
    for (const [kind, about] of [
      ["review", `given to ${ANA.name} (UANA)`],
      ["flag", `assign f1 to ${ANA.name} (UANA)`],
    ] as const)
      await createAudit(backend.sql()).write({ who: BOSS, kind, session: others, about });
    const id = await erase({ kind: "person", subject: "UANA" });
    expect(await placesOf(backend.sql(), WORD)).toEqual([]);
    const abouts = (await createAudit(backend.sql()).list(BOSS, { limit: 100 })).map(({ about }) => about);
    expect(abouts).toEqual(expect.arrayContaining(["given to UANA", "assign f1 to UANA"]));
    const proof = await world.erasures.get(BOSS, id);
    expect(
      Object.fromEntries(proof?.threads.map(({ session, extent }) => [session, extent]) ?? []),
    ).toMatchObject({
      [shared]: "person",
      [branch]: "person",
      [alone]: "all",
    });
    expect(proof?.threads.map(({ session }) => session)).not.toContain(others);
    expect(await placesOf(backend.sql(), "untouched")).toContain("entries.body");
    for (const session of [shared, branch]) {
      const request = await nextRequest(session);
      expect(requestRefusals(request)).toEqual([]);
      expect(JSON.stringify(request)).toContain(HAYSTACK);
      expect(JSON.stringify(request)).not.toContain(WORD);
    }
  });

  test("where a person only gave emoji these go and nothing else, and what is told of them late is not brought back", async () => {
    const sql = backend.sql();
    const zoe = { id: "UZOE", name: "Zoe quagga9z" };
    const session = newSlackThread("C9");
    const asked = world.say(session, BEN, "all of this stays");
    await world.stores.inbox.put(asked);
    await world.answered(asRun(await world.stores.store.open(session, "w")), "and the answer to it");
    const [own, others] = [
      { emoji: "quagga9z", shown: ":quagga9z:" },
      { emoji: "eyes", shown: ":eyes:" },
    ];
    await world.react(asked, zoe, own);
    await world.react(asked, BEN, others);
    const before = await createReview(sql).thread(session, { limit: 9 });
    const id = await erase({ kind: "person", subject: zoe.id });
    expect(await placesOf(sql, "quagga9z")).toEqual([]);
    const proof = await world.erasures.get(BOSS, id);
    expect(proof?.threads).toMatchObject([{ session, extent: "reactions", counts: { reactions: 1 } }]);
    const after = await createReview(sql).thread(session, { limit: 9 });
    expect(after.runs).toEqual(before.runs);
    expect(after.entries).toEqual(before.entries);
    expect(after.inbounds[0]?.reactions).toMatchObject([{ person: "UBEN", emoji: ":eyes:" }]);
    // Whoever reads the platform may go on reading what the bot said there.
    const until = await createErasedWords(sql).of(BOSS, [session], []);
    expect([until.threads.size, until.replies.size]).toEqual([0, 0]);
    // What they gave before it and comes again is gone for good; what they give behind it is theirs anew, as is what others gave.
    await world.react(asked, zoe, own);
    expect(await placesOf(sql, "quagga9z")).toEqual([]);
    await world.react(asked, zoe, { emoji: "wave", shown: ":wave:", at: Date.now() + 60_000 });
    await world.react(asked, BEN, { emoji: "+1", shown: ":+1:" });
    const later = await createReview(sql).thread(session, { limit: 9 });
    expect(later.inbounds[0]?.reactions.map(({ emoji }) => emoji).toSorted()).toEqual([
      ":+1:",
      ":eyes:",
      ":wave:",
    ]);
    await erase({ kind: "thread", subject: session });
    await world.react(asked, BEN, others);
    expect(await sql.query({ text: "select person from reactions where session = $1" }, [session])).toEqual(
      [],
    );
  });

  test("a hold on somebody who only gave an emoji keeps the thread as well", async () => {
    const holds = createHolds(backend.sql());
    const session = newSlackThread("C10");
    const asked = world.say(session, BEN, "words of C10");
    await world.stores.inbox.put(asked);
    await world.stores.store.open(session, "w");
    await world.react(asked, { id: "UKEPT", name: "K" });
    await holds.set("h-kept", { kind: "person", subject: "UKEPT" }, "case 10", BOSS);
    expect(await world.erasures.begin("x10", { kind: "thread", subject: session }, "r", BOSS)).toMatchObject({
      kind: "held",
      hold: { reason: "case 10" },
    });
    await holds.lift("h-kept", BOSS);
    await erase({ kind: "thread", subject: session });
    expect(await placesOf(backend.sql(), "words of C10")).toEqual([]);
  });

  test("an attempt that is under way writes nothing back, what waits is cancelled, and who writes later is answered", async () => {
    const { inbox, store, transcripts, pages } = world.stores;
    const session = newSlackThread();
    await inbox.put(world.say(session, ANA, `tell me of ${WORD}`));
    const { fence } = asRun(await store.open(session, "w"));
    await inbox.put(world.say(session, ANA, `and of ${WORD}`));
    await world.erasures.halt("none", session);
    expect(await store.isStopped(fence)).toBe(true);
    expect(await world.erasures.isRunning(session)).toBe(true);
    await erase({ kind: "thread", subject: session });
    for (const late of [
      () => store.commitRound(fence, round(1, answer(WORD))),
      () => store.end(fence, { reason: "stop", round: round(1, answer(WORD)), modelCalls: [] }),
      () => pages.put(fence, { run: fence.run, index: 0, key: WORD, message: WORD }),
    ]) {
      const error = await late().then(
        () => undefined,
        (thrown: unknown) => toBobbinError(thrown),
      );
      expect(error !== undefined && isStaleFence(error)).toBe(true);
    }
    await createGoalProposals(backend.sql()).put(
      session,
      { id: "late", objective: WORD, limits: DEFAULT_LIMITS },
      fence.run,
    );
    const late = setGoal(`go to ${WORD}`, { by: { id: "UANA", isAdmin: false }, owner: ANA });
    expect(await world.stores.goals.apply(session, late, "late", fence.run)).toMatchObject({
      kind: "refused",
    });
    expect(await placesOf(backend.sql(), WORD)).toEqual([]);
    expect((await transcripts.inbounds(session)).map(({ fate }) => fate)).toEqual(["cancelled", "cancelled"]);
    expect(await store.hasWork(session)).toBe(false);
    expect((await nextRequest(session)).messages).toHaveLength(1);
  });

  test("a page of the web chat that was on its way when its thread was erased shows nothing", async () => {
    const session = await world.filledWebThread();
    await world.stores.inbox.put(world.say(session, ANA, WORD));
    const { fence } = asRun(await world.stores.store.open(session, "w"));
    await world.stores.pages.put(fence, { run: fence.run, index: 0, key: "late" });
    const own = { platform: "web", space: "local", person: "owner", name: "You" } as const;
    await world.erasures.begin("late", { kind: "thread", subject: session }, "r", own);
    await world.erasures.erase("late", session);
    const page = { markdown: WORD, buttons: [] };
    await world.web.insert({ session, id: "late", from: "bot", speaker: "Bobbin", page });
    expect(await world.web.update(session, `k-none`, page)).toBeUndefined();
    expect(await placesOf(backend.sql(), WORD)).toEqual([]);
  });

  test("what is held is not erased: the thread itself, one of the person's, the person, or the space", async () => {
    const holds = createHolds(backend.sql());
    const session = newSlackThread("C7");
    await world.stores.inbox.put(world.say(session, { id: "UHELD", name: "H" }, "kept words"));
    const things = [
      { kind: "thread", subject: session },
      { kind: "person", subject: "UHELD" },
    ] as const;
    for (const held of [...things, { kind: "space", subject: "T1" }] as const) {
      expect(await holds.set(`h-${held.kind}`, held, "case 9", BOSS)).toBe(true);
      expect(await holds.set("again", held, "case 9", BOSS)).toBe(false);
      for (const thing of things)
        expect(await world.erasures.begin("x", thing, "r", BOSS)).toMatchObject({
          kind: "held",
          hold: { kind: held.kind, reason: "case 9", name: "Bea" },
        });
      expect(await holds.lift(`h-${held.kind}`, { ...BOSS, space: "T2" })).toBe(false);
      expect(await holds.lift(`h-${held.kind}`, BOSS)).toBe(true);
    }
    expect(await world.erasures.list(BOSS, 100)).not.toContainEqual(expect.objectContaining({ id: "x" }));
    expect(await placesOf(backend.sql(), "kept words")).toContain("inbox.body");
    await erase(things[1]);
    expect(await placesOf(backend.sql(), "kept words")).toEqual([]);
  });

  test("nothing of another space is erased, and what is done twice stays done once", async () => {
    const session = newSlackThread("C8");
    await world.stores.inbox.put(world.say(session, BEN, "elsewhere"));
    const other = { ...BOSS, space: "T2" };
    for (const thing of [
      { kind: "thread", subject: session },
      { kind: "person", subject: "UBEN" },
    ] as const)
      expect(await world.erasures.begin("y", thing, "r", other)).toEqual({ kind: "nothing" });
    expect(await world.erasures.get(other, "e1")).toBeUndefined();
    const id = await erase({ kind: "thread", subject: session });
    const before = await world.erasures.get(BOSS, id);
    await world.erasures.erase(id, session);
    await world.erasures.finish(id);
    expect(await world.erasures.get(BOSS, id)).toEqual(before);
  });

  test("the audit log takes no other change than that, whoever asks", async () => {
    const sql = backend.sql();
    for (const text of [
      "update audit set about = 'x'",
      "update audit set kind = 'x', about = '[erased]'",
      "delete from audit",
      "truncate audit",
    ])
      await expect(sql.query({ text })).rejects.toThrow(/only ever added to/);
  });
});
