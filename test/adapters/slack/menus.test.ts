// What people press in Slack beside the buttons of a reply: menus of threads and of choices, and the shortcuts of messages.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { COMMAND_NAMES, COMMANDS } from "../../../src/core/command/table.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import type { SeenMessage } from "../../support/slack/seen.ts";
import type { Person, Said } from "../../support/slack/person.ts";
import { until } from "../../support/until.ts";
import { inboundWorld, type InboundWorld } from "./inbound-world.ts";

type Channel = ReturnType<InboundWorld["slack"]["channel"]>;

let world: InboundWorld;
let scenes = 0;
beforeAll(async () => {
  world = await inboundWorld();
});
afterEach(() => expect(world.slack.complaints).toEqual([]));
afterAll(() => world[Symbol.asyncDispose]());

function scene() {
  scenes++;
  const { slack } = world;
  return {
    slack,
    ana: slack.person(`Ana ${scenes}`),
    gus: slack.person(`Gus ${scenes}`, { role: "guest" }),
    channel: slack.channel(`channel-${scenes}`),
    at: slack.botMention,
  };
}

async function says(who: Person, where: Channel, words: string, thread?: Said): Promise<Said> {
  const said = who.say(where, words, thread === undefined ? {} : { thread });
  await said.delivered;
  return said;
}

const sessionOf = ({ channel, root }: { readonly channel: string; readonly root: string }): SessionId =>
  `slack:${world.slack.teamId}:${channel}:${root}` as SessionId;

const settingsOf = (thread: Said) => world.transcripts.settings(sessionOf(thread));

/** What only this person sees that says this, in the thread or, without one, in the channel. */
function whisper(who: Person, where: Channel, words: RegExp, thread?: Said): Promise<SeenMessage> {
  const { slack } = world;
  const seen = () =>
    thread === undefined ? slack.channelTop(where, { as: who }) : slack.thread(where, thread, { as: who });
  return until(() => seen().findLast((one) => one.ephemeralTo === who.id && words.test(one.text)), {
    what: `${who.name} is told ${String(words)}`,
  });
}

test("in a thread model and effort are asked for in words and chosen in a menu, which the answer replaces", async () => {
  const { ana, channel, at } = scene();
  const root = await says(ana, channel, `${at} a question`);
  await says(ana, channel, `${at} model`, root);
  const asked = await whisper(ana, channel, /uses the default, plain-1/, root);
  expect(asked.controls).toMatchObject([
    { actionId: "bobbin_choose_model", options: ["default", "plain-1", "deep-2"], chosen: "default" },
  ]);
  await ana.click(asked, "bobbin_choose_model", "deep-2");
  const told = await whisper(ana, channel, /From the next answer on this thread uses deep-2/, root);
  expect([told.ts, told.controls]).toEqual([asked.ts, []]);
  expect(await settingsOf(root)).toMatchObject({ model: "deep-2" });

  await says(ana, channel, `${at} effort`, root);
  const effort = await whisper(ana, channel, /How much the model thinks/, root);
  await ana.click(effort, "bobbin_choose_effort", "high");
  await whisper(ana, channel, /effort high/, root);
  expect(await settingsOf(root)).toMatchObject({ model: "deep-2", effort: "high" });
  await says(ana, channel, `${at} model default`, root);
  await whisper(ana, channel, /uses the default model/, root);
  expect((await settingsOf(root))?.model).toBe(undefined);
});

test("where nothing was said to the bot there is nothing to choose; in a direct message there is from the first word on", async () => {
  const { ana, channel, at } = scene();
  const talk = await says(ana, channel, "among us");
  await says(ana, channel, `${at} model`, talk);
  expect((await whisper(ana, channel, /uses the default/, talk)).controls).toEqual([]);
  const direct = ana.dm("follow");
  await direct.delivered;
  const asked = await whisper(ana, ana.directChannel, /for the bot/);
  await ana.click(asked, "bobbin_choose_follow", "mention");
  await whisper(ana, ana.directChannel, /only messages that mention the bot/);
  expect(await settingsOf(direct)).toMatchObject({ follow: "mention" });
});

