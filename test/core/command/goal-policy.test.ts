// What a team lets goals do, and what its limits count: the command on a real ledger.
import { expect, test } from "vitest";
import { createGoals } from "../../../src/adapters/postgres/goals.ts";
import { createInbox } from "../../../src/adapters/postgres/inbox.ts";
import { createTranscripts } from "../../../src/adapters/postgres/transcripts.ts";
import type { AccessRules } from "../../../src/core/access/rules.ts";
import { admissionOf } from "../../../src/core/access/access.ts";
import { createGoalAdmission } from "../../../src/core/command/goal-admission.ts";
import { createGoalCommands } from "../../../src/core/command/goal-command.ts";
import { createGoalPolicies, DEFAULT_GOAL_RULES, type GoalRules } from "../../../src/core/goal/policy.ts";
import type { Author } from "../../../src/core/inbound.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { message, newSession } from "../../contract/store-samples.ts";
import { accessWith } from "../../support/access.ts";
import { postgresBackend } from "../../adapters/postgres/backends.ts";

const backend = postgresBackend();
let count = 0;

function world(rules: Partial<GoalRules> = {}, access: Partial<AccessRules> = {}) {
  const sql = backend.sql();
  const inbox = createInbox(sql);
  const decides = accessWith(access);
  const commands = createGoalCommands({
    proposals: { find: async () => ({ kind: "unknown" }) },
    access: decides,
    goals: createGoals(sql),
    policies: createGoalPolicies({ ...DEFAULT_GOAL_RULES, ...rules }),
    admit: createGoalAdmission({ access: decides, inbox }),
    ring: () => {},
    show: () => {},
    newId: () => `g${(count += 1)}-${Math.random()}`,
  });
  const ana: Author = { id: `U${Math.random()}`, name: "Ana", kind: "member" };
  return {
    ana,
    inbox,
    access: decides,
    ask: (session: SessionId, value: string, id = `i${(count += 1)}-${Math.random()}`) =>
      commands.run(value, { session, author: ana, id, at: Date.now() }),
  };
}

test("where goals are switched off none is set, and one that is there cannot be resumed, but can be paused and cleared", async () => {
  const session = newSession();
  expect(await world().ask(session, "tidy the wiki")).toContain("has a goal now");
  const off = world({ places: [{ place: "web:local:general", allow: false }] });
  expect(await off.ask(session, "pause")).toContain("paused");
  expect(await off.ask(session, "resume")).toContain("switched off here");
  expect(await off.ask(newSession(), "another")).toContain("switched off here");
  expect(await off.ask(session, "status")).toContain("paused");
});

test("nobody gives or raises a goal more than it may use there, and what is not said is the default of the place", async () => {
  const { ask } = world({
    limits: { tokens: 50_000, turns: 5, minutes: 10 },
    most: { tokens: 100_000, turns: 8, minutes: 20 },
  });
  const session = newSession();
  expect(await ask(session, "tidy --tokens 200k")).toBe("A goal may use at most 100,000 tokens here.");
  expect(await ask(session, "tidy --turns 9")).toBe("A goal may use at most 8 turns here.");
  await ask(session, "tidy --minutes 20");
  expect(await ask(session, "")).toContain("turn 0 of 5, 0 tokens of 50,000 tokens, 0 ms of 20 min");
  expect(await ask(session, "budget +60k")).toBe("A goal may use at most 100,000 tokens here.");
  expect(await ask(session, "budget +50k")).toContain("active");
  expect(await ask(session, "budget +4 turns")).toBe("A goal may use at most 8 turns here.");
  expect(await ask(session, "")).toContain("turn 0 of 5, 0 tokens of 100,000 tokens");
});

test("setting, resuming and raising a goal count like messages, once for each; looking, pausing and what is refused anyway do not", async () => {
  const { ask, ana, inbox, access } = world({}, { limits: { user: { most: 3, withinMs: 3_600_000 } } });
  const session = newSession();
  const once = `one-${Math.random()}`;
  await ask(session, "tidy the wiki", once);
  // The platform brings it again.
  await ask(session, "tidy the wiki", once);
  expect(await ask(session, "another")).toContain("has a goal already");
  await ask(session, "pause");
  await ask(session, "");
  expect(await ask(session, "resume")).toContain("active");
  expect(await ask(session, "budget +10k")).toContain("active");
  await ask(session, "pause");
  expect(await ask(session, "resume")).toContain("asked as much as you may");
  expect(await ask(newSession(), "one more")).toContain("asked as much as you may");
  // Goals use up what messages have, and the other way round.
  const said = message(session, "hello", { author: ana });
  expect((await inbox.put(said, admissionOf(access.decide(said), said))).kind).toBe("refused");
});

test("who may not talk to the bot may not set a goal, and no session begins by it", async () => {
  const denied = world();
  const { ask } = world({}, { users: { deny: [`web:local:${denied.ana.id}`] } });
  const session = newSession();
  const commands = world({}, { users: { allow: ["web:local:nobody"], deny: [] } });
  expect(await commands.ask(session, "tidy")).toContain("You may not use this bot");
  expect(await createTranscripts(backend.sql()).settings(session)).toBeUndefined();
  expect(await ask(newSession(), "tidy")).toContain("has a goal now");
});
