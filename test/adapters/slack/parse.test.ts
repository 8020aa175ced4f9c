import { expect, test } from "vitest";
import type { Facts } from "../../../src/adapters/slack/people.ts";
import { parseEvent, peopleIn, peopleOf, type Parsed } from "../../../src/adapters/slack/parse.ts";
import { fieldsOf, type Payload } from "../../../src/adapters/slack/payload.ts";
import type { Part } from "../../../src/core/part.ts";
import { bot, recorded, recordedNames } from "./recorded.ts";

const names: Readonly<Record<string, string>> = { U1: "Ana", U2: "Ben", U8: "Guest", UBOT: "Bobbin" };
const parse = (envelope: Payload): Parsed => parseEvent(envelope, bot, (user) => names[user]);

function inboundOf(envelope: Payload) {
  const parsed = parse(envelope);
  if (parsed.kind !== "inbound") throw new Error(`expected an inbound, got ${JSON.stringify(parsed)}`);
  return parsed.inbound;
}

function partsOf(envelope: Payload): readonly Part[] {
  const inbound = inboundOf(envelope);
  return inbound.kind === "delete" ? [] : inbound.parts;
}

const text = (said: string): Part => ({ kind: "text", text: said });
const saying = (said: string, name = "direct"): Payload => recorded(name, { text: said, blocks: [] });

test("I1 the mention and the message of one post are one and the same inbound", () => {
  const message = inboundOf(recorded("mention_message"));
  expect(inboundOf(recorded("mention"))).toEqual(message);
  expect(message).toEqual({
    v: 1,
    kind: "message",
    id: "slack/A1/T1/C1/message/1718000001.000100",
    session: "slack:T1:C1:1718000001.000100",
    author: { id: "U1", name: "Ana" },
    at: 1_718_000_001_000,
    addressed: true,
    message: "1718000001.000100",
    parts: [text("how late is it?")],
  });
});

test("pitfall 11: the copies of a post in a channel shared with another workspace are one, whatever team they name", () => {
  const mention = inboundOf(recorded("connect_mention"));
  expect(mention.session).toBe("slack:T1:C1:1718000001.000100");
  expect(inboundOf(recorded("connect_message"))).toEqual(mention);
});

test.each([
  ["thread_reply", "slack:T1:C1:1718000001.000100", false],
  ["thread_mention", "slack:T1:C1:1718000001.000100", true],
  ["direct", "slack:T1:D1:1718000001.000100", true],
  ["direct_reply", "slack:T1:D1:1718000001.000100", true],
  ["group_mention", "slack:T1:G1:1718000001.000100", true],
])("%s belongs to the thread of its root (%s), addressed: %s", (name, session, addressed) => {
  expect(inboundOf(recorded(name))).toMatchObject({ kind: "message", session, addressed });
});

test.each(["other_bot", "old_bot"])(
  "another bot that mentions ours (%s) is told as one, and is told nothing itself",
  (name) => {
    const parsed = parse(recorded(name));
    expect(parsed).toMatchObject({ kind: "inbound", inbound: { author: { name: "ci", kind: "bot" } } });
    expect(parsed).not.toHaveProperty("answerAt");
    const aside = parse(recorded(name, { text: "deployed", blocks: [] }));
    expect(aside).toEqual({ kind: "nothing", why: "other_bot" });
    // A bot gives no commands, whoever it is.
    expect(parse(recorded(name, { text: "<@UBOT> reset", blocks: [] }))).toMatchObject({ kind: "inbound" });
  },
);

test("I7: the bot of the same app on the other side of a shared channel is our own, whoever lets other bots in", () => {
  for (const name of ["other_bot", "old_bot"])
    expect(parse(recorded(name, { app_id: "A1" }))).toEqual({ kind: "nothing", why: "own" });
  expect(parse(recorded("other_bot", { app_id: "A9" }))).toMatchObject({ kind: "inbound" });
});

test("an event's id may be that of another event of another app", () => {
  const idOf = (app: string) => {
    const parsed = parse({ ...recorded("stopped"), api_app_id: app });
    return parsed.kind === "command" ? parsed.asked.id : parsed;
  };
  expect(idOf("A1")).not.toBe(idOf("A2"));
  expect(idOf("A1")).toBe(idOf("A1"));
});

