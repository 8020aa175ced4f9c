// Goals whose worker died, whose bell was lost, or that nobody may serve now.
import { expect, test } from "vitest";
import type { Opened } from "../../../src/core/ports/run-store.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { answer, asRun, command, newSession, round } from "../../contract/store-samples.ts";
import { owner, setGoal } from "../../support/goals.ts";
import { postgresBackend } from "./backends.ts";
import { goalSteps } from "./goal-steps.ts";
import { storesOver, type Stores } from "./store-subject.ts";

const backend = postgresBackend();
const stores = (): Stores => storesOver(backend.sql());
const { withGoal, end, continued, passed } = goalSteps(stores, () => backend.sql());

test("a thread that is muted has no goal that goes on, also where whoever muted it died before the goal was paused", async () => {
  const { session } = await withGoal();
  const { goals, inbox, store } = stores();
  await end(await continued(session));
  await inbox.put(command(session, { name: "mute", value: "on" }));
  expect(await store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
  expect(await goals.read(session)).toMatchObject({ status: "paused" });
  expect(await goals.due(1_000)).not.toContain(session);
  await inbox.put(command(session, { name: "mute", value: "off" }));
  await goals.apply(session, { kind: "resume", by: owner });
  expect((await continued(session)).run.cause).toBe("continuation");
});

test("a last turn whose run was given up is tried once more, and after the second time nothing is planned", async () => {
  const session = newSession();
  const { goals, store } = stores();
  await goals.apply(session, setGoal("tidy", { limits: { tokens: 500_000, turns: 1, minutes: 60 } }));
  expect(await end(await continued(session))).toMatchObject({ status: "budget_limited", next: {} });
  for (const tries of [1, 2]) {
    expect((await continued(session)).goal).toMatchObject({ status: "budget_limited", lastTurns: tries });
    expect(await goals.due(1_000)).not.toContain(session);
    let opened: Opened = { kind: "nothing" };
    do opened = await store.open(session, "w1", "goals");
    while (opened.kind === "run");
    await passed(session, 300_000);
    if (opened.kind === "settle") await store.settled(opened.fence);
    expect(await goals.due(1_000)).toContain(session);
  }
  expect(await store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
  expect(await goals.due(1_000)).not.toContain(session);
  expect((await stores().transcripts.runs(session)).map(({ outcome }) => outcome?.reason)).toEqual([
    "stop",
    "error",
    "error",
  ]);
});

test("crash between settle and dispatch, and a Redis that was emptied: the turn is due until it is begun", async () => {
  const { session } = await withGoal();
  await end(await continued(session));
  // Nobody rang. What is due is asked of the database alone.
  expect(await stores().goals.due(1_000)).toContain(session);
  await continued(session);
  expect(await stores().goals.due(1_000)).not.toContain(session);
});

test("crash after the tool and before the append: the turn goes on where it was, as the same turn", async () => {
  const { session } = await withGoal();
  const { store } = stores();
  const first = await continued(session);
  await store.commitRound(first.fence, { ...round(1, answer("", [CALL])), state: "calls" });
  const second = asRun(await store.open(session, "w2", "goals"));
  expect(second).toMatchObject({ resumed: true, run: { id: first.run.id, cause: "continuation" } });
  expect(second.goal?.windows.turns.used).toBe(1);
});

test("a turn whose run was given up does not leave the goal behind: later it begins the next one, and at the third it is paused", async () => {
  const { session } = await withGoal();
  const { goals, store } = stores();
  for (const failures of [0, 1, 2]) {
    const run = await continued(session);
    expect(run.goal).toMatchObject({ failures, windows: { turns: { used: failures + 1 } } });
    let opened: Opened = run;
    while (opened.kind === "run") opened = await store.open(session, "w1", "goals");
    await passed(session, 300_000);
    // Until its last words are delivered nothing else can begin.
    expect(await goals.due(1_000)).not.toContain(session);
    if (opened.kind === "settle") await store.settled(opened.fence);
    expect(await goals.due(1_000)).toContain(session);
  }
  expect(await store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
  expect(await goals.read(session)).toMatchObject({ status: "paused", reason: "error" });
  expect(await goals.due(1_000)).not.toContain(session);
});

test("a planned turn that can never be begun is taken back, and rung for no more", async () => {
  const { session } = await withGoal();
  const { goals, store } = stores();
  await backend
    .sql()
    .query({ text: `update goals set body = jsonb_set(body, '{revision}', '2') where session = $1` }, [
      session,
    ]);
  expect(await store.open(session, "w1", "goals")).toEqual({ kind: "nothing" });
  expect(await goals.due(1_000)).not.toContain(session);
  await passed(session, 300_000);
  expect((await continued(session)).goal).toMatchObject({ revision: 2, told: 2 });
});

test("a goal where the bot cannot speak now is not rung for, and stands in nobody's way", async () => {
  const { goals } = stores();
  const session = "slack:T0BROKEN:C1:1.1" as SessionId;
  await goals.apply(session, setGoal());
  const install = {
    text: `
insert into installs (platform, space, name, bot_user, bot_id, bot_name, scopes, installed_by, state, secret)
values ('slack', 'T0BROKEN', 'n', 'u', 'b', 'n', '', 'U1', $1, 's') on conflict (platform, space) do update set state = $1`,
  };
  await backend.sql().query(install, ["broken"]);
  expect(await goals.due(1_000)).not.toContain(session);
  await backend.sql().query(install, ["active"]);
  expect(await goals.due(1_000)).toContain(session);
});

const CALL = { id: "c1", name: "clock", arguments: "{}" };
