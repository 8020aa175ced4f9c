// The local Slack's Web API, held against the real WebClient.
import { WebAPIHTTPError, WebAPIRateLimitedError, WebAPIRequestError, type KnownBlock } from "@slack/web-api";
import { expect, test } from "vitest";
import { refusal, webClient as client } from "../support/slack/bolt.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";
import { until } from "../support/until.ts";

const quiet = { unfurl_links: false, unfurl_media: false };

test("a token, its scopes and its kind are checked", async () => {
  await using slack = await createLocalSlack({ scopes: ["chat:write", "channels:history"] });
  const channel = slack.channel("general").id;
  const web = client(slack);
  const who = await web.auth.test();
  expect(who).toMatchObject({ user_id: slack.app.botUserId, bot_id: slack.app.botId, team_id: slack.teamId });
  expect(who.response_metadata?.scopes).toEqual(["chat:write", "channels:history"]);
  expect(await refusal(client(slack, "xoxb-wrong").auth.test())).toBe("invalid_auth");
  expect(await refusal(client(slack, "").auth.test())).toBe("not_authed");
  expect(await refusal(client(slack, slack.app.appToken).auth.test())).toBe("not_allowed_token_type");
  expect(await refusal(web.apps.connections.open())).toBe("not_allowed_token_type");
  expect(await refusal(web.users.info({ user: slack.app.botUserId }))).toBe("missing_scope");
  expect(await refusal(web.conversations.info({ channel }))).toBe("missing_scope");
  expect(await refusal(web.apiCall("chat.sing"))).toBe("unknown_method");
  expect(slack.complaints).toHaveLength(3);
});

test("a post is kept as Slack keeps it: stray signs escaped, tokens as they are", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const text = "a < b && c &lt; d <https://example.org|here>";
  const { message, ts } = await client(slack).chat.postMessage({ channel: channel.id, text, ...quiet });
  expect(message?.text).toBe("a &lt; b &amp;&amp; c &lt; d <https://example.org|here>");
  expect(slack.channelTop(channel)).toMatchObject([
    { ts, text: "a < b && c < d here (https://example.org)", author: "bobbin" },
  ]);
  expect(slack.complaints).toEqual([]);
});

test("a place where the bot cannot write refuses with its code", async () => {
  await using slack = await createLocalSlack();
  const web = client(slack);
  const post = (channel: string, more: object = {}): Promise<string> =>
    refusal(web.chat.postMessage({ channel, text: "hello", ...quiet, ...more }));
  const open = slack.channel("open");
  const archived = slack.channel("archived");
  slack.archive(archived);
  const joined = slack.person("ada").join(open);
  expect(await post("C0NOWHERE")).toBe("channel_not_found");
  expect(await post(slack.channel("secret", { kind: "private", hasBot: false }).id)).toBe(
    "channel_not_found",
  );
  expect(await post(slack.channel("elsewhere", { hasBot: false }).id)).toBe("not_in_channel");
  expect(await post(archived.id)).toBe("is_archived");
  expect(await post(open.id, { thread_ts: "nonsense" })).toBe("invalid_thread_ts");
  expect(await post(open.id, { thread_ts: "1700000000.000100" })).toBe("thread_not_found");
  expect(await post(open.id, { thread_ts: joined.ts })).toBe("cannot_reply_to_message");
  expect(slack.channelTop(open)).toHaveLength(1);
});

test("a root that is deleted lets later posts fall into the channel", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const web = client(slack);
  const post = (thread: string) =>
    web.chat.postMessage({ channel: channel.id, thread_ts: thread, text: "late", ...quiet });

  const lonely = ada.say(channel, "one");
  ada.delete(lonely);
  const stray = await post(lonely.ts);
  expect(stray.message).not.toHaveProperty("thread_ts");
  expect(slack.channelTop(channel).map(({ ts }) => ts)).toEqual([stray.ts]);

  const answered = ada.say(channel, "two");
  const reply = await post(answered.ts);
  ada.delete(answered);
  expect(slack.thread(channel, answered)).toMatchObject([
    { text: "This message was deleted.", userId: "USLACKBOT" },
    { ts: reply.ts },
  ]);
  expect((await post(answered.ts)).message).not.toHaveProperty("thread_ts");
});

