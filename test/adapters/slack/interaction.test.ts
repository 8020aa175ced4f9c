import { expect, test } from "vitest";
import type { RunStore } from "../../../src/core/ports/run-store.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { exactly, until } from "../../support/until.ts";
import { inboundWorld, type InboundWorld } from "./inbound-world.ts";

function cast(world: InboundWorld) {
  const { slack } = world;
  return {
    ana: slack.person("Ana"),
    ben: slack.person("Ben"),
    channel: slack.channel("general"),
    at: slack.botMention,
  };
}

type Person = ReturnType<typeof cast>["ana"];
type Channel = ReturnType<typeof cast>["channel"];

async function commandsIn(world: InboundWorld): Promise<readonly string[]> {
  const stored = await world.stored();
  return stored.flatMap((inbound) => (inbound.kind === "command" ? [inbound.command.name] : []));
}

/** What only this person sees in the thread, once there is so much of it. */
async function whispers(world: InboundWorld, channel: Channel, root: string, as: Person, count: number) {
  const seen = () => world.slack.thread(channel, root, { as }).filter((one) => one.ephemeralTo === as.id);
  const told = await exactly(seen, count, `${as.name} is told ${count} things`);
  return told.map(({ text }) => text);
}

async function openRun(store: RunStore, session: SessionId) {
  const opened = await store.open(session, "worker");
  if (opened.kind !== "run") throw new Error(`expected a run, got ${opened.kind}`);
  return opened;
}

/** A thread with a question, and the reply of the bot with its buttons, as a worker would post it. */
async function answeredThread(world: InboundWorld, person: Person, channel: Channel) {
  const root = person.say(channel, `${world.slack.botMention} work`);
  await root.delivered;
  const session = `slack:${world.slack.teamId}:${channel.id}:${root.ts}` as SessionId;
  const { run, fence } = await openRun(world.store, session);
  const reply = await postAsBot(world, {
    channel: channel.id,
    thread_ts: root.ts,
    text: "Working",
    blocks: [
      {
        type: "actions",
        elements: ["stop", "retry", "details", "of_another_version"].map((action) => ({
          type: "button",
          action_id: `bobbin_${action}`,
          text: { type: "plain_text", text: action },
          value: run.id,
        })),
      },
      {
        type: "context_actions",
        elements: [
          {
            type: "feedback_buttons",
            action_id: "bobbin_feedback",
            positive_button: { text: { type: "plain_text", text: "Good answer" }, value: `good ${run.id}` },
            negative_button: { text: { type: "plain_text", text: "Bad answer" }, value: `bad ${run.id}` },
          },
        ],
      },
    ],
  });
  return { root, session, run, fence, reply: { channel: channel.id, ts: reply } };
}

