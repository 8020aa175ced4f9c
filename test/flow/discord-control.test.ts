// What people do to a bot that works on Discord, and what Discord does to it: what they see in the end is right, and nothing is doubled.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { delta, eventsThenSilence, inPieces, refuses, says } from "../support/fake-llm/answers.ts";
import type { FaultOptions } from "../support/discord/faults.ts";
import type { SeenMessage } from "../support/discord/seen.ts";
import { until } from "../support/until.ts";
import { openDiscordWorld, type DiscordWorld } from "./discord-world.ts";

const POST = "POST /channels/:channel/messages";
const EDIT = "PATCH /channels/:channel/messages/:message";

let world: DiscordWorld;
let scenes = 0;
beforeAll(async () => {
  world = await openDiscordWorld({ parts: ["gateway", "worker", "worker"] });
});
afterEach(() => world.expectPeace());
afterAll(() => world[Symbol.asyncDispose]());

function scene() {
  const { discord } = world;
  scenes++;
  const [ana, ben] = [discord.person(`Ana ${scenes}`), discord.person(`Ben ${scenes}`)];
  return { discord, ana, ben, channel: discord.channel(`channel-${scenes}`), at: discord.botMention };
}

const inThread =
  (id: string): NonNullable<FaultOptions["when"]> =>
  ({ params }) =>
    params["channel"] === id;
const saidIn = (messages: readonly SeenMessage[]): readonly string[] =>
  messages.map(({ text }) => text.split("\n")[0] ?? "");

/** Says the first part when the reply is there to grow, and the rest when the test lets it. */
function inTwoParts(first: string, second: string) {
  const [mayBegin, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    answer: inPieces(mayBegin.promise, first, mayGoOn.promise, second),
    async begin(thread: string): Promise<void> {
      await world.shows(thread, "Thinking…");
      mayBegin.resolve();
    },
    goOn: () => mayGoOn.resolve(),
  };
}

test.each(["the button", "the command"] as const)(
  "stopped by %s: the model is left, what was shown stays and says so, and the thread goes on",
  async (how) => {
    const { discord, ana, ben, channel, at } = scene();
    const { abandoned } = world.llm;
    world.llm.script(eventsThenSilence(delta({ content: "as far as here " })));
    const { id } = ana.say(channel, `${at} work for long`);
    const answer = await world.shows(id, "as far as here");
    const done = how === "the button" ? ben.click(answer, "Stop") : ben.command(id, "stop");
    expect(await done).toBe("answered");
    await until(() => world.llm.abandoned === abandoned + 1, { what: "the model was left" });
    const [stopped, ...more] = await world.settled(id, 1);
    expect(more).toEqual([]);
    expect(stopped?.text).toMatch(/as far as here[^]*Stopped\./);
    await until(() => discord.whispers(id, ben).includes("Stopping."), { what: "Ben is told" });
    expect(discord.whispers(id, ana)).toEqual([]);
    ana.say(id, "go on");
    const [, next] = await world.settled(id, 2);
    expect(next?.text).toContain("go on");
  },
);

test("a model that refuses: a person sees why with a button to try again, which does, once", async () => {
  const { discord, ana, channel, at } = scene();
  world.llm.script(refuses(400, { message: "no" }));
  const { id } = ana.say(channel, `${at} please try`);
  const failed = await until(
    () =>
      world
        .replies(id)
        .find(({ buttons }) => buttons[0]?.label === "Try again" || buttons[0]?.label === "Retry"),
    {
      what: "there is a button",
    },
  );
  world.llm.script(says("it worked"));
  expect(await ana.click(failed, failed.buttons[0]!.label)).toBe("answered");
  await world.shows(id, /^it worked/);
  const shown = await world.settled(id, 1);
  expect(saidIn(shown).filter((text) => text === "it worked")).toHaveLength(1);
  await until(() => discord.whispers(id, ana)[0] !== undefined, { what: "Ana is told" });
  expect(discord.whispers(id, ana)).toEqual(["Trying again."]);
});

test("commands that only ask are answered for the one who asked: in a thread, in a channel, in a direct message", async () => {
  const { discord, ana, channel, at } = scene();
  const { id } = ana.say(channel, `${at} hello`);
  await world.settled(id, 1);
  for (const [where, name, text] of [
    [id, "status", "The last answer is complete."],
    [id, "queue", "Nothing waits in this thread."],
    [id, "help", "/reset"],
    [channel.id, "status", "Nothing has been said to the bot"],
    [ana.directChannel.id, "help", "/stop"],
  ] as const) {
    const told = discord.whispers(where, ana).length;
    expect(await ana.command(where, name)).toBe("answered");
    await until(() => discord.whispers(where, ana)[told]?.includes(text), { what: `${name} is answered` });
  }
});

