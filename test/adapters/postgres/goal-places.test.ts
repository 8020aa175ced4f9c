// How many turns of goals run in a space at once: on a real Postgres, with many who claim at the same time.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { SessionId } from "../../../src/core/thread.ts";
import { createGoals } from "../../../src/adapters/postgres/goals.ts";
import { createRunStore } from "../../../src/adapters/postgres/run-store.ts";
import { createLocalLocker } from "../../../src/core/agent/local-locker.ts";
import { createGoalPolicies, DEFAULT_GOAL_RULES } from "../../../src/core/goal/policy.ts";
import { createGoalTurns } from "../../../src/core/run/goal-turn.ts";
import { serveGoals } from "../../../src/core/run/serve-goals.ts";
import { answer, asRun, message, round } from "../../contract/store-samples.ts";
import { setGoal, turn } from "../../support/goals.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { postgresBackend } from "./backends.ts";
import { storesOver } from "./store-subject.ts";

const backend = postgresBackend();
const newId = () => randomBytes(12).toString("hex");

/** So many threads of one space, each with a goal whose turn is due. */
async function space(threads: number, atOnce: number) {
  const name = `G${newId()}`;
  const { goals, inbox } = storesOver(backend.sql());
  const store = createRunStore({ sql: backend.sql(), newId }, { goalsAtOnceIn: () => atOnce });
  const sessions = Array.from({ length: threads }, (_, n) => `discord:${name}:${n + 1}` as SessionId);
  for (const session of sessions) await goals.apply(session, setGoal());
  const open = (session: SessionId) => store.open(session, "w", "goals");
  const end = async (run: ReturnType<typeof asRun>) => {
    const { goal, fence } = run;
    if (goal === undefined) throw new Error("a turn of a goal has one");
    const ending = { reason: "stop", round: round(1, answer("done")), modelCalls: [] } as const;
    await store.end(fence, { ...ending, turn: turn({ of: goal }).turn });
    await store.settled(fence);
  };
  return { name, goals, inbox, store, sessions, open, end };
}

const begun = (opened: readonly { readonly kind: string }[]) =>
  opened.filter(({ kind }) => kind === "run").length;

test("however many claim at once, no more turns of goals run in a space than may, and the others stay due", async () => {
  const { sessions, open, goals } = await space(12, 3);
  const elsewhere = await space(1, 3);
  const opened = await Promise.all(sessions.map(open));
  expect(begun(opened)).toBe(3);
  expect((await goals.due(100, sessions[0])).length).toBe(9);
  // Each space has its own places.
  expect((await elsewhere.open(elsewhere.sessions[0]!)).kind).toBe("run");
});

test("people's messages never count for it and never wait for it", async () => {
  const { sessions, open, inbox, store } = await space(3, 1);
  const [first, second, third] = sessions as [SessionId, SessionId, SessionId];
  expect((await open(first)).kind).toBe("run");
  await inbox.put(message(second, "how far are you?"));
  expect(asRun(await store.open(second, "w")).run.cause).toBe("message");
  // Two runs are under way, and one of them is a goal's: still there is no place.
  expect((await open(third)).kind).toBe("nothing");
});

test("the place of a turn that has ended is free, the ones that wait longest are named first, and none is left out", async () => {
  const { sessions, open, end, goals } = await space(4, 1);
  const order: SessionId[] = [];
  for (let turns = 0; turns < 8; turns++) {
    const [next] = await goals.due(1, sessions[0]);
    const run = asRun(await open(next!));
    order.push(next!);
    await end(run);
  }
  expect(order).toEqual([...sessions, ...sessions]);
});

test("who is rung for where no more may run is told so before anything is taken, unless something else waits there", async () => {
  const { sessions, open, end, goals, inbox } = await space(2, 1);
  const [first, second] = sessions as [SessionId, SessionId];
  const limited = createGoals(backend.sql(), { atOnceIn: () => 1 });
  expect(await limited.hasPlace(second)).toBe(true);
  const run = asRun(await open(first));
  expect(await limited.hasPlace(second)).toBe(false);
  // Its own turn may have lost its worker, and is taken up again.
  expect(await limited.hasPlace(first)).toBe(true);
  expect(await goals.hasPlace(second)).toBe(true);
  await inbox.put(message(second, "how far are you?"));
  expect(await limited.hasPlace(second)).toBe(true);
  await end(run);
  expect(await limited.hasPlace(first)).toBe(true);
});

