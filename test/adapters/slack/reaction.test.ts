// Reactions in Slack, for which a goal may wait and which are kept: over the real connection, from the local Slack.
import { expect, test } from "vitest";
import type { SessionId } from "../../../src/core/thread.ts";
import { answer, asRun, round } from "../../contract/store-samples.ts";
import { until } from "../../support/until.ts";
import { inboundWorld, type InboundWorld } from "./inbound-world.ts";

test("a reaction of a person to a message of the bot's is heard with who they are; one to a person's message, and one taken back, is not", async () => {
  await using world = await inboundWorld();
  const { slack, reactions } = world;
  const ana = slack.person("Ana");
  const channel = slack.channel("general");
  const asked = ana.say(channel, `${slack.botMention} may I?`);
  const posted = await fetch(`${slack.slackApiUrl}chat.postMessage`, {
    method: "POST",
    headers: { authorization: `Bearer ${slack.app.botToken}`, "content-type": "application/json" },
    body: JSON.stringify({ channel: channel.id, thread_ts: asked.ts, text: "May I?" }),
  });
  const { ts } = (await posted.json()) as { ts: string };
  const message = { channel: channel.id, ts };
  await ana.react({ channel: channel.id, ts: asked.ts }, "eyes").delivered;
  await ana.react(message, "thumbsup").delivered;
  await ana.unreact(message, "thumbsup").delivered;
  await until(() => reactions.length > 0, { what: "the reaction is heard" });
  expect(reactions).toEqual([
    {
      near: { platform: "slack", space: slack.teamId, channel: channel.id },
      message: ts,
      author: expect.objectContaining({ id: ana.id, name: "Ana", kind: "member" }),
      emoji: "thumbsup",
    },
  ]);
});

/** A thread with an answer of the bot's, and what is kept of reactions in it. */
async function thread(world: InboundWorld) {
  const { slack, store, pages, review } = world;
  const [ana, ben] = [slack.person("Ana"), slack.person("Ben")];
  const channel = slack.channel("general");
  const said = ana.say(channel, `${slack.botMention} may I?`);
  await said.delivered;
  const session = `slack:${slack.teamId}:${channel.id}:${said.ts}` as SessionId;
  const { fence, run } = asRun(await store.open(session, "w"));
  const posted = await fetch(`${slack.slackApiUrl}chat.postMessage`, {
    method: "POST",
    headers: { authorization: `Bearer ${slack.app.botToken}`, "content-type": "application/json" },
    body: JSON.stringify({ channel: channel.id, thread_ts: said.ts, text: "You may." }),
  });
  const { ts } = (await posted.json()) as { ts: string };
  await pages.put(fence, { run: run.id, index: 0, key: "k", message: ts });
  await store.end(fence, { reason: "stop", round: round(1, answer("You may.")), modelCalls: [] });
  await store.settled(fence);
  const seen = async () => {
    const { runs, inbounds } = await review.thread(session, { limit: 9 });
    const all = [...inbounds, ...runs].flatMap(({ reactions }) => reactions);
    const told = all.map(({ name, emoji, takenAt }) => [
      name,
      emoji,
      takenAt === undefined ? "stands" : "taken",
    ]);
    return told.toSorted((a, b) => a.join(" ").localeCompare(b.join(" ")));
  };
  return {
    ana,
    ben,
    channel,
    asked: { channel: channel.id, ts: said.ts },
    reply: { channel: channel.id, ts },
    seen,
  };
}

test("what people give to what is said in a thread and to an answer is kept, under their names and when they did it; taken back it says so", async () => {
  await using world = await inboundWorld();
  const { ana, ben, asked, reply, seen } = await thread(world);
  await ben.react(asked, "eyes").delivered;
  await ana.react(reply, "+1::skin-tone-2").delivered;
  expect(await seen()).toEqual([
    ["Ana", ":+1::skin-tone-2:", "stands"],
    ["Ben", ":eyes:", "stands"],
  ]);
  await ben.unreact(asked, "eyes").delivered;
  expect(await seen()).toContainEqual(["Ben", ":eyes:", "taken"]);
  // No message, and no reason for a run.
  expect(await world.stored()).toHaveLength(1);
  expect(await world.sessions()).toHaveLength(1);
});

test("late and out of order, twice, and where the acknowledgement was lost, it is what the people did", async () => {
  await using world = await inboundWorld();
  const { ana, ben, asked, reply, seen } = await thread(world);
  const { delivery } = world.slack;
  delivery.hold();
  const sent = [ben.react(reply, "tada"), ben.unreact(reply, "tada"), ana.react(asked, "eyes")];
  delivery.release((held) => [...held.toReversed(), ...held]);
  await Promise.all(sent.map(({ delivered }) => delivered));
  await until(() => delivery.log.every(({ outcome }) => outcome !== undefined), { what: "all is taken" });
  const tada = ["Ben", ":tada:", "taken"];
  expect(await seen()).toEqual([["Ana", ":eyes:", "stands"], tada]);
  delivery.spoil("unacknowledged");
  await ana.unreact(asked, "eyes").delivered;
  expect(await seen()).toEqual([["Ana", ":eyes:", "taken"], tada]);
  expect(await world.rowsOfReactions()).toBe(2);
});

test("nothing is kept of the bot itself, of other bots, and of what is said outside of threads, and nobody is looked up for that", async () => {
  await using world = await inboundWorld();
  const { slack } = world;
  const { ana, channel, asked } = await thread(world);
  const [dan, elsewhere] = [slack.person("Dan"), ana.say(channel, "not for the bot")];
  await dan.react({ channel: channel.id, ts: elsewhere.ts }, "wave").delivered;
  await dan.unreact({ channel: channel.id, ts: elsewhere.ts }, "wave").delivered;
  const looked = slack.calls.filter(({ method, args }) => method === "users.info" && args["user"] === dan.id);
  expect(looked).toEqual([]);
  const own = await fetch(`${slack.slackApiUrl}reactions.add`, {
    method: "POST",
    headers: { authorization: `Bearer ${slack.app.botToken}`, "content-type": "application/json" },
    body: JSON.stringify({ channel: channel.id, timestamp: asked.ts, name: "eyes" }),
  });
  expect(await own.json()).toMatchObject({ ok: true });
  const robot = slack.otherBot("Robot");
  slack.emit("reaction_added", {
    type: "reaction_added",
    user: robot.id,
    reaction: "robot_face",
    item: { type: "message", ...asked },
    event_ts: "1800000000.000100",
  });
  // Behind what is to be passed over.
  await ana.react(asked, "wave").delivered;
  await until(() => slack.delivery.log.every(({ outcome }) => outcome !== undefined), {
    what: "all is taken",
  });
  expect(await world.rowsOfReactions()).toBe(1);
});

test("what could not be stored is not acknowledged, and comes again", async () => {
  await using world = await inboundWorld();
  const { ben, asked, seen } = await thread(world);
  world.breakStore(2);
  const [outcome] = await ben.react(asked, "eyes").delivered;
  expect(outcome).toMatchObject({ kind: "acknowledged", attempts: 3 });
  expect(await seen()).toEqual([["Ben", ":eyes:", "stands"]]);
});