test("in a shared channel whoever is not known to be a colleague is told as of another company", () => {
  const kindOf = (event: string, facts?: Facts) => {
    const parsed = parseEvent(
      recorded(event),
      bot,
      () => undefined,
      () => facts,
    );
    return parsed.kind === "inbound" ? parsed.inbound.author.kind : parsed;
  };
  const facts = { team: "T1", isStranger: false, isGuest: false, isBot: false };
  expect(kindOf("connect_mention")).toBe("external");
  expect(kindOf("connect_mention", { ...facts, team: "T8" })).toBe("external");
  expect(kindOf("connect_mention", facts)).toBe("member");
  expect(kindOf("connect_message", facts)).toBe("external");
  expect(kindOf("mention", { ...facts, isStranger: true })).toBe("external");
  expect(kindOf("mention", { ...facts, isGuest: true })).toBe("guest");
  expect(kindOf("mention")).toBe(undefined);
});

test("in an organisation's install people of all its workspaces are colleagues, and only Slack says who is not", () => {
  const kindOf = (facts: Facts) => {
    const parsed = parseEvent(
      recorded("org_install", { user_team: "T8" }),
      { ...bot, space: "E1" },
      () => undefined,
      () => facts,
    );
    return parsed.kind === "inbound" ? parsed.inbound.author.kind : parsed;
  };
  const facts = { team: "T8", isStranger: false, isGuest: false, isBot: false };
  expect(kindOf(facts)).toBe("member");
  expect(kindOf({ ...facts, isStranger: true })).toBe("external");
});

test("I9 a reply that was also sent to the channel is one message of its thread", () => {
  const inbound = inboundOf(recorded("broadcast"));
  expect(inbound).toMatchObject({ session: "slack:T1:C1:1718000001.000100", addressed: true });
  expect(inbound.id).toBe(inboundOf(recorded("thread_mention")).id);
});

test.each([
  ["channel_talk", "not_for_bot"],
  ["group_talk", "not_for_bot"],
  ["own", "own"],
  ["own_edit", "own"],
  ["own_delete", "own"],
  ["join", "system"],
  ["slackbot", "system"],
  ["replied", "system"],
  ["unfurl", "unchanged"],
  ["channel_edit", "not_for_bot"],
  ["rate_limited", "malformed"],
])("I7 I23 %s is nothing for the bot: %s", (name, why) => {
  expect(parse(recorded(name))).toEqual({ kind: "nothing", why });
});

test("what is addressed to another person or said aside is not for the bot, in its own threads too", () => {
  expect(parse(saying("<@U2> have a look", "thread_reply"))).toEqual({ kind: "nothing", why: "to_another" });
  expect(parse(saying("(aside) it is wrong", "thread_reply"))).toEqual({ kind: "nothing", why: "aside" });
  expect(parse(saying("(Aside) <@UBOT> is wrong", "thread_reply"))).toEqual({
    kind: "nothing",
    why: "aside",
  });
  expect(inboundOf(saying("<@U2> look, <@UBOT> what is this?", "thread_reply")).addressed).toBe(true);
  expect(inboundOf(saying("what does <@U2> mean?", "thread_reply")).addressed).toBe(false);
  expect(inboundOf(saying("<@U2> is my manager")).addressed).toBe(true);
});

test("a mention that stands only in the blocks counts, wherever it is nested", () => {
  const user = { type: "user", user_id: "UBOT" };
  const blocks = [
    {
      type: "rich_text",
      elements: [{ type: "rich_text_list", elements: [{ type: "rich_text_section", elements: [user] }] }],
    },
  ];
  expect(inboundOf(recorded("channel_talk", { blocks })).addressed).toBe(true);
});

test("I8 a file without a text is a turn with the file", () => {
  expect(partsOf(recorded("file_only"))).toEqual([
    { kind: "file", id: "F1", name: "plan.pdf", mimeType: "application/pdf", bytes: 12_345 },
  ]);
});

test("I19 a message's text and all its files come together", () => {
  const files = [{ id: "F1", name: "a.png", mimetype: "image/png", size: 1 }, { id: "F2" }];
  expect(partsOf(recorded("mention", { files }))).toEqual([
    text("how late is it?"),
    { kind: "file", id: "F1", name: "a.png", mimeType: "image/png", bytes: 1 },
    { kind: "file", id: "F2", name: "file", mimeType: "application/octet-stream" },
  ]);
});

