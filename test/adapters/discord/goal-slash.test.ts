// What people ask of a goal by the parts of `/goal`, and in the form for its text.
import { expect, test } from "vitest";
import type { Command } from "../../../src/core/command/command.ts";
import { after, later, owner, setGoal } from "../../support/goals.ts";
import { interactionWorlds } from "./interaction-world.ts";

const openInteractionWorld = interactionWorlds();

async function openWorld(options: NonNullable<Parameters<typeof openInteractionWorld>[1]> = {}) {
  const asked: Command[] = [];
  const world = await openInteractionWorld((command) => {
    asked.push(command);
    return Promise.resolve("done");
  }, options);
  const thread = world.ana.publish(world.discord.channel("ideas", "forum"), "An idea", "what about this?");
  return { ...world, asked, thread: thread.id };
}

test("each part of it says what it takes, and nothing else can be put into it", async () => {
  await using world = await openWorld();
  const { ana, asked, thread } = world;
  const given: readonly (readonly [string, Record<string, string | number>, object])[] = [
    ["set", { objective: "pause", turns: 5 }, { kind: "set", objective: "pause", limits: { turns: 5 } }],
    [
      "set",
      { objective: "tidy the wiki", "done-when": "no link is dead; all is there", tokens: 200_000 },
      {
        kind: "set",
        objective: "tidy the wiki",
        doneWhen: ["no link is dead", "all is there"],
        limits: { tokens: 200_000 },
      },
    ],
    ["status", {}, { kind: "status" }],
    ["edit", { objective: "clear the table" }, { kind: "edit", objective: "clear the table", limits: {} }],
    ["edit", { "done-when": "none" }, { kind: "edit", objective: "", doneWhen: [], limits: {} }],
    ["pause", {}, { kind: "pause" }],
    ["resume", {}, { kind: "resume" }],
    ["clear", {}, { kind: "clear" }],
    [
      "replace",
      { objective: "edit it", minutes: 9 },
      { kind: "replace", objective: "edit it", limits: { minutes: 9 } },
    ],
    ["budget", { tokens: 5_000, turns: 2 }, { kind: "raise", more: { tokens: 5_000, turns: 2 } }],
    ["budget", {}, { kind: "unclear", why: expect.stringContaining("how many") }],
  ];
  for (const [part, options] of given) {
    expect(await ana.command(thread, `goal ${part}`, options)).toBe("answered");
    await world.settled(asked.length + 1);
  }
  expect(asked).toEqual(given.map(([, , value]) => ({ name: "goal", value })));
  for (const [part, options] of [
    ["goal", {}],
    ["goal forget", {}],
    ["goal budget", { tokens: 0 }],
    ["goal budget", { tokens: 1.5 }],
    ["goal set", { turns: "5" }],
  ] as const)
    await expect(ana.command(thread, part, options)).rejects.toThrow();
});

test("without a text it asks for one in a form, which has what was said already; every word of it is a text there", async () => {
  await using world = await openWorld();
  const { ana, asked, thread } = world;
  await ana.command(thread, "goal set", { "done-when": "it shines", turns: 7 });
  expect(ana.form()).toMatchObject({
    title: "Goal of this thread",
    fields: { text: "\n\nDone when:\n- it shines\n\n--turns 7" },
  });
  await ana.submit({ text: "pause the deploy\nand polish\n\nDone when:\n- it shines\n\n--turns 7" });
  await ana.command(thread, "goal replace");
  expect(ana.form()?.title).toBe("Another goal");
  await ana.submit({ text: "clear" });
  await world.settled(4);
  expect(asked).toEqual([
    {
      name: "goal",
      value: {
        kind: "set",
        objective: "pause the deploy\nand polish",
        doneWhen: ["it shines"],
        limits: { turns: 7 },
      },
    },
    { name: "goal", value: { kind: "replace", objective: "clear", limits: {} } },
  ]);
});

test("the form for a change has the goal in it, and what is taken out there is gone", async () => {
  const goal = after(setGoal("tidy the wiki", { doneWhen: ["no link is dead"] }));
  await using world = await openWorld({ goal });
  const { ana, asked, thread } = world;
  await ana.command(thread, "goal edit");
  expect(ana.form()).toMatchObject({
    title: "Change the goal",
    fields: { text: "tidy the wiki\n\nDone when:\n- no link is dead" },
  });
  await ana.submit({ text: "tidy the shelf" });
  await world.settled(2);
  expect(asked).toEqual([
    { name: "goal", value: { kind: "edit", objective: "tidy the shelf", doneWhen: [], limits: {} } },
  ]);
});

test.each([
  ["there is none", undefined],
  [
    "it is too long for Discord",
    later(after(setGoal("tidy", { doneWhen: ["it shines"] })), 2_000, {
      kind: "edit",
      by: owner,
      objective: "x".repeat(4_000),
    }),
  ],
])("where a change has no form, as %s, it is told in words how the goal stands", async (_, goal) => {
  await using world = await openWorld(goal === undefined ? {} : { goal });
  const { ana, asked, thread } = world;
  expect(await ana.command(thread, "goal edit")).toBe("answered");
  await world.settled(1);
  expect(ana.form()).toBeUndefined();
  expect(asked).toEqual([{ name: "goal" }]);
});

test("where there is a goal already no form takes the place of what was begun: it is answered in words", async () => {
  const goal = after(setGoal("tidy the wiki"));
  await using world = await openWorld({ goal });
  const { ana, asked, thread } = world;
  expect(await ana.command(thread, "goal set", { turns: 7, "done-when": "it shines" })).toBe("answered");
  await ana.command(thread, "goal edit", { objective: "--turns 7" });
  await world.settled(2);
  expect(ana.form()).toBeUndefined();
  expect(asked).toEqual([
    { name: "goal", value: { kind: "set", objective: "", doneWhen: ["it shines"], limits: { turns: 7 } } },
    { name: "goal", value: { kind: "edit", objective: "", limits: { turns: 7 } } },
  ]);
});

test("a goal that was reached gives its place to the one that is begun", async () => {
  const goal = { ...after(setGoal("tidy the wiki")), status: "complete" as const };
  await using world = await openWorld({ goal });
  await world.ana.command(world.thread, "goal set", { turns: 7 });
  expect(world.ana.form()).toMatchObject({ title: "Goal of this thread", fields: { text: "\n\n--turns 7" } });
});
