import fc from "fast-check";
import { expect, test } from "vitest";
import type { Command } from "../../../src/core/command/command.ts";
import { parseCommand } from "../../../src/core/command/parse.ts";
import { COMMAND_NAMES, commandOf, COMMANDS } from "../../../src/core/command/table.ts";

const called = (line: string): Command | undefined => parseCommand(line, { slash: "optional" });
const alone = (line: string): Command | undefined => parseCommand(line, { slash: "direct" });

test("every command is a word alone, whatever its case, behind a slash or behind the bot's name", () => {
  for (const name of COMMAND_NAMES) {
    for (const word of [name, ` ${name.toUpperCase()}\n`]) {
      expect(called(word)).toEqual({ name });
      expect(parseCommand(word)).toBe(undefined);
      expect(parseCommand(`/${word.trim()}`)).toEqual({ name });
    }
  }
});

test("words that people also say to whoever answers them are no commands where nobody called the bot", () => {
  for (const name of COMMAND_NAMES)
    expect(alone(name)).toEqual(COMMANDS[name].isAlsoSaid ? undefined : { name });
  expect(alone("model gpt-5-mini")).toEqual({ name: "model", value: "gpt-5-mini" });
  expect(alone("/details")).toEqual({ name: "details" });
});

test("a choice is one word of a few, and a model anything that cannot be a word of a sentence", () => {
  expect(called("follow mention")).toEqual({ name: "follow", value: "mention" });
  expect(called("Mute ON")).toEqual({ name: "mute", value: "on" });
  expect(called("effort high")).toEqual({ name: "effort", value: "high" });
  expect(called("model openai/gpt-5-mini")).toEqual({ name: "model", value: "openai/gpt-5-mini" });
  expect(called("model default")).toEqual({ name: "model", value: "default" });
  expect(parseCommand("/model mistral")).toEqual({ name: "model", value: "mistral" });
  for (const said of [
    "model trains",
    "model the data please",
    "follow me",
    "mute it",
    "effort pays",
    "reload it",
  ])
    expect(called(said)).toBe(undefined);
});

test("free text is taken only behind a slash, and on one line", () => {
  expect(parseCommand("/title Release  notes")).toEqual({ name: "title", value: "Release  notes" });
  expect(called("title Release notes")).toBe(undefined);
  expect(called("title")).toEqual({ name: "title" });
  expect(parseCommand("/title one\ntwo")).toBe(undefined);
});

test("a word behind a slash that is none is help, and a sentence behind one is a message", () => {
  expect(parseCommand("/bananas")).toEqual({ name: "help", word: "/bananas" });
  expect(parseCommand("/follow me")).toEqual({ name: "help", word: "/follow me" });
  expect(parseCommand("/model the data please")).toBe(undefined);
  expect(parseCommand("/stop the deployment")).toBe(undefined);
});

/** What people write: words of a chat, among them the commands' own. */
const word = fc.oneof(
  fc.constantFrom(
    ...COMMAND_NAMES,
    "please",
    "the",
    "it",
    "on",
    "off",
    "thread",
    "data",
    "all",
    "default",
    "high",
  ),
  fc.stringMatching(/^[a-z]{1,12}$/),
);

test("a sentence is never taken for a command, but for the one that sets a goal", () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 2, maxLength: 6 }),
      fc.constantFrom("", ".", "?", "!"),
      (words, end) => {
        const sentence = `${words.join(" ")}${end}`;
        const [first, second, ...more] = words;
        const { argument } = COMMANDS[first as keyof typeof COMMANDS] ?? { argument: { kind: "none" } };
        const isChoice =
          end === "" &&
          more.length === 0 &&
          argument.kind === "choice" &&
          argument.values.includes(second ?? "");
        // Who calls the bot by its name and begins with "goal" gives it one: slash commands there are not everywhere.
        const isGoal = first === "goal";
        expect(parseCommand(sentence, { slash: "optional" }) !== undefined).toBe(isChoice || isGoal);
        expect(parseCommand(sentence, { slash: "direct" }) !== undefined).toBe(isChoice);
        expect(parseCommand(sentence)).toBe(undefined);
      },
    ),
  );
});

test("whatever is written, no line fails to be read, and what is taken is a command of the list", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom("", "/", "/title ", "why "),
      (text, head) => {
        for (const slash of ["needed", "optional", "direct"] as const) {
          const command = parseCommand(head + text, { slash });
          if (command !== undefined) expect(COMMAND_NAMES).toContain(command.name);
        }
      },
    ),
  );
});

test("what a picker gives is taken as a line is, and blank counts as nothing", () => {
  expect(commandOf("follow", " Thread ")).toEqual({ name: "follow", value: "thread" });
  expect(commandOf("follow", "")).toEqual({ name: "follow" });
  expect(commandOf("follow", "me")).toBe(undefined);
  expect(commandOf("stop", "now")).toBe(undefined);
  expect(commandOf("why", "1700000000.000100")).toEqual({ name: "why", message: "1700000000.000100" });
});

test("every summary fits where the narrowest platform shows it", () => {
  for (const { summary, argument } of Object.values(COMMANDS)) {
    expect(summary.length).toBeLessThanOrEqual(100);
    if (argument.kind !== "none") expect(argument.name).toMatch(/^[a-z]{1,32}$/);
  }
});

test("a goal is set by whoever calls the bot by its name, with a slash also elsewhere, and may have several lines", () => {
  expect(called("goal tidy the wiki")).toEqual({ name: "goal", value: "tidy the wiki" });
  expect(called("goal tidy\nthe wiki")).toEqual({ name: "goal", value: "tidy\nthe wiki" });
  expect(alone("goal keepers are tall")).toBe(undefined);
  expect(alone("/goal tidy the wiki")).toEqual({ name: "goal", value: "tidy the wiki" });
  expect(called("goal")).toEqual({ name: "goal" });
});