test("I14 a forwarded message is read, marked as written by somebody else", () => {
  expect(partsOf(recorded("forwarded"))).toEqual([
    text(
      "Forwarded, written by Ben (https://team.slack.example/archives/C7/p1717000000000100):\n> please review",
    ),
  ]);
  expect(partsOf(recorded("forwarded_with_words"))).toEqual([
    text("what does he want?"),
    text("Forwarded, written by Ben:\n> first line\n> second <line>"),
    { kind: "file", id: "F2", name: "x.png", mimeType: "image/png", bytes: 7 },
  ]);
});

test("a message that is only the mention, or nothing at all, says so to the model", () => {
  for (const said of ["<@UBOT>", "  <@UBOT|bobbin>: ", ""]) {
    expect(partsOf(saying(said, "mention"))).toEqual([{ kind: "note", text: expect.any(String) }]);
  }
  expect(partsOf(recorded("direct", { text: undefined }))).toHaveLength(1);
});

test("I5 an edit of what a person wrote is an edit of that message, each one once, and never a new turn", () => {
  const edit = inboundOf(recorded("edit"));
  expect(edit).toMatchObject({
    kind: "edit",
    session: "slack:T1:C1:1718000001.000100",
    message: "1718000001.000100",
    addressed: false,
    at: 1_718_000_090_000,
    parts: [text("how late is it now?")],
  });
  expect(inboundOf(recorded("edit")).id).toBe(edit.id);
  expect(edit.id).not.toBe(inboundOf(recorded("mention")).id);
  const edited = { user: "U1", ts: "1718000090.000000" };
  expect(inboundOf(recorded("mention", { edited })).id).toBe(inboundOf(recorded("mention")).id);
});

test("an edit whose words are for others by now says so", () => {
  const isAside = (said: string): boolean => {
    const event = recorded("edit");
    const message = { ...fieldsOf(fieldsOf(event["event"])["message"]), thread_ts: "1717000000.000100" };
    const inbound = inboundOf(recorded("edit", { message: { ...message, text: said, blocks: [] } }));
    return inbound.kind === "edit" && inbound.isAside === true;
  };
  expect(["(aside) never mind", "<@U2> never mind"].map(isAside)).toEqual([true, true]);
  expect(["never mind", "<@UBOT> never mind", "I told <@U2>"].map(isAside)).toEqual([false, false, false]);
});

test("a deleted message is a delete of it; so is a root whose text Slack takes away because it has replies", () => {
  expect(inboundOf(recorded("delete"))).toMatchObject({
    kind: "delete",
    session: "slack:T1:C1:1718000001.000100",
    message: "1718000050.000200",
    author: { id: "U1", name: "Ana" },
  });
  expect(inboundOf(recorded("tombstone"))).toMatchObject({ kind: "delete", message: "1718000001.000100" });
});

test.each([
  ["<@UBOT> stop", "thread_reply", "stop"],
  ["<@UBOT>  /stop ", "thread_reply", "stop"],
  ["stop <@UBOT>", "thread_reply", "stop"],
  ["<@UBOT>: Reset", "thread_mention", "reset"],
  ["<@UBOT|bobbin> queue", "group_mention", "queue"],
  ["status", "direct_reply", "status"],
])("G10 %s in %s is the command %s at once, and no message", (said, name, command) => {
  expect(parse(saying(said, name))).toMatchObject({ kind: "command", asked: { command: { name: command } } });
});

test("G10 a sentence that holds a command's word, and a bare word among people, are messages", () => {
  expect(inboundOf(saying("<@UBOT> stop the deployment please", "thread_reply")).kind).toBe("message");
  expect(inboundOf(saying("stop", "thread_reply"))).toMatchObject({ kind: "message", addressed: false });
  expect(inboundOf(saying("<@UBOT> <@U2> stop", "thread_reply")).kind).toBe("message");
});

test("a command is answered where it was asked: in its thread, or in the channel for one that stands there", () => {
  const asked = (envelope: Payload) => {
    const parsed = parse(envelope);
    return parsed.kind === "command" ? parsed.asked : undefined;
  };
  expect(asked(saying("<@UBOT> stop", "thread_reply"))).toMatchObject({
    id: "slack/A1/T1/C1/command/1718000050.000200",
    answerAt: { channel: "C1", user: "U1", thread: "1718000001.000100" },
  });
  expect(asked(saying("<@UBOT> help", "mention"))?.answerAt).toEqual({ channel: "C1", user: "U1" });
});

