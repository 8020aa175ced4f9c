// What people really send, as it was reported in the field: each case by its id, with what they see of it.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { says } from "../support/fake-llm/answers.ts";
import type { FaultOptions } from "../support/slack/faults.ts";
import type { JsonObject } from "../support/slack/message.ts";
import { until } from "../support/until.ts";
import { openSlackWorld, type SlackWorld } from "./slack-world.ts";

let world: SlackWorld;
let scenes = 0;
beforeAll(async () => {
  world = await openSlackWorld({
    over: "http",
    parts: ["gateway", "worker"],
    access: () => ({ external: "everyone" }),
  });
});
afterEach(() => world.expectPeace());
afterAll(() => world[Symbol.asyncDispose]());

function scene() {
  const { slack } = world;
  scenes++;
  const [ana, ben] = [slack.person(`Ana ${scenes}`), slack.person(`Ben ${scenes}`)];
  return { slack, ana, ben, channel: slack.channel(`channel-${scenes}`), at: slack.botMention };
}

/** The newest turn as the model read it. */
const turn = (): string => JSON.stringify(world.llm.requests.at(-1)?.body.messages.at(-1)?.content);

test("I8 pitfall 16: a file without a word, in a direct message, is a turn with that file", async () => {
  const { slack, ana } = scene();
  const root = ana.dm("", { files: [slack.file(ana, "plan.pdf", "%PDF-1.7")] });
  expect(await world.settled(root, 1)).toHaveLength(1);
  expect(turn()).toContain("plan.pdf");
});

test("I9: a reply that is sent to the channel as well is answered once, in its thread", async () => {
  const { ana, channel, at } = scene();
  const root = ana.say(channel, "what about the roof?");
  ana.say(channel, `${at} who knows?`, { thread: root, alsoToChannel: true });
  await world.settled(root, 1);
  await ana.say(channel, "thanks", { thread: root }).delivered;
  expect(await world.settled(root, 2)).toHaveLength(2);
});

test("I14: the words of a forwarded message reach the model, as somebody else's", async () => {
  const { ana, ben, channel, at } = scene();
  const forwarded: JsonObject = {
    is_share: true,
    is_msg_unfurl: true,
    author_id: ben.id,
    author_name: ben.name,
    text: "please review",
    ts: "1700000000.000100",
    channel_id: channel.id,
    id: 1,
  };
  const root = ana.say(channel, at, { attachments: [forwarded] });
  await world.settled(root, 1);
  expect(turn()).toMatch(new RegExp(`${ben.name}.*please review`));
});

test("I18: signs are what was typed, decoded once, and what only looks like a mention is none", async () => {
  const { ana, ben, channel, at } = scene();
  const root = ana.say(channel, `${at} if a &lt; b &amp;&amp; c, &lt;@${ben.id}&gt; and &amp;lt;`);
  await world.settled(root, 1);
  expect(turn()).toContain(`if a < b && c, <@${ben.id}> and &lt;`);
  const talk = ana.say(channel, `&lt;@${world.slack.app.botUserId}&gt; is its id`);
  await talk.delivered;
  const after = ana.say(channel, `${at} still there?`);
  await world.settled(after, 1);
  expect(world.replies(talk)).toEqual([]);
});

test("I19: a file with a mention, and a moment later only words: one answer, which knows both in their order", async () => {
  const { slack, ana, channel, at } = scene();
  const mayEnd = Promise.withResolvers<void>();
  world.llm.script(async (exchange) => {
    await mayEnd.promise;
    await says("the first half")(exchange);
  });
  const root = ana.say(channel, `${at} look at this`, { files: [slack.file(ana, "roof.png", "png")] });
  await world.shows(root, "Thinking…");
  await ana.say(channel, "it is from May", { thread: root }).delivered;
  mayEnd.resolve();
  await world.shows(root, "it is from May");
  expect(await world.settled(root, 1)).toHaveLength(1);
  const said = JSON.stringify(world.llm.requests.at(-1)?.body.messages);
  expect(said).toMatch(/look at this.*roof\.png.*it is from May/);
});

