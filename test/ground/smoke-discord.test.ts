// `npm run smoke:discord` against the local Discord: alone, and with a person who does what it says.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLocalDiscord, type LocalDiscord } from "../support/discord/local-discord.ts";
import type { Person } from "../support/discord/person.ts";
import { until } from "../support/until.ts";

const program = join(import.meta.dirname, "../../scripts/smoke-discord.ts");

function smoke(discord: LocalDiscord, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program, "--patience-ms", "1500", ...flags], {
    env: {
      PATH: process.env["PATH"] ?? "",
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
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

/** A bot that may take its threads away, at the pace of the test and not of Discord's limits. */
const world = async (): Promise<LocalDiscord> => {
  const posts = { "POST /channels/:channel/messages": [1_000, 1] as const };
  const discord = await createLocalDiscord({ rateLimits: { buckets: posts } });
  discord.guild.botPermissions.add("ManageThreads");
  return discord;
};
const isBots =
  (discord: LocalDiscord) =>
  ({ authorId }: { readonly authorId: string }): boolean =>
    authorId === discord.botId;

test("alone it tells what Discord does, leaves nothing behind, and says no token", async () => {
  await using discord = await world();
  const channel = discord.channel("tests");
  using run = smoke(discord, ["--yes", "--channel", channel.id]);
  expect(await run.exited).toBe(0);
  const output = run.said();
  // What the local Discord does is what the product relies on, and what the test claims of the real one.
  expect(linesOf(output, "does not hold")).toEqual([]);
  expect(linesOf(output, "holds").length).toBeGreaterThan(18);
  expect(linesOf(output, "not known")).toEqual([expect.stringContaining("none yet: start Bobbin once")]);
  expect(output).not.toContain(discord.token);
  expect(discord.shown(channel)).toEqual([]);
  const roots = discord.ever(channel).map(({ id }) => discord.threadNamed(id));
  expect(roots.filter((thread) => thread !== undefined && !thread.isDeleted)).toEqual([]);
  expect(discord.complaints).toEqual([expect.stringContaining("form:"), expect.stringContaining("form:")]);
  expect(discord.gateway.identifies).toEqual([]);
});

test("a person who does what it says gets a whole report, and what they wrote is all that stays", async () => {
  await using discord = await world();
  const ana = discord.person("Ana");
  const channel = discord.channel("tests");
  using run = smoke(discord, []);
  const thread = () =>
    discord.ever(channel).findLast(({ text }) => text.includes("open the thread below"))?.id ?? "";
  let linked: ReturnType<Person["say"]> | undefined;
  const acts: Readonly<Record<string, () => unknown>> = {
    "In a text channel": () => ana.say(channel, `${discord.botMention} smoke`),
    "without mentioning anybody": () => ana.say(thread(), "no name"),
    "write a link": () => {
      linked = ana.say(thread(), "https://example.org");
      discord.unfurl(linked);
    },
    "Now edit that message": () => linked && ana.edit(linked, "https://example.org and more"),
    "Press the button": () => {
      const shown = discord.shown(thread()).findLast(({ buttons }) => buttons.length > 0);
      return shown && ana.click(shown, "Press me");
    },
    "to Bobbin directly": () => ana.dm("smoke"),
    "publish a post": () => ana.publish(discord.channel("ideas", "forum"), "A post", discord.botMention),
    "Close the thread": () => {
      discord.archive(thread());
      ana.say(thread(), "once more");
    },
  };
  const done = new Set<string>();
  let questions = 0;
  const ended = run.exited.then(() => true);
  await until(
    async () => {
      const output = run.said();
      for (const [said, act] of Object.entries(acts)) {
        if (!output.includes(said) || done.has(said)) continue;
        done.add(said);
        act();
      }
      for (; questions < output.split("\n? ").length - 1; questions++) run.answer("y");
      return (await Promise.race([ended, Promise.resolve(false)])) ? true : undefined;
    },
    { what: "the walk has ended" },
  );
  const output = run.said();
  expect(output).toContain("with a person");
  expect(linesOf(output, "does not hold")).toEqual([]);
  for (const claim of [
    "A mention is heard",
    "Words in a thread are heard without a mention",
    "The preview of a link comes as an update",
    "A click tells the thread",
    "A direct message belongs to no server",
    "A forum's post begins",
    "Words in an archived thread",
    "Everything that was posted is taken away again",
  ])
    expect(linesOf(output, "holds").join("\n")).toContain(claim);
  expect(linesOf(output, "not known").join("\n")).toContain("A slash command works in a thread");
  expect(discord.shown(channel).filter(isBots(discord))).toEqual([]);
  expect(discord.gateway.identifies).toHaveLength(1);
});

test("without a token it says which one and how it is used", async () => {
  await using discord = await createLocalDiscord();
  using run = smoke(discord, [], { DISCORD_TOKEN: "" });
  expect(await run.exited).toBe(1);
  expect(run.said()).toContain("DISCORD_TOKEN is missing");
});