test("a message that somebody asks about from its menu is answered in a thread below it, which goes on like any other", async () => {
  const { discord, ana, ben, channel } = scene();
  const said = ben.say(channel, "the cap leaks at four bars");
  const doubled = [ana.menu(said, "Ask about this"), ana.menu(said, "Ask about this")];
  expect(await Promise.all(doubled)).toEqual(["answered", "answered"]);
  const [answer] = await world.settled(said.id, 1);
  expect(answer?.text).toContain("What do you say to this message");
  expect(discord.threadNamed(said.id)).toMatchObject({
    parent: channel.id,
    name: "the cap leaks at four bars",
  });
  const read = JSON.stringify(world.llm.requests.at(-1)?.body.messages);
  expect(read).toContain("the cap leaks at four bars");
  await until(() => discord.whispers(channel, ana)[0] === "I answer in the thread below that message.", {
    what: "Ana is told",
  });
  ben.say(said.id, "and at five?");
  const [, second] = await world.settled(said.id, 2);
  expect(second?.text).toContain("and at five?");
  expect(await ben.menu(said, "Reset thread")).toBe("answered");
  await until(() => discord.whispers(channel, ben)[0]?.includes("begins anew"), { what: "Ben is told" });
  ben.say(said.id, "what leaks?");
  await world.settled(said.id, 3);
  expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).not.toContain("four bars");
});

test("branched by the command and from a message's menu: a new thread in the same channel goes on with what was said", async () => {
  const { discord, ana, ben, channel, at } = scene();
  const { id } = ana.say(channel, `${at} the word is heron`);
  const [first] = await world.settled(id, 1);
  ana.say(id, "the number is four");
  await world.settled(id, 2);
  const others = () => discord.threadsIn(channel).filter((thread) => thread.id !== id);
  expect(await ben.menu(first!, "Branch from here")).toBe("answered");
  const line = await world.shows(id, "branched this thread");
  const [opened] = others();
  expect(opened).toMatchObject({ parent: channel.id, name: "the word is heron" });
  expect(line.content).toContain(`/channels/${discord.guild.id}/${opened!.id}`);
  const [starter] = discord.shown(channel).filter((message) => message.id === opened!.id);
  expect(starter?.content).toContain(`/channels/${discord.guild.id}/${id}`);
  ana.say(opened!.id, "which word?");
  await world.shows(opened!.id, "which word?");
  const read = JSON.stringify(world.llm.requests.at(-1)?.body.messages);
  expect(read).toContain("heron");
  expect(read).not.toContain("four");
  expect(await ana.command(opened!.id, "branch")).toBe("answered");
  await world.shows(opened!.id, "branched this thread");
  expect(others()).toHaveLength(2);
});

test("where no thread can be opened one sentence says so: in a direct message, and where the bot may not write", async () => {
  const { discord, ana, channel, at } = scene();
  ana.dm("hello");
  await world.settled(ana.directChannel.id, 1);
  expect(await ana.command(ana.directChannel.id, "branch")).toBe("answered");
  await until(() => discord.whispers(ana.directChannel.id, ana).at(-1)?.includes("is one thread"), {
    what: "Ana is told",
  });
  const { id } = ana.say(channel, `${at} hello`);
  await world.settled(id, 1);
  discord.forbid("SendMessages", channel);
  expect(await ana.command(id, "branch")).toBe("answered");
  const line = await world.shows(id, "could not be branched");
  expect(line.text).toContain("I need the permissions");
  expect(discord.threadsIn(channel)).toHaveLength(1);
});

test("I5: an edit of what was read is a note for the next turn, and a preview is none", async () => {
  const { discord, ana, channel, at } = scene();
  const { id } = ana.say(channel, `${at} hello`);
  await world.settled(id, 1);
  // In the thread, whose events are taken in in their order.
  const said = ana.say(id, "look at https://example.org/pge");
  await world.settled(id, 2);
  const asked = world.llm.requests.length;
  discord.unfurl(said);
  ana.edit(said, "look at https://example.org/page");
  ana.say(id, "and then");
  await world.settled(id, 3);
  expect(world.llm.requests).toHaveLength(asked + 1);
  expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).toContain("example.org/page");
});

test("pitfall 9: the start of the thread is taken and its answer lost: one thread, one answer", async () => {
  const { discord, ana, channel, at } = scene();
  discord.fault(
    "POST /channels/:channel/messages/:message/threads",
    { kind: "lost response" },
    { when: inThread(channel.id) },
  );
  world.llm.script(says("said once"));
  const { id } = ana.say(channel, `${at} say it once`);
  expect(saidIn(await world.settled(id, 1))).toEqual(["said once"]);
  expect(world.replies(id)).toHaveLength(1);
});

test.each([
  { kind: "lost response" },
  { kind: "status after", status: 502 },
  { kind: "status", status: 503 },
  { kind: "unreachable" },
] as const)("pitfall 7: a first post and edits that meet $kind: one whole answer, once", async (fault) => {
  const { discord, ana, channel, at } = scene();
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  discord.gateway.hold();
  const { id } = ana.say(channel, `${at} say it`);
  discord.fault(POST, fault, { when: inThread(id) });
  discord.fault(EDIT, fault, { when: inThread(id) });
  discord.gateway.release();
  await parts.begin(id);
  await world.shows(id, "first half");
  parts.goOn();
  expect(saidIn(await world.settled(id, 1))).toEqual(["first half, second half"]);
  expect(discord.ever(id).filter(({ authorId }) => authorId === discord.botId)).toHaveLength(1);
});