/** The bell of such a space, rung until it is silent: some of its goals cannot begin, each for a reason of its own. */
async function bellOf(at: Awaited<ReturnType<typeof space>>, atOnce: number, stuck: readonly SessionId[]) {
  const goals = createGoals(backend.sql(), { atOnceIn: () => atOnce });
  const rung: SessionId[] = [];
  const took: SessionId[] = [];
  const queue = { wake: async (session: SessionId) => void rung.push(session) };
  const turns = createGoalTurns(
    {
      goals,
      policies: createGoalPolicies(DEFAULT_GOAL_RULES),
      cards: { changed: () => {}, shown: async () => {} },
      queue,
      clock: manualClock(),
      log: silentLog,
      ring: () => {},
    },
    new Set(),
  );
  const locker = createLocalLocker();
  const serve = serveGoals({
    goals,
    turns,
    locker,
    store: { hasWork: async () => false },
    log: silentLog,
    async step(session) {
      const why = stuck.indexOf(session);
      if (why === 0) return "idle";
      if (why === 1) throw new Error("the row cannot be read");
      if (why === 2) return (await goals.apply(session, { kind: "leave" }), "idle");
      if ((await at.open(session)).kind === "run") took.push(session);
      return "left";
    },
  });
  const all = async () => {
    for (let at = 0; at < rung.length; at++)
      await serve(rung[at]!, new AbortController().signal).catch(() => {});
  };
  return {
    goals,
    rung,
    took,
    async ring(session: SessionId) {
      rung.push(session);
      // Of who is held by somebody else: a person's message is answered there.
      if (stuck[3] === undefined) return all();
      await locker.withLock(`session:${stuck[3]}`, { mode: "try" }, all);
    },
  };
}

test("goals that are due longest and cannot begin, whatever the reason, leave the ring of a free place to the next one that can", async () => {
  const at = await space(7, 1);
  const [fine] = at.sessions.slice(4) as [SessionId];
  const bell = await bellOf(at, 1, at.sessions.slice(0, 4));
  await bell.ring(at.sessions[0]!);
  expect(bell.took).toEqual([fine]);
  // One for one, and nobody is rung for in vain once the place is taken.
  expect(bell.rung).toEqual(at.sessions.slice(0, 5));
});

test("where none in a space can begin the bell falls silent, and who finds no place stays first in line", async () => {
  const stuck = await space(4, 3);
  const silent = await bellOf(stuck, 3, stuck.sessions);
  await silent.ring(stuck.sessions[0]!);
  expect([silent.took, silent.rung]).toEqual([[], stuck.sessions]);
  const full = await space(3, 1);
  const bell = await bellOf(full, 1, []);
  const run = asRun(await full.open(full.sessions[0]!));
  await bell.goals.behind(full.sessions[1]!);
  await full.end(run);
  expect(await bell.goals.due(1, full.sessions[0])).toEqual([full.sessions[1]]);
});

test("a sweep names those that wait behind goals that could not begin, and those again later", async () => {
  const { sessions, open } = await space(3, 1);
  const goals = createGoals(backend.sql(), { atOnceIn: () => 1 });
  const text = "update goals set wake_at = $2::bigint where session = $1";
  for (const [n, session] of sessions.entries()) await backend.sql().query({ text }, [session, n - 10]);
  const named: SessionId[] = [];
  for (let sweeps = 0; sweeps < 3; sweeps++) {
    const [session] = await goals.due(1);
    named.push(session!);
    await goals.behind(session!);
  }
  expect(named).toEqual(sessions);
  expect(await goals.due(1, sessions[0])).toEqual([]);
  await backend
    .sql()
    .query({ text: "update goals set wake_at = wake_at - 21000 where session = $1" }, [sessions[1]!]);
  expect(await goals.due(1, sessions[0])).toEqual([sessions[1]]);
  // Only when it is named: whoever comes begins it.
  expect((await open(sessions[2]!)).kind).toBe("run");
});

test("the place of a worker that died is free by itself, half a minute after it was last heard of", async () => {
  const { sessions, open } = await space(2, 1);
  const [first, second] = sessions as [SessionId, SessionId];
  asRun(await open(first));
  expect((await open(second)).kind).toBe("nothing");
  const silent = { text: "update sessions set touched_at = touched_at - $2::bigint where id = $1" };
  await backend.sql().query(silent, [first, 29_000]);
  expect((await open(second)).kind).toBe("nothing");
  await backend.sql().query(silent, [first, 1_100]);
  expect((await open(second)).kind).toBe("run");
});

test("a space that is full, and one that has very many, leave the others their share of what is looked for", async () => {
  const full = await space(6, 1);
  expect((await full.open(full.sessions[0]!)).kind).toBe("run");
  const many = await space(6, 1);
  const one = await space(1, 1);
  const goals = createGoals(backend.sql(), { atOnceIn: () => 1 });
  // Others of this database are due as well: far longer than anybody.
  const dueSince = async (at: number, sessions: readonly SessionId[]) => {
    const text = "update goals set wake_at = $2::bigint where session = $1";
    for (const session of sessions) await backend.sql().query({ text }, [session, at]);
  };
  await dueSince(1, [...full.sessions.slice(1), ...many.sessions]);
  await dueSince(2, one.sessions);
  const due = await goals.due(2);
  expect(due).toEqual([many.sessions[0], one.sessions[0]]);
  // Who looks in one space is told of as many as have a place there.
  expect(await goals.due(10, full.sessions[0])).toEqual([]);
  expect(await goals.due(10, many.sessions[0])).toEqual([many.sessions[0]]);
});