test("free text goes to a command only behind a slash, and the bot says so", async () => {
  const { ana, channel, at } = scene();
  const root = await says(ana, channel, `${at} a question`);
  await says(ana, channel, `${at} title`, root);
  await whisper(ana, channel, /called “a question”[^]*@bobbin \/title/, root);
  await says(ana, channel, `${at} /title The roof`, root);
  await whisper(ana, channel, /is called “The roof” now/, root);
  await says(ana, channel, `${at} title of the book?`, root);
  expect(await settingsOf(root)).toMatchObject({ title: { text: "The roof", source: "person" } });
  expect(
    (await world.stored()).filter(({ kind, session }) => kind === "message" && session === sessionOf(root)),
  ).toHaveLength(2);
});

/** Refused to most, and so no question. */
const FOR_STAFF: ReadonlySet<string> = new Set(["why", "transcript"]);

test("every command but help asks under /bobbin which thread it is for", async () => {
  const { ana, channel, at } = scene();
  await says(ana, channel, `${at} a question`);
  for (const name of COMMAND_NAMES) {
    await ana.slash("/bobbin", name, channel);
    const last = world.slack.channelTop(channel, { as: ana }).at(-1);
    expect([name, last?.controls.map(({ actionId }) => actionId)]).toEqual([
      name,
      COMMANDS[name].isAnywhere === true || FOR_STAFF.has(name) ? [] : [`bobbin_pick_${name}`],
    ]);
  }
});

test("what stands behind a command under /bobbin goes with it to the thread that is chosen", async () => {
  const { slack, ana, channel, at } = scene();
  const first = await says(ana, channel, `${at} the first question`);
  const second = await says(ana, channel, `${at} the second question`);
  const last = () => slack.channelTop(channel, { as: ana }).at(-1);
  for (const [line, actionId] of [
    ["model deep-2", "bobbin_pick_model deep-2"],
    ["title Roof &amp; gutter", "bobbin_pick_title Roof & gutter"],
  ] as const) {
    await ana.slash("/bobbin", line, channel);
    const picker = last();
    if (picker === undefined) throw new Error("there is no picker");
    await ana.click(picker, actionId, first.ts);
    await until(() => last()?.controls.length === 0, { what: "the menu is answered" });
  }
  expect(await settingsOf(first)).toMatchObject({ model: "deep-2", title: { text: "Roof & gutter" } });
  expect(await settingsOf(second)).not.toHaveProperty("model");

  // Without a choice the thread's menu takes the place of the menu of threads.
  await ana.slash("/bobbin", "mute", channel);
  const picker = last();
  if (picker === undefined) throw new Error("there is no picker");
  await ana.click(picker, "bobbin_pick_mute", second.ts);
  const asked = await whisper(ana, channel, /“the second question”[^]*answers in this thread/);
  await ana.click(asked, "bobbin_choose_mute", "on");
  await whisper(ana, channel, /“the second question”[^]*quiet in this thread from now on/);
  expect(await settingsOf(second)).toMatchObject({ isMuted: true });
  expect(await settingsOf(first)).toMatchObject({ isMuted: false });
});

test("a message's address under /bobbin names its thread, which then need not be chosen", async () => {
  const { slack, ana, channel, at } = scene();
  const ada = slack.person(`Ada ${scenes}`, { role: "admin" });
  const root = await says(ana, channel, `${at} a question`);
  const reply = await says(ana, channel, "and this", root);
  const link = `https://local.slack.com/archives/${channel.id}/p${reply.ts.replace(".", "")}?thread_ts=${root.ts}&amp;cid=${channel.id}`;
  await ada.slash("/bobbin", `why <${link}>`, channel);
  await whisper(ada, channel, /It waits for its answer[^]*members:/);
  await ana.slash("/bobbin", `details ${link}`, channel);
  await whisper(ana, channel, /did not work on that message/);
  // Of another channel only an admin is told.
  const elsewhere = slack.channel(`elsewhere-${scenes}`);
  await ada.slash("/bobbin", `why <${link}>`, elsewhere);
  await whisper(ada, elsewhere, /It waits for its answer/);
  await ana.slash("/bobbin", `details <${link}>`, elsewhere);
  await whisper(ana, elsewhere, /no thread with the bot in this channel/);
});