async function postAsBot(world: InboundWorld, message: object): Promise<string> {
  const response = await fetch(`${world.slack.slackApiUrl}chat.postMessage`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.slack.app.botToken}`,
      "content-type": "application/json; charset=utf-8",
    },
    body: JSON.stringify({ unfurl_links: false, unfurl_media: false, ...message }),
  });
  const answer = (await response.json()) as { ts?: string };
  if (answer.ts === undefined) throw new Error(JSON.stringify(answer));
  return answer.ts;
}

test.each(["socket", "http"] as const)(
  "over %s a click on Stop is stored before it is acknowledged, and told to who clicked",
  async (over) => {
    await using world = await inboundWorld({ over });
    const { ana, ben, channel } = cast(world);
    const { root, reply } = await answeredThread(world, ana, channel);
    expect(await ben.click(reply, "bobbin_stop")).toMatchObject({ kind: "acknowledged" });
    const [, click] = await world.stored();
    expect(click).toMatchObject({
      kind: "command",
      command: { name: "stop" },
      author: { id: ben.id, name: "Ben" },
      answerTo: expect.stringContaining("/response/"),
    });
    expect(await whispers(world, channel, root.ts, ben, 1)).toEqual(["Stopping."]);
    expect(await whispers(world, channel, root.ts, ana, 0)).toEqual([]);
  },
);

test("a Stop button that was left standing stops nothing", async () => {
  await using world = await inboundWorld();
  const { ana, channel } = cast(world);
  const { root, fence, reply } = await answeredThread(world, ana, channel);
  await world.store.leave(fence, "crashed");
  await ana.say(channel, `${world.slack.botMention} stop`, { thread: root }).delivered;
  await ana.click(reply, "bobbin_retry");
  expect(await commandsIn(world)).toEqual(["stop"]);
});

test("a click that cannot be stored is not acknowledged, so that the client tells the person", async () => {
  await using world = await inboundWorld({ over: "http" });
  const { ana, channel } = cast(world);
  const { reply } = await answeredThread(world, ana, channel);
  world.breakStore(1);
  expect(await ana.click(reply, "bobbin_stop")).toMatchObject({ kind: "given up" });
  expect(await commandsIn(world)).toEqual([]);
  expect(await ana.click(reply, "bobbin_stop")).toMatchObject({ kind: "acknowledged" });
  expect(await commandsIn(world)).toEqual(["stop"]);
});

test("the message shortcuts reset and stop the thread of their message, and say so where there is none", async () => {
  await using world = await inboundWorld();
  const { ana, channel } = cast(world);
  const { root, reply } = await answeredThread(world, ana, channel);
  await ana.shortcut("bobbin_stop", reply);
  await ana.shortcut("bobbin_reset", root);
  expect(await commandsIn(world)).toEqual(["stop", "reset"]);
  expect(await whispers(world, channel, root.ts, ana, 2)).toHaveLength(2);

  const talk = ana.say(channel, "just talk");
  await talk.delivered;
  await ana.shortcut("bobbin_reset", talk);
  expect(await whispers(world, channel, talk.ts, ana, 1)).toEqual(["There is nothing to reset here yet."]);
  expect(await world.sessions()).toHaveLength(1);
});

test("where the bot is no member a shortcut is answered over its own address", async () => {
  await using world = await inboundWorld();
  const { slack } = world;
  const { ana } = cast(world);
  const elsewhere = slack.channel("elsewhere", { hasBot: false });
  const talk = ana.say(elsewhere, "no bot here");
  await talk.delivered;
  expect(await ana.shortcut("bobbin_stop", talk)).toMatchObject({ kind: "acknowledged" });
  expect(await whispers(world, elsewhere, talk.ts, ana, 1)).toEqual(["Nothing is running in this thread."]);
});

test("Slack's own Stop stops the thread, whoever pressed it", async () => {
  await using world = await inboundWorld();
  const { ana, ben, channel } = cast(world);
  const { root, session, reply } = await answeredThread(world, ana, channel);
  await fetch(`${world.slack.slackApiUrl}agents.sessions.setStatus`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${world.slack.app.botToken}`,
      "content-type": "application/json; charset=utf-8",
    },
    body: JSON.stringify({ channel_id: channel.id, thread_ts: root.ts, status: "processing" }),
  });
  await ben.stop(root).delivered;
  const [, stop] = await world.stored();
  expect(stop).toMatchObject({
    kind: "command",
    command: { name: "stop" },
    author: { name: "Ben" },
    session,
  });
  expect(world.slack.thread(channel, root.ts, { as: ben }).at(-1)?.ts).toBe(reply.ts);
});

test("G10 a command that is written in a thread is taken at once, is no message, and is answered there", async () => {
  await using world = await inboundWorld();
  const { ana, ben, channel, at } = cast(world);
  const { root } = await answeredThread(world, ana, channel);
  for (const name of ["queue", "status", "help", "stop"]) {
    await ben.say(channel, `${at} ${name}`, { thread: root }).delivered;
  }
  const stored = await world.stored();
  expect(stored.map(({ kind }) => kind)).toEqual(["message", "command"]);
  const told = await whispers(world, channel, root.ts, ben, 4);
  expect(told).toContain("Nothing waits in this thread.");
  expect(told).toContain("Stopping.");
  expect(told.join("\n")).toContain("@bobbin retry");
  expect(world.slack.callsOf("chat.postEphemeral")).toHaveLength(4);
  expect(world.slack.complaints).toEqual([]);
});

test("help at the top of a channel is answered there, opens no thread and is not kept", async () => {
  await using world = await inboundWorld();
  const { ana, channel, at } = cast(world);
  await ana.say(channel, `${at} help`).delivered;
  const seen = () => world.slack.channelTop(channel, { as: ana }).map((one) => one.ephemeralTo);
  await until(() => seen().includes(ana.id), { what: "Ana is told" });
  expect(seen()).toEqual([undefined, ana.id]);
  expect(await world.stored()).toEqual([]);
  expect(await world.sessions()).toEqual([]);
});

