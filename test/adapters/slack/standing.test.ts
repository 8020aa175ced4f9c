// Whether a goal may go on in Slack: asked of the real API of the local Slack, and kept from one turn to the next.
import { expect, test } from "vitest";
import { createSlackPeople } from "../../../src/adapters/slack/people.ts";
import { createSlackStanding } from "../../../src/adapters/slack/standing.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { outboundWorld } from "./outbound-world.ts";

async function world() {
  const { slack, api, ana, channel, session, ...rest } = await outboundWorld();
  const clock = manualClock();
  const people = createSlackPeople({ api, clock });
  const { botId: bot, botUserId: user, name } = slack.app;
  const standingOf = createSlackStanding({
    clock,
    at: async (space) => ({ api, people, bot: { space, user, bot, name } }),
  });
  const owner = { id: ana.id, name: "Ana" };
  return {
    slack,
    clock,
    ana,
    channel,
    look: async () => {
      await clock.advance(60_000);
      return standingOf(session, { owner, turns: 1 });
    },
    again: () => standingOf(session, { owner, turns: 1 }),
    [Symbol.asyncDispose]: () => rest[Symbol.asyncDispose](),
  };
}

test("an owner who is active and in the channel is told with what Slack says of them, and asked for once a minute", async () => {
  await using w = await world();
  expect(await w.look()).toMatchObject({ kind: "fine", owner: { id: w.ana.id, kind: "member" } });
  const asked = w.slack.calls.length;
  expect((await w.again()).kind).toBe("fine");
  expect(w.slack.calls).toHaveLength(asked);
});

test("owner removed from the channel", async () => {
  await using w = await world();
  expect((await w.look()).kind).toBe("fine");
  w.channel.members.delete(w.ana.id);
  expect((await w.look()).kind).toBe("owner_left");
});

test("an archived channel, and one that the bot was taken out of", async () => {
  await using w = await world();
  w.slack.kick(w.channel);
  expect((await w.look()).kind).toBe("gone");
  w.slack.invite(w.channel);
  expect((await w.look()).kind).toBe("fine");
  w.slack.archive(w.channel);
  expect((await w.look()).kind).toBe("gone");
});

test("where Slack does not answer, what was known last counts, and where nothing was known the goal goes on", async () => {
  await using w = await world();
  for (const method of ["conversations.info", "users.conversations"])
    w.slack.fault(method, { kind: "status", status: 503 }, { times: 10 });
  expect((await w.look()).kind).toBe("fine");
  w.slack.clearFaults();
  w.channel.members.delete(w.ana.id);
  expect((await w.look()).kind).toBe("owner_left");
  for (const method of ["conversations.info", "users.conversations"])
    w.slack.fault(method, { kind: "status", status: 503 }, { times: 10 });
  expect((await w.look()).kind).toBe("owner_left");
  w.slack.clearFaults();
});
