// `npm run smoke:slack` against the local Slack: alone, and with a person who does what it says.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLocalSlack, type LocalSlack } from "../support/slack/local-slack.ts";
import { until } from "../support/until.ts";

const program = join(import.meta.dirname, "../../scripts/smoke-slack.ts");

function smoke(slack: LocalSlack, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, "--pace-ms", "0", "--patience-ms", "1500", ...flags], {
    env: {
      PATH: process.env["PATH"] ?? "",
      SLACK_BOT_TOKEN: slack.app.botToken,
      SLACK_APP_TOKEN: slack.app.appToken,
      SLACK_API_URL: slack.slackApiUrl,
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const run = { output: "", answer: (line: string) => void child.stdin.write(`${line}\n`) };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (run.output += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => void child.once("exit", resolve));
  return { ...run, exited, said: () => run.output, [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

const linesOf = (output: string, state: string): string[] =>
  output.split("\n").filter((line) => line.includes(`| ${state} |`));

test("alone it tells what Slack does, leaves nothing behind, and says no token", async () => {
  await using slack = await createLocalSlack();
  slack.person("Ana");
  const channel = slack.channel("tests");
  using run = smoke(slack, ["--yes", "--channel", channel.id]);
  expect(await run.exited).toBe(0);
  const output = run.said();
  // What the local Slack does is what the product relies on, and what the test claims of the real one.
  const claim = "A stream can begin without a thread";
  expect(linesOf(output, "does not hold")).toEqual([expect.stringContaining(claim)]);
  expect(linesOf(output, "holds").length).toBeGreaterThan(15);
  expect(output).not.toContain(slack.app.botToken);
  expect(slack.channelTop(channel)).toEqual([]);
});

test("a person who does what it says gets a whole report", async () => {
  await using slack = await createLocalSlack({ shortcuts: ["bobbin_stop"] });
  const ana = slack.person("Ana");
  const channel = slack.channel("tests");
  using run = smoke(slack, []);
  const done = new Set<string>();
  const roots = () => slack.channelTop(channel).filter(({ userId }) => userId === slack.app.botUserId);
  const acts: Readonly<Record<string, () => unknown>> = {
    "In a channel for tests": () => ana.say(channel, `${slack.botMention} smoke`),
    "type: /bobbin help": () => ana.slash("/bobbin", "help", channel),
    "to the bot directly": () => ana.dm("smoke"),
  };
  let questions = 0;
  const ended = run.exited.then(() => true);
  await until(
    async () => {
      const output = run.said();
      for (const [words, act] of Object.entries(acts)) {
        if (!output.includes(words) || done.has(words)) continue;
        done.add(words);
        act();
      }
      for (; questions < output.split("\n? ").length - 1; questions++) run.answer("y");
      return (await Promise.race([ended, Promise.resolve(false)])) ? true : undefined;
    },
    { what: "the walk has ended" },
  );
  const output = run.said();
  expect(output).toContain("with a person");
  for (const claim of ["A mention comes as two events", "The slash command comes", "A direct message comes"])
    expect(linesOf(output, "holds").join("\n")).toContain(claim);
  expect(linesOf(output, "not known").join("\n")).toContain("A click tells the thread");
  const streams = linesOf(output, "holds").filter((line) => /stream(?:ed)? (?:keeps|can)/.test(line));
  expect(streams.join("\n")).toMatch(/keeps the name.*\n.*cannot be edited.*\n.*can be edited/);
  expect(roots()).toEqual([]);
});

test("without a token it says which one and how it is used", async () => {
  await using slack = await createLocalSlack();
  using run = smoke(slack, [], { SLACK_BOT_TOKEN: "", SLACK_APP_TOKEN: "" });
  expect(await run.exited).toBe(1);
  expect(run.said()).toContain("SLACK_BOT_TOKEN is missing");
});
