import { expect, test } from "vitest";
import { Socket } from "../../../src/adapters/slack/socket.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { createLocalSlack } from "../../support/slack/local-slack.ts";
import { until } from "../../support/until.ts";
import { inboundWorld, type InboundWorld } from "./inbound-world.ts";
import { recorded } from "./recorded.ts";

const deps = { clock: createSystemClock(), log: silentLog };
const quick = { pauseMs: { first: 20, longest: 100 }, closeMs: 200 };

async function say(world: InboundWorld, text: string) {
  const { slack } = world;
  const delivered = await slack.person("Ana").say(slack.channel("general"), `${slack.botMention} ${text}`, {
    copies: "only the message",
  }).delivered;
  expect(delivered).toMatchObject([{ kind: "acknowledged" }]);
}

function connectionAfter(world: InboundWorld, number: number) {
  return until(() => world.slack.sockets.open.find((one) => one.number > number), {
    what: `there is a connection after number ${number}`,
  });
}

async function readiness(world: InboundWorld): Promise<string> {
  return (await fetch(`${world.http.url}/readyz`)).text();
}

test.each(["warning", "refresh_requested", "too_many_websockets"] as const)(
  "pitfall 7: after Slack asks for a new connection (%s) events go on over the next one",
  async (reason) => {
    await using world = await inboundWorld();
    world.slack.sockets.open[0]?.disconnect(reason);
    await connectionAfter(world, 1);
    await say(world, "after the refresh");
    expect(await world.stored()).toHaveLength(1);
  },
);

test("pitfall 7: after the wire was cut the next connection comes", async () => {
  await using world = await inboundWorld();
  world.slack.sockets.open[0]?.drop();
  await connectionAfter(world, 1);
  await say(world, "after the cut");
  expect(await readiness(world)).toContain('"ready":true');
});

test("I20 a connection that stays open and answers nothing is replaced, and health says when it was last heard", async () => {
  await using world = await inboundWorld({ socket: { pongMs: 300 } });
  const { slack } = world;
  const [silent] = slack.sockets.open;
  await until(() => world.connection.heardAt, { what: "something was heard" });
  slack.fault("apps.connections.open", { kind: "status", status: 503 }, { times: Infinity });
  silent?.freeze();
  const told = await until(async () => (await readiness(world)).match(/last heard at ([^ ]+)\."/)?.[1], {
    what: "health tells of the silence",
  });
  expect(Math.abs(Date.parse(told) - Date.now())).toBeLessThan(60_000);
  slack.clearFaults();
  await connectionAfter(world, 1);
  await say(world, "over the new one");
  await until(async () => (await readiness(world)).includes('"ready":true'), { what: "it is ready again" });
});

test("a Slack that cannot be reached at first is waited for", async () => {
  await using slack = await createLocalSlack();
  slack.fault("apps.connections.open", { kind: "status", status: 503 }, { times: 3 });
  const socket = new Socket(deps, { appToken: slack.app.appToken, apiUrl: slack.slackApiUrl, ...quick });
  await socket.start();
  expect(socket.check()).toBe(undefined);
  expect(slack.unusedFaults).toBe(0);
  await socket.stop();
});

test("a token that Slack refuses ends the start with a sentence that names the setting", async () => {
  await using slack = await createLocalSlack();
  const socket = new Socket(deps, { appToken: "xapp-wrong", apiUrl: slack.slackApiUrl, ...quick });
  await expect(socket.start()).rejects.toMatchObject({
    code: "platform_refused",
    retryable: false,
    message: expect.stringContaining("SLACK_APP_TOKEN"),
  });
  expect(socket.check()).toContain("not connected");
  await socket.stop();
});

test("a stop ends a start that waits, is bounded while Slack does not close its end, and may be called twice", async () => {
  await using slack = await createLocalSlack();
  slack.fault("apps.connections.open", { kind: "status", status: 503 }, { times: 1_000 });
  const waiting = new Socket(deps, { appToken: slack.app.appToken, apiUrl: slack.slackApiUrl, ...quick });
  const started = waiting.start();
  const failed = expect(started).rejects.toMatchObject({ code: "platform_unavailable" });
  await until(() => slack.callsOf("apps.connections.open").length > 2, { what: "it has tried" });
  await waiting.stop();
  await failed;
  slack.clearFaults();

  const open = new Socket(deps, { appToken: slack.app.appToken, apiUrl: slack.slackApiUrl, ...quick });
  await open.start();
  slack.sockets.open[0]?.freeze();
  await Promise.all([open.stop(), open.stop()]);
  await until(() => slack.sockets.open.length === 0, { what: "the connection is closed" });
});

test("pitfall 7: a message without an event in it harms nothing", async () => {
  await using world = await inboundWorld({ slack: { ackTimeoutMs: 400 } });
  const { slack } = world;
  const outcome = await slack.delivery.send({ kind: "event", body: { ...recorded("rate_limited") } });
  expect(outcome.kind).toBe("given up");
  await say(world, "still here");
  expect(await world.stored()).toHaveLength(1);
  expect(await readiness(world)).toContain('"ready":true');
});

test("what is under way at a stop is stored or comes again", async () => {
  await using world = await inboundWorld();
  const { slack } = world;
  const ana = slack.person("Ana");
  const channel = slack.channel("general");
  const said = Array.from({ length: 20 }, (_, n) => ana.say(channel, `${slack.botMention} ${n}`));
  await world.connection.stop();
  const next = await world.another();
  await Promise.all(said.map(({ delivered }) => delivered));
  await until(async () => (await world.stored()).length === 20, { what: "all are stored" });
  await next.stop();
});
