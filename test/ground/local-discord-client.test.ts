// The real discord.js against the local Discord: what it needs to be ready, what it sees, and what it may not do.
import {
  Client,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  MessageFlags,
  Partials,
  type Message,
} from "discord.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalDiscord, type LocalDiscord } from "../support/discord/local-discord.ts";
import { until } from "../support/until.ts";

let discord: LocalDiscord;
let client: Client<true>;
const heard: Message[] = [];

const intents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];

async function connect(options: { readonly retries?: number } = {}): Promise<Client<true>> {
  const made = new Client({
    intents,
    partials: [Partials.Channel, Partials.Message],
    rest: { api: discord.apiUrl, ...options },
  });
  made.on(Events.Error, () => undefined);
  made.on(Events.MessageCreate, (message) => void heard.push(message));
  await made.login(discord.token);
  await until(() => made.isReady(), { what: "the client is ready" });
  return made as Client<true>;
}

beforeEach(async () => {
  heard.length = 0;
  discord = await createLocalDiscord();
  discord.channel("general");
  client = await connect();
});

afterEach(async () => {
  await client.destroy();
  await discord.close();
});

const hears = (content: string): Promise<Message> =>
  until(() => heard.find((message) => message.content === content), { what: `${content} is heard` });

async function codeOf(work: Promise<unknown>): Promise<number | string> {
  const error: unknown = await work.then(
    () => new Error("it was done"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof DiscordAPIError) return error.code;
  throw error;
}

test("it logs in with one request and one identify, and knows its guild", () => {
  expect(discord.calls.map(({ route }) => route)).toEqual(["GET /gateway/bot"]);
  expect(discord.gateway.identifies.map((one) => one.intents)).toEqual([37_377]);
  expect(client.guilds.cache.map(({ name }) => name)).toEqual(["Home"]);
  expect(client.guilds.cache.first()?.members.me?.permissions.has("SendMessagesInThreads")).toBe(true);
});

test("a mention starts a thread whose id is the message's; a second start says that it is there; replies come in it", async () => {
  const ana = discord.person("Ana");
  const said = ana.say("general", `${discord.botMention} hello`);
  const message = await hears(`${discord.botMention} hello`);
  expect(message.mentions.has(client.user)).toBe(true);
  const thread = await message.startThread({ name: "hello" });
  expect(thread.id).toBe(said.id);
  const again = client.rest.post(`/channels/${said.channel}/messages/${said.id}/threads`, {
    body: { name: "x" },
  });
  expect(await codeOf(again)).toBe(160004);
  const answer = await thread.send("an answer");
  await answer.edit("another answer");
  ana.say(thread.id, "thanks");
  expect((await hears("thanks")).channelId).toBe(thread.id);
  expect(discord.shown(thread.id).map(({ text }) => text)).toEqual(["", "another answer", "thanks"]);
  expect(discord.botOutsideOfThreads()).toEqual([]);
  const history = await thread.messages.fetch();
  expect(history.map(({ type }) => type)).toEqual([0, 0, 21]);
});

test("a direct message and a forum's post are heard, the post with its channel's id", async () => {
  const ana = discord.person("Ana");
  ana.dm("quietly");
  expect((await hears("quietly")).inGuild()).toBe(false);
  const forum = discord.channel("ideas", "forum");
  const post = ana.publish(forum, "An idea", "what about this");
  const message = await hears("what about this");
  expect([message.id, message.channelId]).toEqual([post.id, post.id]);
});

test("the same nonce is the same message while it is fresh, and unknown once that was deleted", async () => {
  const said = discord.person("Ana").dm("hello");
  const channel = await client.channels.fetch(said.channel);
  if (!channel?.isSendable()) throw new Error("cannot send");
  const send = () => channel.send({ content: "once", nonce: "a-nonce", enforceNonce: true });
  const first = await send();
  expect((await send()).id).toBe(first.id);
  await first.delete();
  expect(await codeOf(send())).toBe(10008);
  const tooLong = channel.send({ content: "x", nonce: "x".repeat(26) });
  expect(await codeOf(tooLong)).toBe(50035);
});

test("what Discord refuses is refused: length, emptiness, archived and locked threads, missing permissions", async () => {
  const ana = discord.person("Ana");
  const said = ana.say("general", `${discord.botMention} hello`);
  const message = await hears(`${discord.botMention} hello`);
  const thread = await message.startThread({ name: "hello" });
  const answer = await thread.send("an answer");
  expect(await codeOf(thread.send("x".repeat(2_001)))).toBe(50035);
  expect(await codeOf(thread.send(" \n"))).toBe(50006);
  discord.archive(said.id);
  expect(await codeOf(answer.edit("later"))).toBe(50083);
  await thread.send("back again");
  expect(discord.threadNamed(said.id)?.thread?.isArchived).toBe(false);
  discord.lock(said.id);
  expect(await codeOf(thread.send("locked"))).toBe(160005);
  expect(() => ana.say(said.id, "locked")).toThrow("is locked");
  const secret = discord.channel("secret");
  discord.forbid("ViewChannel", secret);
  expect(await codeOf(client.rest.get(`/channels/${secret.id}`))).toBe(50001);
  discord.forbid("SendMessages");
  const general = discord.channel("general").id;
  expect(await codeOf(client.rest.post(`/channels/${general}/messages`, { body: { content: "x" } }))).toBe(
    50013,
  );
  discord.forbid("ReadMessageHistory");
  expect(await client.rest.get(`/channels/${general}/messages`)).toEqual([]);
  expect(discord.complaints).toEqual([expect.stringContaining("form: POST /channels/:channel/messages")]);
});

test("a ping that nobody asked for is complained about, on a post and on an edit that does not say otherwise", async () => {
  const ana = discord.person("Ana");
  ana.dm("hello");
  const { channel } = await hears("hello");
  if (!channel.isSendable()) throw new Error("cannot send");
  const quiet = await channel.send({ content: ana.mention, allowedMentions: { parse: [] } });
  expect(discord.complaints).toEqual([]);
  await client.rest.patch(`/channels/${channel.id}/messages/${quiet.id}`, {
    body: { content: `${ana.mention}!` },
  });
  expect(discord.complaints).toEqual([`ping: an edit pings ${ana.id}`]);
});

test("six posts at once: five go, the sixth waits for its turn, and nothing was refused", async () => {
  discord.person("Ana").dm("hello");
  const { channel } = await hears("hello");
  if (!channel.isSendable()) throw new Error("cannot send");
  for (const word of ["1", "2", "3", "4", "5"]) await channel.send(word);
  const waited = Promise.withResolvers<number>();
  client.rest.on("rateLimited", ({ timeToReset }) => waited.resolve(timeToReset));
  await channel.send("6");
  expect(await waited.promise).toBeGreaterThan(0);
  expect(discord.invalidRequests).toBe(0);
});

test("commands are registered, commanded, deferred and answered for one person; a second answer is one too many", async () => {
  const ana = discord.person("Ana");
  await client.application.commands.set([{ name: "status", description: "what goes on" }]);
  const errors: (number | string)[] = [];
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    const answer = async (): Promise<void> => {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      errors.push(
        await codeOf(
          client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
            body: { type: 5 },
            auth: false,
          }),
        ),
      );
      await interaction.editReply("all is well");
      await interaction.followUp({ content: "and more", flags: MessageFlags.Ephemeral });
    };
    answer().catch((error: unknown) => errors.push(String(error)));
  });
  expect(await ana.command("general", "status")).toBe("answered");
  const channel = discord.channel("general");
  await until(() => discord.whispers(channel, ana).length === 2, { what: "Ana is told" });
  expect(discord.whispers(channel, ana)).toEqual(["all is well", "and more"]);
  expect(discord.whispers(channel, discord.person("Ben"))).toEqual([]);
  expect(errors).toEqual([40060]);
  expect(discord.complaints).toEqual([]);
});