test("sizes are Slack's, and each breach is complained about", async () => {
  await using slack = await createLocalSlack({
    complaints: { posts: { burst: 100 }, edits: { burst: 100 } },
  });
  const channel = slack.channel("general").id;
  const web = client(slack);
  const post = (content: { text?: string; markdown_text?: string; blocks?: KnownBlock[] }) =>
    refusal(web.apiCall("chat.postMessage", { channel, ...quiet, ...content }));
  const section = (length: number): KnownBlock => ({
    type: "section",
    text: { type: "mrkdwn", text: "a".repeat(length) },
  });
  const markdown = (length: number): KnownBlock => ({ type: "markdown", text: "a".repeat(length) });
  const own = await web.chat.postMessage({ channel, text: "mine", ...quiet });
  const edit = (text: string) => refusal(web.chat.update({ channel, ts: own.ts ?? "", text }));

  expect(await post({})).toBe("no_text");
  expect(await post({ text: " \n" })).toBe("no_text");
  expect(await edit("a".repeat(4000))).toBe("taken");
  expect(await edit("a".repeat(4001))).toBe("msg_too_long");
  expect(await post({ markdown_text: "a".repeat(12_000) })).toBe("taken");
  expect(await post({ markdown_text: "a".repeat(12_001) })).toBe("msg_too_long");
  expect(await post({ markdown_text: "a", text: "a" })).toBe("markdown_text_conflict");
  expect(await post({ text: "a", blocks: [section(3000)] })).toBe("taken");
  expect(await post({ text: "a", blocks: [section(3001)] })).toBe("invalid_blocks");
  expect(await post({ text: "a", blocks: Array.from({ length: 51 }, () => section(1)) })).toBe(
    "invalid_blocks",
  );
  expect(await post({ text: "a", blocks: [markdown(6000), markdown(6000)] })).toBe("taken");
  expect(await post({ text: "a", blocks: [markdown(6000), markdown(6001)] })).toBe("msg_blocks_too_long");
  expect(slack.complaints).toHaveLength(8);

  const long = await web.chat.postMessage({ channel, text: "a".repeat(40_001), ...quiet });
  expect(long.message?.text).toHaveLength(40_000);
  expect(slack.complaints).toHaveLength(9);
});

test("an edit is of an own message that is there; only one without blocks shows as edited", async () => {
  await using slack = await createLocalSlack({ complaints: { edits: { burst: 10 } } });
  const channel = slack.channel("general");
  const web = client(slack);
  const said = slack.person("ada").say(channel, "hello");
  const own = await web.chat.postMessage({ channel: channel.id, thread_ts: said.ts, text: "one", ...quiet });
  const target = { channel: channel.id, ts: own.ts ?? "" };
  const block: KnownBlock = { type: "section", text: { type: "mrkdwn", text: "in a block" } };
  await web.chat.update({ ...target, text: "two", blocks: [block] });
  expect(slack.thread(channel, said)[1]).toMatchObject({ text: "in a block", isEdited: false });
  await web.chat.update({ ...target, text: "three" });
  expect(slack.thread(channel, said)[1]).toMatchObject({ text: "three", isEdited: true, blocks: undefined });
  expect(slack.thread(channel, said)[1]?.versions.map(({ text }) => text)).toEqual([
    "one",
    "in a block",
    "three",
  ]);

  expect(await refusal(web.chat.update({ channel: channel.id, ts: said.ts, text: "x" }))).toBe(
    "cant_update_message",
  );
  expect(await refusal(web.chat.delete({ channel: channel.id, ts: said.ts }))).toBe("cant_delete_message");
  await web.chat.delete(target);
  expect(await refusal(web.chat.update({ ...target, text: "x" }))).toBe("message_not_found");
  expect(await refusal(web.chat.delete(target))).toBe("message_not_found");
  expect(slack.thread(channel, said)).toHaveLength(1);
  expect(slack.ever(channel).map(({ state }) => state)).toEqual(["shown", "gone"]);
});

