// What people do in the local Slack, and what the app gets to hear of it.
import type { App } from "@slack/bolt";
import { expect, test } from "vitest";
import { boltOnSocket } from "../support/slack/bolt.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";
import type { JsonObject } from "../support/slack/message.ts";
import { until } from "../support/until.ts";

const quiet = { unfurl_links: false, unfurl_media: false };

/** Keeps every event's envelope. */
function keep(bodies: JsonObject[]): { readonly listen: (app: App) => void } {
  return {
    listen: (app) =>
      app.use(async ({ body, next }) => {
        bodies.push({ ...body });
        await next();
      }),
  };
}

const eventOf = (body: JsonObject | undefined): JsonObject => (body?.["event"] ?? {}) as JsonObject;

test("the app hears of what is said where it is, and of nothing else", async () => {
  await using slack = await createLocalSlack();
  const bodies: JsonObject[] = [];
  await using _ = await boltOnSocket(slack, keep(bodies));
  const [ada, bob] = [slack.person("ada"), slack.person("bob")];
  const elsewhere = slack.channel("elsewhere", { hasBot: false });
  expect(await ada.say(elsewhere, `${slack.botMention} hello`).delivered).toEqual([]);

  await ada.dm("in private").delivered;
  await ada.say(slack.groupDm(ada, bob), `${slack.botMention} hello`).delivered;
  await ada.say(slack.channel("secret", { kind: "private" }), "hello").delivered;
  await ada.say(slack.channel("open"), "hello").delivered;
  await until(() => bodies.length === 5, { what: "five events" });
  expect(bodies.map((body) => [eventOf(body)["type"], eventOf(body)["channel_type"]])).toEqual([
    ["message", "im"],
    ["message", "mpim"],
    ["app_mention", undefined],
    ["message", "group"],
    ["message", "channel"],
  ]);
});

test("without the subscription or its scope there is no event", async () => {
  await using slack = await createLocalSlack({
    botEvents: ["app_mention", "message.im"],
    scopes: ["im:history"],
  });
  const ada = slack.person("ada");
  slack.delivery.hold();
  ada.say(slack.channel("general"), `${slack.botMention} hello`);
  ada.dm("hello");
  const held: unknown[] = [];
  slack.delivery.release((payloads) => {
    held.push(...payloads.map(({ body }) => eventOf(body)["channel_type"]));
    return [];
  });
  expect(held).toEqual(["im"]);
});

test("edits, previews and deletions come in the shapes that Slack gives them", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const bodies: JsonObject[] = [];
  await using _ = await boltOnSocket(slack, keep(bodies));
  const root = ada.say(channel, "frist");
  const reply = ada.say(channel, "reply", { thread: root, alsoToChannel: true });
  await ada.edit(root, "first").delivered;
  slack.unfurl(root, "https://example.org");
  await ada.delete(root).delivered;
  await ada.delete(reply).delivered;
  await until(() => bodies.length === 7, { what: "seven events" });
  const [posted, broadcast, edited, preview, tombstone, deleted, gone] = bodies.map(eventOf);
  expect(posted).toMatchObject({ text: "frist", ts: root.ts, user: ada.id, blocks: [{ type: "rich_text" }] });
  expect(broadcast).toMatchObject({ subtype: "thread_broadcast", thread_ts: root.ts });
  expect(edited).toMatchObject({
    subtype: "message_changed",
    message: { text: "first", ts: root.ts, edited: { user: ada.id } },
    previous_message: { text: "frist" },
  });
  expect(edited?.["ts"]).not.toBe(root.ts);
  expect(preview).toMatchObject({ message: { text: "first" }, previous_message: { text: "first" } });
  expect(tombstone).toMatchObject({
    subtype: "message_changed",
    message: { subtype: "tombstone", user: "USLACKBOT" },
    previous_message: { text: "first" },
  });
  expect(deleted).toMatchObject({ subtype: "message_deleted", deleted_ts: reply.ts });
  expect(gone).toMatchObject({ subtype: "message_deleted", previous_message: { subtype: "tombstone" } });
  expect(slack.channelTop(channel)).toEqual([]);
});

test("an edit of a mention is one more mention, with the old ts and a new event id", async () => {
  await using slack = await createLocalSlack();
  const ada = slack.person("ada");
  const bodies: JsonObject[] = [];
  await using _ = await boltOnSocket(slack, keep(bodies));
  const said = ada.say(slack.channel("general"), `${slack.botMention} helo`);
  await said.delivered;
  await ada.edit(said, `${slack.botMention} hello`).delivered;
  await until(() => bodies.length === 4, { what: "both copies twice" });
  const mentions = bodies.filter((body) => eventOf(body)["type"] === "app_mention");
  expect(mentions.map((body) => eventOf(body)["ts"])).toEqual([said.ts, said.ts]);
  expect(new Set(mentions.map((body) => body["event_id"])).size).toBe(2);
  expect(mentions.map((body) => "edited" in eventOf(body))).toEqual([false, true]);
});