test("Slack's own Stop is a stop of its thread, and Slack shows what comes of it", () => {
  expect(parse(recorded("stopped"))).toEqual({
    kind: "command",
    asked: {
      command: { name: "stop" },
      session: "slack:T1:C1:1718000001.000100",
      author: { id: "U2", name: "Ben" },
      id: "slack/A1/T1/C1/command/Ev0099",
      at: 1_718_000_095_001,
      hasPlatformTime: true,
    },
  });
});

test.each([
  ["if a &lt; b &amp;&amp; c", "if a < b && c"],
  ["&lt;@U1&gt; and &lt;!channel&gt;", "<@U1> and <!channel>"],
  ["&amp;lt;", "&lt;"],
  ["ask <@U2> or <@U9|nina> or <@U7>", "ask @Ben or @nina or @U7"],
  ["in <#C1|general> and <#C2>", "in #general and #C2"],
  ["<!here> <!subteam^S1|@writers> <!subteam^S2>", "@here @writers @S2"],
  ["<!date^1392734382^{date}|18 February>", "18 February"],
  ["<https://a.example/?x=1&amp;y=2>", "https://a.example/?x=1&y=2"],
  ["<https://a.example|the page> <http://b.example|b.example>", "[the page](https://a.example) b.example"],
  ["<http://b.example|b.example>", "b.example"],
  ["<mailto:a@b.example|a@b.example>", "a@b.example"],
  ["say <@UBOT> twice", "say @Bobbin twice"],
])("I18 %s is read as %s", (written, read) => {
  expect(partsOf(saying(written))).toEqual([text(read)]);
});

test("I18 text that only looks like a mention of the bot addresses nobody", () => {
  expect(inboundOf(saying("&lt;@UBOT&gt; hm", "thread_reply")).addressed).toBe(false);
});

test("the names that a message needs are those of its author and of whom it mentions", () => {
  expect(peopleIn(saying("<@UBOT> ask <@U2> and <@U2>"))).toEqual(["U1", "UBOT", "U2"]);
  expect(peopleIn(recorded("edit"))).toEqual(["U1", "UBOT"]);
  const many = Array.from({ length: 800 }, (_, at) => `<@U${1_000 + at}>`).join(" ");
  expect(peopleIn(saying(many))).toHaveLength(21);
  expect(inboundOf(recorded("direct", { user: "U404" })).author).toEqual({ id: "U404", name: "U404" });
});

test("of messages that are read together each has names for some of whom it mentions, and the newest for theirs first", () => {
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `U${from + at}`);
  const naming = (people: readonly string[]) => ({
    user: "UANA",
    text: people.map((id) => `<@${id}>`).join(" "),
  });
  const [first, second] = [ids(1_000, 30), ids(2_000, 2)];
  expect(peopleOf([naming(first), naming(second)])).toEqual(["UANA", ...second, ...first.slice(0, 20)]);
  const many = Array.from({ length: 10 }, (_, at) => ids(1_000 * (at + 1), 15));
  const known = peopleOf(many.map(naming));
  expect(known).toHaveLength(50);
  expect(known.slice(1, 16)).toEqual(many.at(-1));
  expect(known).not.toContain("U1000");
  const authors = ids(9_000, 60);
  expect(peopleOf(authors.map((user) => ({ user, text: "<@U1>" })))).toEqual(authors);
});

const hostile = [undefined, null, 7, "", "x:y", "../C1", [], {}, "\u0000", "1718000001"];
const fields = [
  "channel",
  "user",
  "ts",
  "thread_ts",
  "text",
  "blocks",
  "files",
  "attachments",
  "message",
  "subtype",
];

test("whatever is missing or of another type, parsing gives an answer and never throws", () => {
  for (const name of recordedNames) {
    for (const field of fields) {
      for (const value of hostile) expect(() => parse(recorded(name, { [field]: value }))).not.toThrow();
    }
  }
  for (const value of hostile) expect(parse({ event: value }).kind).toBe("nothing");
});

test("ids that could escape into another id are malformed", () => {
  expect(parse(recorded("mention", { channel: "C1:x" }))).toEqual({ kind: "nothing", why: "malformed" });
  expect(parse(recorded("mention", { thread_ts: "1/2" }))).toEqual({ kind: "nothing", why: "malformed" });
});