test("what people would be annoyed by is complained about", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general").id;
  const ada = slack.person("ada");
  const bob = slack.person("bob");
  slack.allowMention(ada.id);
  const web = client(slack);
  await web.chat.postMessage({ channel, text: `<!channel> ${ada.mention} ${bob.mention}` });
  await web.chat.postMessage({ channel, text: "\u200b", ...quiet });
  const { ts = "" } = await web.chat.postMessage({ channel, text: "&lt;!here&gt; @here", ...quiet });
  const edit = (text: string) => web.chat.update({ channel, ts, text });
  await Promise.all([edit("one"), edit("two"), edit("three")]);
  const rules = Object.groupBy(slack.complaints, (line) => line.split(":")[0] ?? "");
  expect(rules["unfurl"]).toHaveLength(2);
  expect(rules["ping"]).toEqual([
    `ping: chat.postMessage in general pings ${bob.id}`,
    "ping: chat.postMessage in general pings channel",
  ]);
  expect(rules["blank"]).toHaveLength(1);
  expect(rules["pace"]).toHaveLength(1);
});

test("two edits of one message that are under way at once are complained about", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general").id;
  const web = client(slack);
  const { ts = "" } = await web.chat.postMessage({ channel, text: "one", ...quiet });
  const gate = Promise.withResolvers<void>();
  slack.fault("chat.update", { kind: "late", until: gate.promise });
  const first = web.chat.update({ channel, ts, text: "first" });
  await until(() => slack.callsOf("chat.update").length === 1, { what: "the first edit to arrive" });
  await web.chat.update({ channel, ts, text: "second" });
  gate.resolve();
  await first;
  expect(slack.channelTop(channel)[0]?.text).toBe("first");
  expect(slack.complaints).toHaveLength(1);
  expect(slack.complaints[0]).toMatch(/^overlap/);
});

test("faults come in the order that they were ordered in, and then all is well", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const web = client(slack);
  const post = (text: string) => web.chat.postMessage({ channel: channel.id, text, ...quiet });
  slack.fault("chat.postMessage", { kind: "status", status: 503 });
  slack.fault("chat.postMessage", { kind: "unreachable" });
  slack.fault("chat.postMessage", { kind: "refused", error: "internal_error" });
  slack.fault("chat.postMessage", { kind: "lost response" });
  slack.fault("chat.postMessage", { kind: "rate limited", retryAfterS: 1 });

  await expect(post("a")).rejects.toBeInstanceOf(WebAPIHTTPError);
  await expect(post("b")).rejects.toBeInstanceOf(WebAPIRequestError);
  expect(await refusal(post("c"))).toBe("internal_error");
  await expect(post("d")).rejects.toBeInstanceOf(WebAPIRequestError);
  const limited: unknown = await post("e").catch((error: unknown) => error);
  expect(limited).toBeInstanceOf(WebAPIRateLimitedError);
  expect((limited as WebAPIRateLimitedError).retryAfter).toBe(1);
  await post("f");
  expect(slack.channelTop(channel).map(({ text }) => text)).toEqual(["d", "f"]);
  expect(slack.unusedFaults).toBe(0);
  expect(slack.complaints).toHaveLength(1);
  expect(slack.complaints[0]).toMatch(/^pace: chat.postMessage comes \d+ ms before Retry-After/);
});

test("enforced limits answer 429 with the seconds to wait", async () => {
  let now = 1_700_000_000_000;
  await using slack = await createLocalSlack({ rateLimits: { postBurst: 2 }, nowMs: () => now });
  const channel = slack.channel("general").id;
  const web = client(slack);
  const post = () => web.chat.postMessage({ channel, text: "hello", ...quiet });
  await post();
  await post();
  await expect(post()).rejects.toMatchObject({ retryAfter: 1 });
  now += 1000;
  await post();
});
