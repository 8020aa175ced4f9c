// A goal whose owner or thread is no longer what it was: on a real ledger, with a worker that would ask the model.
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { AccessRules } from "../../../src/core/access/rules.ts";
import type { GoalRules } from "../../../src/core/goal/policy.ts";
import { createGoalPolicies, DEFAULT_GOAL_RULES } from "../../../src/core/goal/policy.ts";
import type { Standing } from "../../../src/core/ports/standings.ts";
import { onlyWhileAllowed } from "../../../src/core/run/only-while-allowed.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { message } from "../../contract/store-samples.ts";
import { accessWith } from "../../support/access.ts";
import { FakeThread } from "../../support/fake-surface.ts";
import { admin, owner, setGoal } from "../../support/goals.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { RunBench } from "../../support/run-bench.ts";
import { hangs } from "../../support/scripted-model.ts";
import { silentLog } from "../../support/silent-log.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";
import { storesOver } from "../../adapters/postgres/store-subject.ts";

const backend = postgresBackend();
const fine: Standing = { kind: "fine", owner: { id: "U1", name: "Ana", kind: "member", roles: [] } };

async function world(more: { access?: Partial<AccessRules>; rules?: Partial<GoalRules> } = {}) {
  const session = `discord:G${randomBytes(6).toString("hex")}:7` as SessionId;
  const stores = storesOver(backend.sql());
  const thread = new FakeThread({ clock: manualClock() });
  await stores.goals.apply(session, setGoal());
  let standing: Standing = fine;
  let asked = 0;
  let meanwhile = async (): Promise<unknown> => undefined;
  const never = new AbortController().signal;
  const causes: string[] = [];
  const clock = manualClock();
  const serving = (goals?: "goals") => async () => {
    const opened = await stores.store.open(session, "w", goals);
    if (opened.kind === "run") causes.push(opened.run.cause);
    return "worked" as const;
  };
  const step = onlyWhileAllowed({
    step: serving("goals"),
    people: serving(),
    clock,
    goals: stores.goals,
    standingOf: async () => {
      asked += 1;
      await meanwhile();
      return standing;
    },
    access: accessWith(more.access),
    policies: createGoalPolicies({ ...DEFAULT_GOAL_RULES, ...more.rules }),
    surfaceOf: () => thread,
    log: silentLog,
  });
  return {
    ...stores,
    session,
    causes,
    said: () => thread.texts(),
    goal: () => stores.goals.read(session),
    asked: () => asked,
    clock,
    /** While the platform is asked. */
    meanwhile: (then: () => Promise<unknown>) => void (meanwhile = then),
    async served(now: Standing = fine) {
      standing = now;
      await step(session, { signal: never, isLive: () => true }, never);
      return causes;
    },
  };
}

test("owner removed from the channel: the goal is paused, the thread is told in one sentence, and no model is asked", async () => {
  const w = await world();
  expect(await w.served({ kind: "owner_left" })).toEqual([]);
  expect(await w.goal()).toMatchObject({ status: "paused", reason: "owner_left" });
  expect(w.said()).toEqual([
    "The goal is paused: whose goal it is, is not here any more. `goal resume` goes on.",
  ]);
  // Nothing rings any more, and who serves the session for another reason tells nothing again.
  expect(await w.goals.due(1_000)).not.toContain(w.session);
  await w.served({ kind: "owner_left" });
  expect([w.said().length, w.asked()]).toEqual([1, 1]);
});

test("an admin may go on with it, and from then on it works with the admin's rights", async () => {
  const w = await world();
  await w.served({ kind: "owner_left" });
  await w.goals.apply(w.session, { kind: "resume", by: { ...admin, name: "Cem" } });
  expect(await w.goal()).toMatchObject({ status: "active", owner: { id: "U9", name: "Cem" } });
  expect(await w.served()).toEqual(["continuation"]);
});

