// What the local Slack lets a bot read, and what stands beside messages, held against the real WebClient.
import { expect, test } from "vitest";
import { refusal, webClient as client } from "../support/slack/bolt.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";

const quiet = { unfurl_links: false, unfurl_media: false };

test("a thread is read in pages that each begin with the root, with metadata only on request", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const root = ada.say(channel, "root");
  const said = Array.from({ length: 5 }, (_, index) => ada.say(channel, `${index}`, { thread: root }));
  const web = client(slack);
  const metadata = { event_type: "page", event_payload: { run: "r1", page: 1 } };
  await web.chat.postMessage({ channel: channel.id, thread_ts: root.ts, text: "mine", metadata, ...quiet });
  const where = { channel: channel.id, ts: root.ts };

  const first = await web.conversations.replies({ ...where, limit: 4 });
  expect(first.messages?.map(({ text }) => text)).toEqual(["root", "0", "1", "2", "3"]);
  expect(first.messages?.[0]).toMatchObject({ thread_ts: root.ts, reply_count: 6 });
  expect(first.has_more).toBe(true);
  const cursor = first.response_metadata?.next_cursor ?? "";
  const second = await web.conversations.replies({ ...where, limit: 4, cursor });
  expect(second.messages?.map(({ text }) => text)).toEqual(["root", "4", "mine"]);
  expect(second.messages?.at(-1)).not.toHaveProperty("metadata");

  const since = said[4]?.ts ?? "";
  const late = await web.conversations.replies({ ...where, oldest: since, include_all_metadata: true });
  expect(late.messages?.map(({ text }) => text)).toEqual(["root", "mine"]);
  expect(late.messages?.at(-1)?.metadata).toEqual(metadata);
  const top = await web.conversations.history({ channel: channel.id });
  expect(top.messages?.map(({ text }) => text)).toEqual(["root"]);
  expect(await refusal(web.conversations.replies({ ...where, ts: "1700000000.000001" }))).toBe(
    "thread_not_found",
  );
});

test("the status of a thread is set by sessions or free text, and an app that is no agent has only the latter", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const root = slack.person("ada").say(channel, "hello");
  const web = client(slack);
  const where = { channel_id: channel.id, thread_ts: root.ts };
  await web.agents.sessions.setStatus({ ...where, status: "processing", title: "a: b" });
  expect(slack.statusLine(channel, root)).toBe("processing");
  await web.agents.sessions.setStatus({ ...where, status: "active" });
  expect(slack.statusLine(channel, root)).toBe("");
  await web.assistant.threads.setStatus({ ...where, status: "is looking it up" });
  expect(slack.statusLine(channel, root)).toBe("is looking it up");
  await web.chat.postMessage({ channel: channel.id, thread_ts: root.ts, text: "there", ...quiet });
  expect(slack.statusHistory(channel, root)).toEqual(["processing", "", "is looking it up", ""]);

  await using plain = await createLocalSlack({ isAgent: false });
  const said = plain.person("ada").say(plain.channel("general"), "hello");
  const call = client(plain).agents.sessions.setStatus({
    channel_id: said.channel,
    thread_ts: said.ts,
    status: "active",
  });
  expect(await refusal(call)).toBe("not_agent_app");
});

test("a file is handed out with the token, and everybody else gets a login page with status 200", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const file = slack.file(ada, "notes.txt", "what we said");
  ada.say(channel, "", { files: [file] });
  const { file: info } = await client(slack).files.info({ file: file.id });
  const url = info?.url_private_download ?? "";
  const withToken = { headers: { authorization: `Bearer ${slack.app.botToken}` } };
  expect(await (await fetch(url, withToken)).text()).toBe("what we said");
  const stranger = await fetch(url);
  expect([stranger.status, stranger.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  slack.kick(channel);
  expect(await (await fetch(url, withToken)).text()).toMatch(/^<!DOCTYPE html>/);
});

test("a file that the app sends stands in the thread", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const root = slack.person("ada").say(channel, "hello");
  await client(slack).filesUploadV2({
    channel_id: channel.id,
    thread_ts: root.ts,
    filename: "rest.md",
    content: "the rest",
    initial_comment: "And the rest:",
  });
  expect(slack.thread(channel, root)[1]).toMatchObject({
    text: "And the rest:",
    files: [{ name: "rest.md" }],
  });
});

test("a whisper is on one person's screen and in no history", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const bob = slack.person("bob");
  const root = ada.say(channel, "hello");
  const web = client(slack);
  await web.chat.postEphemeral({ channel: channel.id, user: ada.id, thread_ts: root.ts, text: "psst" });
  expect(slack.thread(channel, root, { as: ada }).map(({ text }) => text)).toEqual(["hello", "psst"]);
  expect(slack.thread(channel, root, { as: bob })).toHaveLength(1);
  const history = await web.conversations.replies({ channel: channel.id, ts: root.ts });
  expect(history.messages).toHaveLength(1);
});

test("an app outside the Marketplace reads one page a minute, of fifteen messages", async () => {
  let now = 1_700_000_000_000;
  const rateLimits = { distribution: "distributed" } as const;
  await using slack = await createLocalSlack({ rateLimits, nowMs: () => now });
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const root = ada.say(channel, "root");
  for (let index = 0; index < 20; index++) ada.say(channel, `${index}`, { thread: root });
  const read = () => client(slack).conversations.replies({ channel: channel.id, ts: root.ts, limit: 200 });
  expect((await read()).messages).toHaveLength(16);
  await expect(read()).rejects.toMatchObject({ retryAfter: 60 });
  now += 60_000;
  expect((await read()).has_more).toBe(true);
});

test("reactions of people and of the bot are seen, and told to the app", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const said = ada.say(channel, "hello");
  slack.delivery.hold();
  const web = client(slack);
  const target = { channel: channel.id, timestamp: said.ts, name: "eyes" };
  await web.reactions.add(target);
  expect(await refusal(web.reactions.add(target))).toBe("already_reacted");
  ada.react(said, "tada");
  expect(slack.channelTop(channel)[0]?.reactions).toEqual(["eyes", "tada"]);
  await web.reactions.remove(target);
  expect(await refusal(web.reactions.remove(target))).toBe("no_reaction");
  const told: unknown[] = [];
  slack.delivery.release((held) => {
    told.push(...held.map(({ body }) => body["event"]));
    return [];
  });
  expect(told).toMatchObject([
    { type: "reaction_added", reaction: "eyes", user: slack.app.botUserId },
    { type: "reaction_added", reaction: "tada", user: ada.id },
    { type: "reaction_removed", reaction: "eyes" },
  ]);
});

test("Slack can be away altogether", async () => {
  await using slack = await createLocalSlack();
  slack.fault("*", { kind: "status", status: 503 }, { times: Infinity });
  await expect(client(slack).auth.test()).rejects.toMatchObject({ statusCode: 503 });
  await expect(client(slack).team.info()).rejects.toMatchObject({ statusCode: 503 });
  slack.clearFaults();
  expect(await client(slack).auth.test()).toMatchObject({ ok: true });
});