test("the bot hears its own posts and edits, and those of other bots", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  slack.delivery.hold();
  const events: JsonObject[] = [];
  await using app = await boltOnSocket(slack);
  const { ts = "" } = await app.client.chat.postMessage({ channel: channel.id, text: "one", ...quiet });
  await app.client.chat.update({ channel: channel.id, ts, text: "two" });
  const other = slack.otherBot("deploys");
  other.say(channel, `${slack.botMention} done`);
  slack.delivery.release((held) => {
    events.push(...held.map(({ body }) => eventOf(body)));
    return [];
  });
  expect(events).toMatchObject([
    { type: "message", bot_id: slack.app.botId, user: slack.app.botUserId },
    { subtype: "message_changed", message: { bot_id: slack.app.botId } },
    { type: "message", user: other.id },
    { type: "app_mention", user: other.id },
  ]);
  expect(events[2]?.["bot_id"]).not.toBe(slack.app.botId);
});

test("typed words are escaped and names become mentions", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  ada.type(channel, "@bobbin if a < b && c, ask <@U1>");
  const [seen] = slack.channelTop(channel);
  expect(seen?.text).toBe(`@${slack.app.botUserId} if a < b && c, ask <@U1>`);
});

test("people of another company write with their own team in an envelope of ours", async () => {
  await using slack = await createLocalSlack();
  const eve = slack.person("eve", { teamId: "T0OTHER" });
  const channel = slack.channel("shared", { isShared: true, members: [eve] });
  const bodies: JsonObject[] = [];
  await using _ = await boltOnSocket(slack, keep(bodies));
  await eve.say(channel, `${slack.botMention} hello`, {
    envelope: (envelope) => ({ ...envelope, team_id: "T0OTHER" }),
  }).delivered;
  await until(() => bodies.length === 2, { what: "both copies" });
  for (const body of bodies) {
    expect(body).toMatchObject({
      team_id: "T0OTHER",
      is_ext_shared_channel: true,
      authorizations: [{ team_id: slack.teamId, user_id: slack.app.botUserId }],
      event: { user_team: "T0OTHER" },
    });
  }
  expect(bodies.map((body) => eventOf(body)["team"])).toEqual(["T0OTHER", undefined]);
});

test("a message shortcut opens a modal, which is sent, refused and sent again", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const sent: unknown[] = [];
  await using _ = await boltOnSocket(slack, {
    listen: (app) => {
      app.shortcut("session_reset", async ({ ack, shortcut, client }) => {
        await ack();
        await client.views.open({
          trigger_id: shortcut.trigger_id,
          view: {
            type: "modal",
            callback_id: "reset",
            title: { type: "plain_text", text: "Reset" },
            submit: { type: "plain_text", text: "Reset" },
            blocks: [
              {
                type: "input",
                block_id: "why",
                label: { type: "plain_text", text: "Why?" },
                element: { type: "plain_text_input", action_id: "text" },
              },
            ],
          },
        });
      });
      app.view("reset", async ({ ack, view }) => {
        const why = view.state.values["why"]?.["text"]?.value;
        sent.push(why);
        if (why === "no") await ack({ response_action: "errors", errors: { why: "Say more." } });
        else await ack();
      });
    },
  });
  const said = ada.say(channel, "hello");
  await expect(ada.submit()).rejects.toThrow("no modal open");
  expect(await ada.shortcut("session_reset", said)).toMatchObject({ kind: "acknowledged" });
  await until(() => ada.modal(), { what: "the modal" });
  await expect(ada.submit()).rejects.toThrow("the client asks for why");
  const refused = await ada.submit({ why: "no" });
  expect(refused).toMatchObject({ answer: { response_action: "errors", errors: { why: "Say more." } } });
  expect(ada.modal()).toBeDefined();
  await ada.submit({ why: "it went astray" });
  expect(ada.modal()).toBeUndefined();
  expect(sent).toEqual(["no", "it went astray"]);
});

test("a trigger opens one modal, within three seconds", async () => {
  let now = 1_700_000_000_000;
  await using slack = await createLocalSlack({ nowMs: () => now });
  const triggers: string[] = [];
  await using app = await boltOnSocket(slack, {
    listen: (bolt) =>
      bolt.shortcut("new", async ({ ack, shortcut }) => {
        triggers.push(shortcut.trigger_id);
        await ack();
      }),
  });
  const ada = slack.person("ada");
  await ada.shortcut("new");
  await ada.shortcut("new");
  const open = async (trigger: string | undefined): Promise<unknown> => {
    const view = { type: "modal", title: { type: "plain_text", text: "Hi" }, blocks: [{ type: "divider" }] };
    const call = app.client.apiCall("views.open", { trigger_id: trigger, view });
    return call.then(
      () => "open",
      (error: { data: { error: string } }) => error.data.error,
    );
  };
  expect(await open(triggers[0])).toBe("open");
  expect(await open(triggers[0])).toBe("exchanged_trigger_id");
  now += 3001;
  expect(await open(triggers[1])).toBe("expired_trigger_id");
  expect(await open("1.2.3")).toBe("invalid_trigger_id");
});

test("Stop is there while a session is processing, and comes as an event", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const bodies: JsonObject[] = [];
  await using app = await boltOnSocket(slack, keep(bodies));
  const said = ada.say(channel, "hello");
  expect(() => ada.stop(said)).toThrow("no Stop button");
  const where = { channel_id: channel.id, thread_ts: said.ts };
  await app.client.agents.sessions.setStatus({ ...where, status: "processing" });
  await ada.stop(said).delivered;
  await until(() => bodies.length === 2, { what: "the message and the stop" });
  expect(eventOf(bodies[1])).toMatchObject({
    type: "agent_session_stopped",
    channel: channel.id,
    thread_ts: said.ts,
    user: ada.id,
  });
});