test("an owner who may not use the bot there any more, by today's rules and roles", async () => {
  for (const access of [
    { users: { deny: ["discord:*:U1"] } },
    { roles: { allow: ["discord:*:R1"], deny: [] } },
    { commands: { ...({} as AccessRules["commands"]), goal: "admins" as const } },
  ]) {
    const w = await world({ access });
    expect(await w.served()).toEqual([]);
    expect(await w.goal()).toMatchObject({ status: "paused", reason: "no_access" });
  }
  const w = await world({ access: { roles: { allow: ["discord:*:R1"], deny: [] } } });
  const [, , channel] = w.session.split(":");
  const role = "R1";
  expect(channel).toBe("7");
  expect(await w.served({ kind: "fine", owner: { ...fine.owner, roles: [role] } })).toEqual(["continuation"]);
});

test("goal on an archived Discord thread: it stands still with the reason and says nothing, since a post would open the thread", async () => {
  const w = await world();
  expect(await w.served({ kind: "archived" })).toEqual([]);
  expect(await w.goal()).toMatchObject({ status: "paused", reason: "archived" });
  expect(w.said()).toEqual([]);
  // A person's message opens it again: that is answered, and the goal goes on only when somebody resumes it.
  await w.inbox.put(message(w.session, "are you there?"));
  expect(await w.served()).toEqual(["message"]);
  expect(await w.goal()).toMatchObject({ status: "paused" });
  await w.goals.apply(w.session, { kind: "resume", by: owner });
  expect(await w.goal()).toMatchObject({ status: "active" });
});

test("a thread or a channel that is not there any more ends the goal", async () => {
  const w = await world();
  expect(await w.served({ kind: "gone" })).toEqual([]);
  expect(await w.goal()).toMatchObject({ closed: "gone" });
  expect(w.said()).toEqual([]);
});

test("goals that were switched off there go on no more; a person's message is answered all the same", async () => {
  const w = await world({ rules: { allow: false } });
  await w.inbox.put(message(w.session, "hello"));
  expect(await w.served()).toEqual(["message"]);
  expect(await w.goal()).toMatchObject({ status: "paused", reason: "not_allowed" });
});

test("a thread that turns out to be gone while its goal works ends the goal, and nothing follows", async () => {
  const b = new RunBench(backend.sql(), [hangs("step one")], { takes: "goals" });
  await b.stores.goals.apply(b.session, setGoal());
  b.thread.isGone = true;
  await b.worker().serve();
  expect(await b.stores.goals.read(b.session)).toMatchObject({ closed: "gone", turns: 1 });
  expect(b.model.requests).toHaveLength(1);
  expect(await b.stores.goals.due(1_000)).not.toContain(b.session);
});

test("what the platform said of one goal is not done to the one that took its place: that one is asked about by itself", async () => {
  const w = await world();
  let replaced = 0;
  w.meanwhile(async () => {
    if (++replaced === 1) await w.goals.apply(w.session, setGoal("another", { by: admin, mode: "replace" }));
  });
  expect(await w.served({ kind: "owner_left" })).toEqual([]);
  expect(w.asked()).toBe(2);
  expect(await w.goal()).toMatchObject({ owner: { id: admin.id }, reason: "owner_left" });
});

test("where a goal is another one at each look, only people's messages are served", async () => {
  const w = await world();
  await w.inbox.put(message(w.session, "hello"));
  w.meanwhile(() => w.goals.apply(w.session, setGoal("another", { by: admin, mode: "replace" })));
  expect(await w.served({ kind: "owner_left" })).toEqual(["message"]);
  expect(await w.goal()).toMatchObject({ status: "active" });
});

test("a platform that does not answer holds up nobody: people's messages are served, and the goal stays due", async () => {
  const w = await world();
  await w.inbox.put(message(w.session, "hello"));
  const hanging = Promise.withResolvers<void>();
  w.meanwhile(() => (hanging.resolve(), new Promise(() => {})));
  const served = w.served();
  await hanging.promise;
  await w.clock.advance(5_000);
  expect(await served).toEqual(["message"]);
  expect(await w.goal()).toMatchObject({ status: "active", next: { n: 1 } });
});
