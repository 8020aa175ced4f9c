// The goal of a thread beside everything else that happens in it: on a real Postgres, with two workers where it is about races.
import { expect, test } from "vitest";
import { openRun } from "../../../src/adapters/postgres/open-run.ts";
import { answer, asRun, command, message, newSession, round } from "../../contract/store-samples.ts";
import { changedGoal, owner, setGoal, turn } from "../../support/goals.ts";
import { postgresBackend } from "./backends.ts";
import { goalSteps, kinds } from "./goal-steps.ts";
import { storesOver, type Stores } from "./store-subject.ts";

const backend = postgresBackend();
const stores = (): Stores => storesOver(backend.sql());
const { withGoal, end, continued, passed } = goalSteps(stores, () => backend.sql());

test("a goal opens a session where nobody wrote before, and its first turn is for its owner", async () => {
  const { session, goal } = await withGoal("tidy the wiki");
  expect(await stores().goals.due(1_000)).toContain(session);
  const run = await continued(session);
  expect(run.run).toMatchObject({ cause: "continuation", requester: { id: "U1", name: "Ana" } });
  expect(run.goal).toMatchObject({ id: goal.id, status: "active" });
  expect(JSON.stringify(run.tail)).toContain("tidy the wiki");
});

test("whoever looks for people's work does not take a goal's turn", async () => {
  const { session } = await withGoal();
  expect(await stores().store.open(session, "w1")).toEqual({ kind: "nothing" });
  expect(await stores().store.hasWork(session)).toBe(false);
});

test("two workers picking one job: exactly one has the turn", async () => {
  const { session } = await withGoal();
  const { store } = stores();
  const opened = await Promise.all([store.open(session, "w1", "goals"), store.open(session, "w2", "goals")]);
  // The other one finds the run unfinished, and takes it over as after a crash: there is one run.
  const runs = await stores().transcripts.runs(session);
  expect(runs).toHaveLength(1);
  expect(opened.filter(({ kind }) => kind === "run").length).toBeGreaterThan(0);
});

test("the end of a turn plans the next one in the same write", async () => {
  const { session } = await withGoal();
  const goal = await end(await continued(session));
  expect(goal).toMatchObject({ status: "active", next: { n: 2 }, windows: { turns: { used: 1 } } });
  expect(await stores().goals.due(1_000)).toContain(session);
  expect((await continued(session)).run.cause).toBe("continuation");
});