test("a button's click comes with its id; without an answer in three seconds it has failed", async () => {
  const ana = discord.person("Ana");
  ana.dm("hello");
  const { channel } = await hears("hello");
  const button = { type: 2, style: 2, label: "Stop", custom_id: "stop:1" };
  await client.rest.post(`/channels/${channel.id}/messages`, {
    body: { content: "here", components: [{ type: 1, components: [button] }] },
  });
  const clicked = Promise.withResolvers<string>();
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isButton()) clicked.resolve(interaction.customId);
  });
  const shown = discord.shown(channel.id).at(-1)!;
  expect(await ana.click(shown, "Stop")).toBe("failed");
  expect(await clicked.promise).toBe("stop:1");
  expect(discord.complaints).toEqual([
    expect.stringMatching(/^interaction: .* was not answered within 3 s$/),
  ]);
});

test("a connection that breaks is resumed with what was missed; one that was ended loses it", async () => {
  const ana = discord.person("Ana");
  discord.gateway.cut("terminate");
  await until(() => discord.gateway.connected === 0, { what: "the socket is gone" });
  ana.dm("in between");
  await hears("in between");
  expect(discord.gateway.identifies).toHaveLength(1);
  discord.gateway.cut(1000);
  await until(() => discord.gateway.connected === 0, { what: "the socket is gone" });
  ana.dm("lost");
  await until(() => discord.gateway.connected === 1, { what: "it is there again" });
  ana.dm("and back");
  await hears("and back");
  expect(heard.map(({ content }) => content)).toEqual(["in between", "and back"]);
});

test("without the intent in the portal the login is refused", async () => {
  discord.gateway.mayReadContent = false;
  const other = new Client({ intents, rest: { api: discord.apiUrl } });
  other.on(Events.Error, () => undefined);
  await expect(other.login(discord.token)).rejects.toThrow("Used disallowed intents");
  await other.destroy();
});
