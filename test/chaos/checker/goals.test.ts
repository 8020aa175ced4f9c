// What the checker finds in the goals of a chaos run: where all is well nothing, and each thing that must not be.
import { expect, test } from "vitest";
import { brokenGoals } from "./goals.ts";
import type { Act, ChaosRecord, GoalBody, GoalEventRow, GoalRow } from "./record.ts";

const session = "slack:T1:C1:1.1";
const body = (more: Partial<GoalBody>): GoalBody => ({
  id: "g1",
  revision: 1,
  generation: 1,
  status: "active",
  windows: {
    tokens: { used: 2_000, limit: 4_000 },
    turns: { used: 1, limit: 20 },
    activeMs: { used: 1, limit: 60_000 },
  },
  createdAt: 100,
  updatedAt: 900,
  ...more,
});
const event = (n: number, kind: string, more: Partial<GoalBody> = {}): GoalEventRow => ({
  goal: "g1",
  n,
  at: n,
  kind,
  body: body(more),
});
const next = { revision: 1, generation: 1, n: 1, dueAt: 100 };
const goal = (more: Partial<GoalBody>): GoalRow => {
  const its = body(more);
  return {
    id: its.id,
    session,
    status: its.status,
    closed: its.closed ?? null,
    body: its,
    card_message: "1.9",
  };
};
const run = (id: string, at: number): ChaosRecord["runs"][number] => ({
  id,
  session,
  cause: "continuation",
  started_at: at,
  reply: "settled",
  reason: "stop",
  error_code: null,
  retry_of: null,
});
const card = (text: string): ChaosRecord["threads"] => [
  { session, isGone: false, fromBot: [{ id: "1.9", text, buttons: [] }] },
];
const act = (order: "pause" | "resume", saidAt: number): Act => ({
  kind: "goal",
  session,
  order,
  taken: true,
  saidAt,
  takenAt: saidAt + 10,
});
const call = { session, run: "r1", started_at: 500, outcome: "done" };

/** A goal that was reached in its one turn. */
const well: ChaosRecord = {
  seed: 1,
  acts: [],
  threads: card("Goal · reached"),
  strays: [],
  complaints: [],
  requests: [],
  deeds: [],
  inbox: [],
  runs: [run("r1", 500)],
  attempts: [],
  entries: [],
  pages: [],
  goals: [goal({ status: "complete", closed: "complete" })],
  goalEvents: [
    event(1, "set", { next }),
    event(2, "begin"),
    event(3, "turn", { status: "complete", closed: "complete" }),
  ],
  modelCalls: [call, call],
  shown: [],
  writes: [],
};

test("where each turn was begun once and the goal is reached nothing is found", () => {
  expect(brokenGoals(well)).toEqual([]);
});

const ONCE = "each turn of a goal is begun once, as one run";
const LOST = "no turn of a goal is lost";
const BEHIND = "no turn of a goal begins after pause, clear, stop or reset";

test.each<[string, string, Partial<ChaosRecord>]>([
  [
    "two goals",
    "a thread has at most one open goal",
    { goals: [goal({ status: "paused" }), goal({ id: "g2", status: "paused" })] },
  ],
  ["a turn that was begun twice", ONCE, { goalEvents: [...well.goalEvents.slice(0, 2), event(4, "begin")] }],
  ["a run that no goal began", ONCE, { runs: [...well.runs, run("r2", 600)] }],
  ["a turn that nobody begins", LOST, { goals: [goal({ next })] }],
  ["an active goal of which nothing is planned", LOST, { goals: [goal({})] }],
  [
    "a turn of a goal that was paused",
    BEHIND,
    { goalEvents: [event(1, "pause", { status: "paused" }), event(2, "begin")] },
  ],
  ["a turn behind a pause that was acknowledged", BEHIND, { acts: [act("pause", 400)] }],
  [
    "more model calls than its budget holds",
    "a goal costs what it may, and a last word",
    { modelCalls: Array.from({ length: 8 }, () => call) },
  ],
  ["no card", "each goal has one card, which shows where it stands", { threads: card("something else") }],
])("found: %s", (_, invariant, broken) => {
  const found = brokenGoals({ ...well, ...broken });
  expect(new Set(found.map((one) => one.invariant))).toContain(invariant);
});

test("what was asked for again is not held against the product", () => {
  expect(brokenGoals({ ...well, acts: [act("pause", 400), act("resume", 450)] })).toEqual([]);
  const given = { ...run("r2", 700), error_code: "attempts_used_up" };
  const left = { goals: [goal({})], runs: [given], threads: card("Goal · working"), modelCalls: [] };
  expect(
    brokenGoals({ ...well, ...left, goalEvents: [event(1, "set", { next }), event(2, "begin")] }),
  ).toEqual([]);
});
