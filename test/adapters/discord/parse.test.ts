// Which messages of Discord's are for the bot, in which thread, and what is read of them.
import { MessageType, type APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import {
  parseMessage,
  parseUpdate,
  type Message,
  type Parsed,
  type Reading,
} from "../../../src/adapters/discord/parse.ts";

const bot = { app: "900000000000000009", user: "900000000000000001", name: "Bobbin" };
const role = "900000000000000002";
const guild = "800000000000000001";
const id = "1400000000000000000";
const channel = "1300000000000000000";
const ana = {
  id: "700000000000000001",
  username: "ana",
  global_name: "Ana",
  discriminator: "0",
  avatar: null,
};
const at = `<@${bot.user}>`;

const reading = (kind: Reading["kind"]): Reading => ({
  bot,
  guild: kind === "direct" ? undefined : guild,
  kind,
  role,
  channelName: (asked) => (asked === channel ? "general" : undefined),
});

function message(content: string, more: Partial<Message> = {}): Message {
  const plain: APIMessage = {
    id,
    channel_id: channel,
    author: ana,
    content,
    timestamp: "2026-01-01T00:00:00.000Z",
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    pinned: false,
    type: MessageType.Default,
  };
  return { ...plain, ...more };
}

const outcome = (parsed: Parsed): string => {
  if (parsed.kind === "nothing") return parsed.why;
  if (parsed.kind === "unreadable") return parsed.kind;
  const { inbound } = parsed;
  const addressed = inbound.addressed ? "for the bot" : "in its thread";
  return `${addressed}, ${inbound.session.split(":")[2] === id ? "a new thread" : "where it stands"}`;
};

test.each<[string, Reading["kind"], string, string, Partial<Message>?]>([
  ["a mention in a channel", "text", `${at} hello`, "for the bot, a new thread"],
  ["the older form of a mention", "text", `<@!${bot.user}> hello`, "for the bot, a new thread"],
  ["pitfall 11: the bot's own role", "text", `<@&${role}> hello`, "for the bot, a new thread"],
  ["pitfall 11: another role", "text", "<@&5> hello", "not_for_bot"],
  ["pitfall 11: everybody", "text", "@everyone hello", "not_for_bot", { mention_everyone: true }],
  [
    "pitfall 11: a reply with a ping",
    "text",
    "yes",
    "not_for_bot",
    { type: MessageType.Reply, mentions: [{ ...ana, id: bot.user }] },
  ],
  ["talk in a channel", "text", "hello", "not_for_bot"],
  ["a reply in a thread", "thread", "hello", "in its thread, where it stands"],
  ["a mention in a thread", "thread", `and ${at}?`, "for the bot, where it stands"],
  ["a reply to another person", "thread", "<@5> look", "to_another"],
  ["an aside", "thread", " (aside) slow today", "aside"],
  ["a direct message", "direct", "hello", "for the bot, where it stands"],
  ["the chat of a voice channel, with a mention", "talk", `${at} hello`, "for the bot, where it stands"],
  ["the chat of a voice channel, without one", "talk", "hello", "not_for_bot"],
  ["pitfall 13: another bot", "thread", "hello", "other_bot", { author: { ...ana, bot: true } }],
  ["pitfall 13: a webhook", "thread", "hello", "other_bot", { webhook_id: "5" }],
  ["the bot itself", "thread", "hello", "own", { author: { ...ana, id: bot.user } }],
  ["a system message", "thread", "", "system", { type: MessageType.ThreadStarterMessage }],
  ["what cannot be read", "thread", "", "unreadable"],
  [
    "a sticker alone",
    "thread",
    "",
    "in its thread, where it stands",
    { sticker_items: [{ id: "1", name: "wave", format_type: 1 }] },
  ],
])("%s", (_, kind, content, expected, more) => {
  expect(outcome(parseMessage(message(content, more), reading(kind)))).toBe(expected);
});

test.each<[string, Partial<Message>]>([
  ["another bot", { author: { ...ana, bot: true }, member: { roles: [] } }],
  ["a webhook, whatever it is called", { webhook_id: "5" }],
])("pitfall 13: %s that mentions ours is told as a bot", (_, more) => {
  const parsed = parseMessage(message(`${at} hello`, more), reading("text"));
  expect(parsed).toMatchObject({ kind: "inbound", inbound: { author: { name: "Ana", kind: "bot" } } });
});

test("who writes is told with their roles, and a thread with the channel in which it hangs", () => {
  const inboundIn = (from: Partial<Reading>, more: Partial<Message> = {}) => {
    const parsed = parseMessage(message(`${at} hello`, more), { ...reading("thread"), ...from });
    if (parsed.kind !== "inbound") return expect.unreachable();
    return parsed.inbound;
  };
  const member = { roles: ["R1", "R2"], permissions: "8" };
  const inThread = inboundIn({ parent: "C1" }, { member });
  expect(inThread).toMatchObject({ where: { parent: "C1" } });
  expect(inThread.author).toEqual({
    id: ana.id,
    name: "Ana",
    kind: "member",
    roles: ["R1", "R2"],
    isPlatformAdmin: true,
  });
  expect(inboundIn({ kind: "text" }).where).toEqual({ parent: channel });
  // Out of a history nobody has roles, which is not the same as none.
  expect(inboundIn({}).author).not.toHaveProperty("roles");
  const direct = inboundIn({ kind: "direct", guild: undefined });
  expect(direct).toMatchObject({ where: { isDirect: true }, author: { roles: [], isPlatformAdmin: false } });
});

test("the text is read as people see it, without the bot's name in front; what was forwarded is quoted", () => {
  const {
    parts,
    author,
    at: time,
  } = inboundOf(
    parseMessage(
      message(`${at}, ask <@700000000000000001> in <#${channel}> <:smile:123456>`, {
        mentions: [ana],
        message_snapshots: [{ message: { ...message("quoted words"), content: "quoted words" } }],
      }),
      reading("text"),
    ),
  );
  expect(parts).toEqual([
    { kind: "text", text: "ask @Ana in #general :smile:" },
    { kind: "text", text: "Forwarded:\n> quoted words" },
  ]);
  expect(author).toEqual({ id: ana.id, name: "Ana", kind: "member" });
  expect(new Date(time).getUTCFullYear()).toBe(2025);
});

test("a thread is called by the first words, or by the bot's name where there are none", () => {
  const nameOf = (content: string): string | undefined => {
    const parsed = parseMessage(message(content), reading("text"));
    return parsed.kind === "inbound" ? parsed.place?.name : undefined;
  };
  expect(nameOf(`${at} what   about\nthis`)).toBe("what about this");
  expect(nameOf(at)).toBe("A talk with Bobbin");
  expect(nameOf(`${at} ${"long ".repeat(60)}`)?.length).toBeLessThanOrEqual(100);
});

test("an edit is one only with a time of editing, and the same for two deliveries", () => {
  const edited = message(`${at} other words`, { edited_timestamp: "2026-01-01T00:01:00.000Z" });
  const [one, two] = [parseUpdate(edited, reading("text")), parseUpdate(edited, reading("text"))];
  expect(one).toEqual(two);
  expect(inboundOf(one).kind).toBe("edit");
  expect(parseUpdate(message(`${at} a preview came`), reading("text"))).toEqual({
    kind: "nothing",
    why: "unchanged",
  });
});

test("an edit whose words are for others by now says so", () => {
  const isAside = (content: string, kind: Reading["kind"] = "thread"): boolean => {
    const edited = message(content, { edited_timestamp: "2026-01-01T00:01:00.000Z" });
    const inbound = inboundOf(parseUpdate(edited, reading(kind)));
    return inbound.kind === "edit" && inbound.isAside === true;
  };
  const forOthers = ["(aside) never mind", "<@700000000000000002> never mind"];
  expect(forOthers.map((content) => isAside(content))).toEqual([true, true]);
  const forTheBot = ["never mind", `${at} never mind`, "I told <@700000000000000002>"];
  expect(forTheBot.map((content) => isAside(content))).toEqual([false, false, false]);
  expect(isAside("<@700000000000000002> says hello", "direct")).toBe(false);
});

function inboundOf(parsed: Parsed) {
  if (parsed.kind !== "inbound" || !("parts" in parsed.inbound)) throw new Error(`it is ${parsed.kind}`);
  return parsed.inbound;
}