test.each(["socket", "http"] as const)(
  "over %s /reset asks which of the channel's threads is meant, and resets the one that is chosen",
  async (over) => {
    await using world = await inboundWorld({ over });
    const { slack } = world;
    const { ana, ben, channel, at } = cast(world);
    const first = ana.say(channel, `${at} the first question`);
    await first.delivered;
    const second = ana.say(channel, `${at} the second question`);
    await second.delivered;
    await ben.dm("a question of Ben's that is nobody's business").delivered;

    expect(await ana.slash("/reset", "", channel)).toMatchObject({ kind: "acknowledged" });
    const picker = slack.channelTop(channel, { as: ana }).at(-1);
    if (picker === undefined) throw new Error("there is no picker");
    expect(picker.ephemeralTo).toBe(ana.id);
    const shown = JSON.stringify(picker.blocks);
    expect(shown).toContain("the first question");
    expect(shown).not.toContain("nobody's business");

    await ana.click(picker, "bobbin_pick_reset", first.ts);
    const reset = (await world.stored()).at(-1);
    expect(reset).toMatchObject({
      kind: "command",
      session: `slack:${slack.teamId}:${channel.id}:${first.ts}`,
    });
    const last = () => slack.channelTop(channel, { as: ana }).at(-1);
    await until(() => last()?.text.includes("begins anew"), { what: "Ana is told" });
    expect(last()?.controls).toEqual([]);
    expect(slack.complaints).toEqual([]);
  },
);

test("/bobbin helps, asks for a thread where its word needs one, and says so where there is none", async () => {
  await using world = await inboundWorld();
  const { slack } = world;
  const { ana, channel, at } = cast(world);
  const last = () => slack.channelTop(channel, { as: ana }).at(-1);
  await ana.slash("/bobbin", "", channel);
  expect(last()?.text).toContain("@bobbin stop");
  await ana.slash("/bobbin", "status", channel);
  expect(last()?.text).toMatch(/no thread with the bot in this channel/);
  const root = ana.say(channel, `${at} a question`);
  await root.delivered;
  await ana.slash("/bobbin", "status", channel);
  const picker = last();
  if (picker === undefined) throw new Error("there is no picker");
  await ana.click(picker, "bobbin_pick_status", root.ts);
  await until(() => last()?.text.includes("Nothing is running"), { what: "Ana is told" });
  expect(await commandsIn(world)).toEqual([]);
});

test("what is not ours is acknowledged and changes nothing", async () => {
  await using world = await inboundWorld();
  const { ana, channel } = cast(world);
  const ts = await postAsBot(world, {
    channel: channel.id,
    text: "old",
    blocks: [
      {
        type: "actions",
        elements: [
          {
            type: "button",
            action_id: "of_an_older_version",
            text: { type: "plain_text", text: "x" },
            value: "y",
          },
        ],
      },
    ],
  });
  expect(await ana.click({ channel: channel.id, ts }, "of_an_older_version")).toMatchObject({
    kind: "acknowledged",
  });
  expect(await world.stored()).toEqual([]);
});

test("what people think of an answer is kept with its run, once for each of them, and each may change it", async () => {
  await using world = await inboundWorld();
  const { ana, ben, channel } = cast(world);
  const { root, session, run, reply } = await answeredThread(world, ana, channel);
  await ana.click(reply, "bobbin_feedback", `good ${run.id}`);
  await ana.click(reply, "bobbin_feedback", `good ${run.id}`);
  await ben.click(reply, "bobbin_feedback", `good ${run.id}`);
  await ben.click(reply, "bobbin_feedback", `bad ${run.id}`);
  const told = await whispers(world, channel, root.ts, ben, 2);
  expect(told[0]).toBe("Noted, thank you.");
  expect(told[1]).toContain("what was wrong");
  const said = (await world.feedback.ofSession(session)).map(
    (one) => `${one.person.name}: ${one.value} ${one.run}`,
  );
  expect(said.sort((a, b) => a.localeCompare(b))).toEqual([`Ana: good ${run.id}`, `Ben: bad ${run.id}`]);
});

test("Details tells of its own run, and only who pressed it; a button of another version is answered too", async () => {
  await using world = await inboundWorld();
  const { ana, ben, channel } = cast(world);
  const { root, run, reply } = await answeredThread(world, ana, channel);
  await ben.click(reply, "bobbin_details");
  expect((await whispers(world, channel, root.ts, ben, 1))[0]).toContain(run.id);
  expect(await ben.click(reply, "bobbin_of_another_version")).toMatchObject({ kind: "acknowledged" });
  expect((await whispers(world, channel, root.ts, ben, 2))[1]).toContain("no use any more");
  expect(await whispers(world, channel, root.ts, ana, 0)).toEqual([]);
  expect(await commandsIn(world)).toEqual([]);
});
