// What was said in the local Slack, read back.
import { afterEach, describe, expect, test } from "vitest";
import { outboundWorld, type OutboundWorld } from "./outbound-world.ts";
import { conversationIn } from "./read-back.ts";

let world: OutboundWorld;
afterEach(() => world[Symbol.asyncDispose]());

const never = new AbortController().signal;

const thread = (limit: number, beforeId?: string) =>
  ({ where: "thread", limit, ...(beforeId === undefined ? {} : { beforeId }) }) as const;

describe("a conversation in Slack", () => {
  test("has its speakers by name, bots marked, mentions and links in plain words, files named", async () => {
    world = await outboundWorld();
    const { slack, channel, ana, root } = world;
    const bo = slack.person("bo");
    const ci = slack.otherBot("ci");
    bo.say(channel, `${ana.mention} see <https://example.org/?a=1&amp;b=2|the docs> &amp; try`, {
      thread: root,
    });
    ci.say(channel, "build failed", { thread: root });
    ana.say(channel, "a log", { thread: root, files: [slack.file(ana, "build.log", "boom")] });
    await world.surface.post("key-1", { markdown: "I see", buttons: [] });
    const zoe = slack.person("zoe", { teamId: "TOTHER" });
    channel.members.add(zoe.id);
    zoe.say(channel, "hi from Other", { thread: root });
    const last = ana.say(channel, `${slack.botMention} and now?`, { thread: root });
    ana.say(channel, "later", { thread: root });
    const { messages, isPartial } = await conversationIn(world).read(
      world.session,
      thread(50, last.ts),
      never,
    );
    expect(isPartial).toBe(false);
    expect(messages.map(({ speaker, isBot, text }) => `${speaker}${isBot ? " (bot)" : ""}: ${text}`)).toEqual(
      [
        "ana: @bobbin hello",
        "bo: @ana see [the docs](https://example.org/?a=1&b=2) & try",
        "ci (bot): build failed",
        "ana: a log\n[file build.log]",
        "bobbin (bot): I see",
        "zoe (of another company): hi from Other",
      ],
    );
    expect(messages[0]).toMatchObject({ id: root.ts, at: Math.round(Number(root.ts) * 1000) });
  });

  test("leaves out the reply that is still being written", async () => {
    world = await outboundWorld();
    const { surface, session } = world;
    await surface.post("key-1", { markdown: "settled", buttons: [] });
    const button = { action: "stop", label: "Stop", value: "run" } as const;
    await surface.post("key-2", { markdown: "", status: "Thinking", buttons: [button] });
    const { messages } = await conversationIn(world).read(session, thread(50), never);
    expect(messages.map(({ text }) => text)).toEqual(["@bobbin hello", "settled"]);
  });

  test("of a long thread keeps the root and the newest, over several pages", async () => {
    world = await outboundWorld();
    const { channel, ana, root, session } = world;
    for (let index = 0; index < 410; index++) ana.say(channel, `m${index}`, { thread: root });
    const { messages, isPartial } = await conversationIn(world).read(session, thread(4), never);
    expect(messages.map(({ text }) => text)).toEqual(["@bobbin hello", "m407", "m408", "m409"]);
    expect(isPartial).toBe(true);
    const short = await conversationIn(world, 1).read(session, thread(1_000), never);
    expect(short.messages).toHaveLength(201);
    expect(short.isPartial).toBe(true);
  });

  test("of a channel is what stands in it, newest last", async () => {
    world = await outboundWorld();
    const { channel, ana, root, session } = world;
    ana.say(channel, "in the thread", { thread: root });
    ana.say(channel, "one");
    const two = ana.say(channel, "two");
    ana.say(channel, "three");
    const read = async (limit: number, beforeId?: string) => {
      const options = { ...thread(limit, beforeId), where: "channel" } as const;
      return (await conversationIn(world).read(session, options, never)).messages.map(({ text }) => text);
    };
    expect(await read(2)).toEqual(["two", "three"]);
    expect(await read(10, two.ts)).toEqual(["@bobbin hello", "one"]);
  });

  test("is read in what a restricted app gets, and a second page is not asked for", async () => {
    world = await outboundWorld({ rateLimits: { distribution: "distributed" } });
    const { channel, ana, root, session, slack } = world;
    for (let index = 0; index < 40; index++) ana.say(channel, `m${index}`, { thread: root });
    const conversation = conversationIn(world);
    const first = await conversation.read(session, thread(50), never);
    expect(first.messages.length).toBeGreaterThan(0);
    await expect(conversation.read(session, thread(50), never)).rejects.toThrow("rate_limited");
    expect(slack.callsOf("conversations.replies").length).toBeLessThanOrEqual(2);
  });

  test("that may not be read, or not any more, is an error and no empty answer", async () => {
    world = await outboundWorld();
    world.slack.app.scopes.delete("channels:history");
    await expect(conversationIn(world).read(world.session, thread(5), never)).rejects.toThrow(
      "missing_scope",
    );
    await expect(conversationIn(world).read(world.session, thread(5), AbortSignal.abort())).rejects.toThrow();
  });
});