test("a turn that was planned is begun once, however often it is rung for", async () => {
  const { session } = await withGoal();
  const run = await continued(session);
  await stores().goals.apply(session, { kind: "pause", by: owner });
  await end(run);
  expect(await stores().store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
  expect(await stores().store.open(session, "w2", "goals")).toEqual({ kind: "nothing" });
});

test("human message in the same millisecond as a continuation: the message is answered first", async () => {
  const { session } = await withGoal();
  const { inbox, store } = stores();
  const [, opened] = await Promise.all([
    inbox.put(message(session, "how far are you?")),
    store.open(session, "w1", "goals"),
  ]);
  const run = asRun(opened);
  if (run.run.cause === "continuation") {
    // The claim was first: then the message joins that run before its next model call.
    const committed = await store.commitRound(run.fence, round(1, answer("looking")));
    expect(JSON.stringify(committed.steered)).toContain("how far are you?");
  } else expect(JSON.stringify(run.tail)).toContain("how far are you?");
});

test("a message that waits is taken before the turn that is due, and the turn after it", async () => {
  const { session } = await withGoal();
  await stores().inbox.put(message(session, "hello"));
  const first = await continued(session);
  expect(first.run.cause).toBe("message");
  expect(first.goal?.status).toBe("active");
  await end(first);
  expect((await continued(session)).run.cause).toBe("continuation");
});

test("G1: pause while a continuation is queued: the queued one is void, and nothing runs until resume", async () => {
  const { session } = await withGoal();
  await stores().goals.apply(session, { kind: "pause", by: owner });
  expect(await stores().store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
  expect(await stores().goals.due(1_000)).not.toContain(session);
  await stores().goals.apply(session, { kind: "resume", by: owner });
  expect((await continued(session)).run.cause).toBe("continuation");
});

test("double resume: exactly one turn is planned, and the second one is told so", async () => {
  const { session } = await withGoal();
  const { goals, store } = stores();
  await goals.apply(session, { kind: "pause", by: owner });
  const both = await Promise.all([
    goals.apply(session, { kind: "resume", by: owner }),
    goals.apply(session, { kind: "resume", by: owner }),
  ]);
  expect(both.map(({ kind }) => kind).toSorted()).toEqual(["changed", "refused"]);
  await end(asRun(await store.open(session, "w1", "goals")), { said: "" });
  expect(await stores().transcripts.runs(session)).toHaveLength(1);
});

test("G14: pause, resume, pause, resume quickly: exactly one continuation", async () => {
  const { session } = await withGoal();
  const { goals, store } = stores();
  for (const kind of ["pause", "resume", "pause", "resume"] as const)
    await goals.apply(session, { kind, by: owner });
  const opened = [await store.open(session, "w1", "goals")];
  await goals.apply(session, { kind: "pause", by: owner });
  await end(asRun(opened[0] ?? { kind: "nothing" }));
  opened.push(await store.open(session, "w2", "goals"));
  expect(kinds(opened)).toEqual(["nothing", "run"]);
});

test("typed stop during a continuation: the run is stopped, the goal is paused, and nothing follows", async () => {
  const { session } = await withGoal();
  const { inbox, store, goals } = stores();
  const run = await continued(session);
  await inbox.put(command(session, "stop"));
  expect(await store.isStopped(run.fence)).toBe(true);
  expect(await goals.read(session)).toMatchObject({ status: "paused", reason: "interrupted" });
  expect(await end(run, { reason: "cancelled" })).toMatchObject({ status: "paused" });
  expect(await store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
});

test("a stop that is delivered again does not pause a goal that was resumed since", async () => {
  const { session } = await withGoal();
  const { inbox, goals } = stores();
  const stop = command(session, "stop");
  await inbox.put(stop);
  await goals.apply(session, { kind: "resume", by: owner });
  await inbox.put(stop);
  expect(await goals.read(session)).toMatchObject({ status: "active" });
});

test("/reset with a waiting goal: the goal ends with its numbers, and its wait wakes nobody", async () => {
  const { session } = await withGoal();
  const { inbox, goals, store } = stores();
  const run = await continued(session);
  await goals.apply(session, { kind: "wait", wait: "time", untilMs: 60_000, reason: "the build" });
  await end(run);
  await inbox.put(command(session, "reset"));
  expect(await goals.read(session)).toMatchObject({ closed: "reset", windows: { tokens: { used: 1_000 } } });
  await passed(session, 3_600_000);
  expect(await goals.due(1_000)).not.toContain(session);
  expect(await store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
});

test("a goal that waits eight hours wakes once", async () => {
  const { session } = await withGoal();
  const { goals, store } = stores();
  const run = await continued(session);
  await goals.apply(session, { kind: "wait", wait: "time", untilMs: 8 * 3_600_000, reason: "the night" });
  await end(run);
  await passed(session, 7 * 3_600_000);
  expect(await goals.due(1_000)).not.toContain(session);
  expect(await store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
  await passed(session, 3_600_000);
  expect(await goals.due(1_000)).toContain(session);
  await end(await continued(session), { calls: [] });
  // The next one waits for its turn without effect.
  expect(await store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
});

test("any human message wakes a goal that waits, and the clock that runs out later wakes nobody", async () => {
  const { session } = await withGoal();
  const { goals, inbox } = stores();
  const run = await continued(session);
  await goals.apply(session, { kind: "wait", wait: "reply", reason: "may I delete it?" });
  await end(run);
  await inbox.put(message(session, "yes, delete it"));
  const heard = await continued(session);
  expect(heard.goal).toMatchObject({ status: "active" });
  expect(await end(heard)).toMatchObject({ status: "active", next: { n: 2 } });
});

test("whoever is heard wakes a goal that waits, also where the worker that took the message dies before it says so", async () => {
  const { session } = await withGoal();
  const { goals, inbox, store } = stores();
  const asks = { kind: "wait", wait: "reply", reason: "may I?" } as const;
  const first = await continued(session);
  await goals.apply(session, asks);
  await end(first);
  await inbox.put(message(session, "yes"));
  // The claim alone, and behind it the end of its worker.
  await openRun(backend.sql(), session, "w1", { newRun: () => `${session}-lost`, tail: 10 });
  const second = asRun(await store.open(session, "w2"));
  expect([second.resumed, second.goal?.status]).toEqual([true, "active"]);
  // What the model waits for in a turn is not what this turn began with.
  await end(second);
  const third = await continued(session);
  await goals.apply(session, asks);
  expect(asRun(await store.open(session, "w2")).goal?.status).toBe("waiting");
  await inbox.put(message(session, "go on"));
  const fourth = asRun(await store.open(session, "w1"));
  expect(fourth.goal?.status).toBe("waiting");
  // It joins behind the round, and the worker dies.
  expect((await store.commitRound(fourth.fence, round(1, answer("looking")))).steered).toHaveLength(1);
  expect(asRun(await store.open(session, "w2"))).toMatchObject({
    run: { id: third.run.id },
    goal: { status: "active" },
  });
});

test("clear in the middle of a tool: the turn ends as it would, and no other one follows", async () => {
  const { session } = await withGoal();
  const run = await continued(session);
  await stores().goals.apply(session, { kind: "clear", by: owner });
  expect(await end(run)).toBeUndefined();
  expect(await stores().store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
});

test("wake after clear: nothing happens", async () => {
  const { session } = await withGoal();
  await stores().goals.apply(session, { kind: "clear", by: owner });
  expect(await stores().goals.due(1_000)).not.toContain(session);
  expect(await stores().store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
});

test("edit in the middle of a run: the next turn is told once that the text has changed", async () => {
  const { session } = await withGoal("paint it red");
  const run = await continued(session);
  await stores().goals.apply(session, { kind: "edit", by: owner, objective: "paint it blue" });
  await end(run);
  const next = await continued(session);
  const told = JSON.stringify(next.tail.at(-1)?.body);
  expect(told).toContain("paint it blue");
  expect(told).toContain("was changed");
  await end(next);
  expect(JSON.stringify((await continued(session)).tail.at(-1)?.body)).not.toContain("was changed");
});

test("a run of a goal that was replaced is none of the new goal's, also where a crash came between", async () => {
  const { session } = await withGoal();
  const { goals, store } = stores();
  const run = await continued(session);
  await backend
    .sql()
    .query({ text: "update runs set started_at = started_at - 1000 where id = $1" }, [run.run.id]);
  const next = changedGoal(await goals.apply(session, setGoal("another", { mode: "replace" })));
  const resumed = asRun(await store.open(session, "w2", "goals"));
  expect([resumed.resumed, resumed.goal]).toEqual([true, undefined]);
  expect(await end(resumed, { reason: "cancelled" })).toEqual(next);
  expect((await continued(session)).goal?.id).toBe(next.id);
});

test("a goal that is completed in a turn is closed with it, and that turn still counts", async () => {
  const { session } = await withGoal();
  const { goals, transcripts } = stores();
  const run = await continued(session);
  await goals.apply(session, { kind: "complete", evidence: "all pages are there" });
  expect(await end(run)).toMatchObject({ closed: "complete", windows: { tokens: { used: 1_000 } } });
  const [view] = await transcripts.runs(session);
  expect(view?.outcome?.goal).toBe("The goal is reached.");
  expect(changedGoal(await goals.apply(session, setGoal("another one"))).status).toBe("active");
});

test("a goal that is set in the middle of a run does not pay for that run, and is heard of at its end", async () => {
  const { inbox, store, goals } = stores();
  const session = newSession();
  await inbox.put(message(session, "hello"));
  const run = asRun(await store.open(session, "w1"));
  await goals.apply(session, setGoal());
  expect(await end(run)).toMatchObject({ windows: { tokens: { used: 0 } }, next: { n: 1 } });
});

test("the same command delivered twice, also at once, changes the goal once", async () => {
  const { session } = await withGoal();
  const { goals } = stores();
  const raise = { kind: "raise", by: owner, more: { tokens: 1_000 } } as const;
  await Promise.all([
    goals.apply(session, raise, `${session}/k`),
    goals.apply(session, raise, `${session}/k`),
  ]);
  await goals.apply(session, raise, `${session}/k`);
  expect((await goals.read(session))?.windows.tokens.limit).toBe(501_000);
});

test("a turn without news stays without a reply for whoever delivers it after a worker that died", async () => {
  const { session } = await withGoal();
  const { store } = stores();
  await end(await continued(session));
  const run = await continued(session);
  const none = turn({ of: run.goal!, calls: [] }).turn;
  const ended = await store.end(run.fence, {
    reason: "stop",
    round: round(run.run.rounds + 1, answer("nothing to do")),
    modelCalls: [],
    turn: none,
  });
  expect(ended).toMatchObject({ kind: "ended", news: { isQuiet: true } });
  expect(await store.open(session, "w2")).toMatchObject({ kind: "settle", outcome: { isQuiet: true } });
});

test("a line of a goal's audit has neither what its turns saw nor what they said: those are large, and stand elsewhere", async () => {
  const { goals, store } = stores();
  const session = newSession();
  await goals.apply(session, setGoal());
  const run = asRun(await store.open(session, "w", "goals"));
  const ending = { reason: "stop", round: round(1, answer("done")), modelCalls: [] } as const;
  await store.end(run.fence, { ...ending, turn: turn({ of: run.goal! }).turn });
  expect(await goals.read(session)).toMatchObject({ said: "One page more.", seen: [["write page", "ok"]] });
  const lines = await backend
    .sql()
    .query<{ body: object }>(
      { text: "select e.body from goal_events e join goals g on g.id = e.goal where g.session = $1" },
      [session],
    );
  expect(lines).toHaveLength(3);
  for (const { body } of lines)
    expect(Object.keys(body)).toEqual(expect.not.arrayContaining(["seen", "said"]));
});