test.each(["bananas", "model of a ship", "follow me"])(
  "/bobbin %s is no command, and the list says so",
  async (line) => {
    const { slack, ana, channel } = scene();
    await ana.slash("/bobbin", line, channel);
    expect(slack.channelTop(channel, { as: ana }).at(-1)?.text).toContain(
      `There is no command /bobbin ${line}`,
    );
  },
);

test("S11: a choice is asked for anew: a guest who presses a menu changes nothing, and is told so", async () => {
  const { slack, ana, gus, channel, at } = scene();
  const root = await says(ana, channel, `${at} a question`);
  // A menu that everybody sees, as one of an older version might be.
  const response = await fetch(`${slack.slackApiUrl}chat.postMessage`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${slack.app.botToken}`,
      "content-type": "application/json; charset=utf-8",
    },
    body: JSON.stringify({
      channel: channel.id,
      thread_ts: root.ts,
      unfurl_links: false,
      unfurl_media: false,
      text: "Choose",
      blocks: [
        {
          type: "actions",
          block_id: root.ts,
          elements: [
            {
              type: "static_select",
              action_id: "bobbin_choose_model",
              options: [{ text: { type: "plain_text", text: "deep-2" }, value: "deep-2" }],
            },
          ],
        },
      ],
    }),
  });
  const { ts } = (await response.json()) as { readonly ts: string };
  await gus.click({ channel: channel.id, ts }, "bobbin_choose_model", "deep-2");
  await until(
    () => slack.thread(channel, root).some(({ text }) => text.includes("Guests may not use this bot.")),
    { what: "the guest is refused" },
  );
  expect((await settingsOf(root))?.model).toBe(undefined);
});

test("Details of a message tell of the run that wrote or read it, to who asked alone, and of no other", async () => {
  const { slack, ana, gus, channel, at } = scene();
  const root = await says(ana, channel, `${at} a question`);
  const opened = await world.store.open(sessionOf(root), "worker");
  if (opened.kind !== "run") throw new Error("there is nothing to do");
  const { run, fence } = opened;
  await world.store.end(fence, { reason: "stop", modelCalls: [] });
  await world.store.settled(fence);
  const later = await says(ana, channel, "and another", root);
  const second = await world.store.open(sessionOf(root), "worker");
  if (second.kind !== "run") throw new Error("there is nothing to do");

  const told = async (message: { readonly channel: string; readonly ts: string }, words: RegExp) => {
    await ana.shortcut("bobbin_details", message);
    return (await whisper(ana, channel, words, root)).text;
  };
  expect(await told(root, new RegExp(run.id))).toContain("The answer is complete.");
  expect(await told(later, new RegExp(second.run.id))).toContain("under way");
  const page = await says(ana, channel, "(aside) as if this were the answer", root);
  await told(page, /did not work on that message/);
  await world.pages.put(second.fence, { run: second.run.id, index: 0, key: "k", message: page.ts });
  expect(await told(page, new RegExp(`${second.run.id}[^]*No model call`))).toContain("under way");

  // In words too, by the message's address; that of another channel says nothing.
  const elsewhere = await says(ana, slack.channel(`elsewhere-${scenes}`), `${at} a question`);
  const other = await world.store.open(sessionOf(elsewhere), "worker");
  if (other.kind !== "run") throw new Error("there is nothing to do");
  const link = (said: Said) =>
    `https://local.slack.com/archives/${said.channel}/p${said.ts.replace(".", "")}`;
  const seen = () => slack.thread(channel, root, { as: ana }).map(({ text }) => text);
  await says(ana, channel, `${at} details <${link(root)}>`, root);
  await until(() => seen().filter((text) => text.includes(run.id)).length === 2, {
    what: "the thread's own",
  });
  await says(ana, channel, `${at} details <${link(elsewhere)}>`, root);
  await until(() => seen().at(-1)?.includes("did not work on that message"), { what: "the other channel's" });
  expect(seen().join()).not.toContain(other.run.id);
  await gus.shortcut("bobbin_details", root);
  await whisper(gus, channel, /Guests may not use this bot\./, root);
});