test("I23: below a message that can hold no thread the model is asked once, and nothing is tried again and again", async () => {
  const { slack, ana, ben, channel, at } = scene();
  const joined = ben.join(channel);
  const asked = world.llm.requests.length;
  await ana.say(channel, `${at} welcome Ben`, { thread: joined }).delivered;
  await until(
    () =>
      slack.callsOf("chat.postMessage").some(({ answer }) => answer?.["error"] === "cannot_reply_to_message"),
    {
      what: "Slack refused the post",
    },
  );
  const other = ana.say(channel, `${at} and here?`);
  await world.settled(other, 1);
  const refused = slack.callsOf("chat.postMessage").filter(({ answer }) => answer?.["ok"] === false);
  expect(refused).toHaveLength(1);
  expect(world.llm.requests.length).toBeLessThanOrEqual(asked + 2);
});

test("pitfall 11: in a channel that is shared with another company a mention from there is one thread with one answer", async () => {
  const { slack, at } = scene();
  const guest = slack.person(`Guest ${scenes}`, { teamId: "T0FOREIGN1" });
  const colleague = slack.person(`Colleague ${scenes}`);
  const channel = slack.channel(`shared-${scenes}`, { isShared: true, members: [guest, colleague] });
  // The envelope's own team may be the other company's; whose app it is for stands in the authorizations.
  const envelope = (one: JsonObject): JsonObject => ({ ...one, team_id: "T0FOREIGN1" });
  const root = guest.say(channel, `${at} from outside`, { envelope });
  await world.settled(root, 1);
  colleague.say(channel, "from inside", { thread: root });
  const [first, second, ...more] = await world.settled(root, 2);
  expect([first?.text, second?.text]).toEqual([
    expect.stringContaining("from outside"),
    expect.stringContaining("from inside"),
  ]);
  expect(more).toEqual([]);
  expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).toContain("from outside");
  await colleague.say(channel, `${at} status`, { thread: root }).delivered;
  expect(await world.whispers(root, colleague, 1)).toHaveLength(1);
});

test("pitfall 19: the sign of work goes with every end, also where Slack refuses it at first", async () => {
  const { slack, ana, channel, at } = scene();
  const root = ana.say(channel, `${at} one`);
  await world.settled(root, 1);
  const isIdle: FaultOptions["when"] = (call) => call.optional("status") === "active";
  slack.fault("agents.sessions.setStatus", { kind: "status", status: 503 }, { when: isIdle });
  world.llm.script(async (exchange) => {
    await until(() => slack.statusLine(channel, root) === "processing", { what: "Slack says that it works" });
    await says("done")(exchange);
  });
  ana.say(channel, "two", { thread: root });
  await world.settled(root, 2);
  await until(() => slack.statusLine(channel, root) === "", { what: "Slack says nothing any more" });
});

test("a message in a group needs a mention, and one that is only the mention is answered", async () => {
  const { slack, ana, ben, at } = scene();
  const group = slack.groupDm(ana, ben);
  const talk = ana.say(group, "just us");
  await talk.delivered;
  const root = ana.say(group, at);
  await world.settled(root, 1);
  expect(world.replies(talk)).toEqual([]);
});

test("a message that mentions hundreds of people asks Slack for the first few of them, and is answered", async () => {
  const { slack, ana, channel, at } = scene();
  const crowd = Array.from({ length: 300 }, (_, n) => `UCROWD${1_000 + n}`);
  const root = ana.say(channel, `${at} ${crowd.map((id) => `<@${id}>`).join(" ")} who comes?`);
  await world.settled(root, 1);
  const asked = slack.callsOf("users.info").filter(({ args }) => crowd.includes(String(args["user"])));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThanOrEqual(20);
  expect(turn()).toContain("who comes?");
});
