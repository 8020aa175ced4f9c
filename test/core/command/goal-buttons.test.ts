// What a click on a goal's card does: the same as the command, and nothing where the card was left standing.
import { expect, test } from "vitest";
import { clickOf } from "../../../src/core/command/button.ts";
import type { GoalCommands } from "../../../src/core/command/goal-command.ts";
import type { Goal } from "../../../src/core/goal/goal.ts";
import { goalRef } from "../../../src/core/goal/ref.ts";
import type { ButtonAction } from "../../../src/core/ports/surface.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { createMemoryGoals, goalCommands } from "../../support/memory-goals.ts";

const session = sessionIdOf({ platform: "web", space: "local", channel: "general", root: "aaaabbbbcccc" });
const ana = { id: "U1", name: "Ana" };
const ben = { id: "U2", name: "Ben" };

async function world() {
  const goals = createMemoryGoals(() => 1_000);
  const commands = goalCommands(goals);
  let count = 0;
  const request = (author = ana, id = `i${(count += 1)}`) => ({ session, author, id, at: 1_000 });
  await commands.run("tidy the wiki", request());
  const goal = async (): Promise<Goal> => (await goals.read(session))!;
  return { commands, goals, goal, request };
}

function click(
  commands: GoalCommands,
  action: ButtonAction,
  value: string,
  request: Parameters<GoalCommands["run"]>[1],
): Promise<string> {
  const clicked = clickOf(action, value)!;
  if (clicked.command.name !== "goal") throw new Error("a button of a goal asks for the goal");
  return commands.run(clicked.command.value, { ...request, ...clicked.about });
}

test("the buttons of a goal do what the command does, with the same rights", async () => {
  const { commands, goal, request } = await world();
  await click(commands, "pause", goalRef(await goal()), request(ben));
  expect((await goal()).status).toBe("paused");
  expect(await click(commands, "resume", goalRef(await goal()), request(ben))).toContain("Only Ana");
  await click(commands, "resume", goalRef(await goal()), request());
  expect((await goal()).status).toBe("active");
  await click(commands, "clear", goalRef(await goal()), request());
  expect((await goal()).closed).toBe("cleared");
});

test("a button that was left standing changes nothing and says so, also where another goal is there by now", async () => {
  const { commands, goal, request } = await world();
  const old = goalRef(await goal());
  await commands.run("pause", request());
  expect(await click(commands, "pause", old, request())).toContain("earlier state");
  await commands.run("replace count the herons", request());
  const before = await goal();
  expect(await click(commands, "clear", old, request())).toContain("earlier state");
  expect(await goal()).toEqual(before);
});

test("two clicks on a raise, by one person or by two, raise once", async () => {
  const { commands, goal, request } = await world();
  const raise = goalRef(await goal(), "turns");
  await click(commands, "raise", raise, request());
  expect(await click(commands, "raise", raise, request())).toContain("earlier state");
  expect((await goal()).windows.turns.limit).toBe(30);
});

test("one click that is delivered twice is answered as done both times, and done once", async () => {
  const { commands, goal, request } = await world();
  const pause = goalRef(await goal());
  const first = await click(commands, "pause", pause, request(ana, "same"));
  expect(await click(commands, "pause", pause, request(ana, "same"))).toBe(first);
  expect((await goal()).generation).toBe(2);
});

test("what is no reference to a goal is no button of ours", () => {
  for (const value of ["", "r1", "g1", "g1.x", "g1.1.hours.3", "a b.1"])
    expect(clickOf("pause", value)).toBeUndefined();
});

test("what cannot be done to a goal that is there is refused with what can, and changes nothing", async () => {
  const { commands, goal, request } = await world();
  const before = await goal();
  expect(await commands.run("edit the docs --tokens 5k", request())).toContain("`goal budget`");
  const begun = { kind: "set", objective: "", limits: { turns: 7 } } as const;
  expect(await commands.run(begun, request())).toMatch(
    /has a goal already.*`goal replace`.*`goal edit`.*`goal budget`/,
  );
  expect(await goal()).toEqual(before);
});