test("pitfall 8: a 429 on the edits: the newest text lands when the time has come, and nothing is written before", async () => {
  const { discord, ana, channel, at } = scene();
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  const { id } = ana.say(channel, `${at} say it`);
  await parts.begin(id);
  discord.fault(EDIT, { kind: "rate limited", retryAfterS: 2 }, { when: inThread(id), times: 2 });
  await until(() => discord.unusedFaults < 2, { what: "the limit was met" });
  parts.goOn();
  expect(saidIn(await world.settled(id, 1))).toEqual(["first half, second half"]);
});

test("an answer that somebody deletes in mid-run is there again, whole and once; a thread that is deleted ends it", async () => {
  const { discord, ana, channel, at } = scene();
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  const { id } = ana.say(channel, `${at} say it`);
  await parts.begin(id);
  discord.remove(await world.shows(id, "first half"));
  parts.goOn();
  expect(saidIn(await world.settled(id, 1))).toEqual(["first half, second half"]);
  const { abandoned } = world.llm;
  const isDeleted = Promise.withResolvers<void>();
  world.llm.script(async (exchange) => {
    await Promise.race([isDeleted.promise, exchange.closed]);
    await eventsThenSilence(delta({ content: "on the way " }))(exchange);
  });
  ana.say(id, "once more");
  await world.shows(id, "Thinking…");
  discord.deleteThread(id);
  isDeleted.resolve();
  await until(() => world.llm.abandoned === abandoned + 1, { what: "the model is left" });
});

test("I15: an archived thread goes on where it was; a locked one ends quietly, with its outcome kept", async () => {
  const { discord, ana, channel, at } = scene();
  const { id } = ana.say(channel, `${at} hello`);
  await world.settled(id, 1);
  discord.archive(id);
  ana.say(id, "still there?");
  await world.settled(id, 2);
  const parts = inTwoParts("first half, ", "second half");
  world.llm.script(parts.answer);
  ana.say(id, "and now?");
  await parts.begin(id);
  discord.archive(id);
  parts.goOn();
  expect(saidIn(await world.settled(id, 3)).at(-1)).toBe("first half, second half");
  discord.lock(id);
  const moderator = discord.person("Mod", { isModerator: true });
  const asked = world.llm.requests.length;
  const posts = world.replies(id).length;
  moderator.say(id, "anybody?");
  await until(() => discord.callsOf(POST).some(({ code }) => code === 160005), { what: "it was refused" });
  expect(world.replies(id)).toHaveLength(posts);
  expect(world.llm.requests.length - asked).toBeLessThanOrEqual(1);
  const sql = await world.sql();
  const runs = (): Promise<readonly { reply: string; reason: string }[]> =>
    sql.query(
      {
        name: "runs-of-a-locked-thread",
        text: "select reply, reason from runs where session like $1 order by n",
      },
      [`%:${id}`],
    );
  await until(async () => (await runs()).every(({ reply }) => reply === "settled"), {
    what: "nothing is tried again",
  });
  expect((await runs()).at(-1)?.reason).toMatch(/cancelled|stop/);
});

test("pitfall 12: what a model writes pings nobody", async () => {
  const { ana, channel, at } = scene();
  world.llm.script(says(`@everyone @here <@${ana.id}> <@&1> done`));
  const { id } = ana.say(channel, `${at} wake them all`);
  await world.shows(id, "done");
  await world.settled(id, 1);
});

test("pitfall 6: a long answer stands whole over several messages, each within the limit", async () => {
  const { ana, channel, at } = scene();
  const paragraphs = Array.from(
    { length: 12 },
    (_, n) => `Paragraph ${n + 1}. ${"It goes on and on. ".repeat(16)}`,
  );
  world.llm.script(says(paragraphs.map((paragraph) => `${paragraph}\n\n`)));
  const { id } = ana.say(channel, `${at} say a lot`);
  await world.shows(id, "Paragraph 12.");
  const text = (await world.settled(id, 2)).map((one) => one.text).join("\n");
  expect(text.match(/Paragraph \d+\./g)).toEqual(paragraphs.map((_, n) => `Paragraph ${n + 1}.`));
  expect(text).not.toContain("Thinking…");
});

test("a goal is set in a thread, and one that is only asked about in a channel says that there is none", async () => {
  const { discord, ana, channel, at } = scene();
  const { invalidRequests } = discord;
  expect(await ana.command(channel, "goal status")).toBe("answered");
  await until(() => discord.whispers(channel, ana).at(-1)?.includes("There is no goal"), {
    what: "Ana is told so",
  });
  const { id } = ana.say(channel, `${at} hello`);
  await world.settled(id, 1);
  world.llm.script(says("The herons are sorted."), says("Nothing is left."));
  expect(await ana.command(id, "goal set", { objective: "sort the herons", turns: 1 })).toBe("answered");
  await world.shows(id, "The herons are sorted.");
  await world.shows(id, "Nothing is left.");
  expect(discord.invalidRequests).toBe(invalidRequests);
});
