// The local Slack's socket mode, held against the real Bolt.
import type { App } from "@slack/bolt";
import { expect, test } from "vitest";
import { boltOnSocket } from "../support/slack/bolt.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";
import type { Payload } from "../support/slack/delivery.ts";
import { until } from "../support/until.ts";

const quiet = { unfurl_links: false, unfurl_media: false };

/** Writes down what it hears: kind, ts, event id. */
function listenInto(heard: string[]): (app: App) => void {
  return (app) => {
    app.event(
      "app_mention",
      async ({ event, body }) => void heard.push(`mention ${event.ts} ${body.event_id}`),
    );
    app.message(async ({ event, body }) => void heard.push(`message ${event.ts} ${body.event_id}`));
  };
}

const kinds = (heard: readonly string[]): string[] => heard.map((line) => line.split(" ")[0] ?? "");
const eventIds = (heard: readonly string[]): string[] => heard.map((line) => line.split(" ")[2] ?? "");

test("a mention arrives as two events about one message, and the answer stands in its thread", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const heard: string[] = [];
  await using app = await boltOnSocket(slack, { listen: listenInto(heard) });
  app.event("app_mention", async ({ event, client }) => {
    await client.chat.postMessage({ channel: event.channel, thread_ts: event.ts, text: "Hello!", ...quiet });
  });

  const said = ada.say(channel, `${slack.botMention} hello`);
  const outcomes = await said.delivered;
  await until(() => slack.thread(channel, said).length === 2, { what: "the answer" });

  expect(outcomes.map(({ kind }) => kind)).toEqual(["acknowledged", "acknowledged"]);
  expect(kinds(heard).sort()).toEqual(["mention", "message"]);
  expect(new Set(eventIds(heard)).size).toBe(2);
  expect(heard.every((line) => line.includes(said.ts))).toBe(true);
  expect(slack.thread(channel, said).map(({ author, text }) => `${author}: ${text}`)).toEqual([
    `ada: @${slack.app.botUserId} hello`,
    "bobbin: Hello!",
  ]);
  expect(slack.channelTop(channel)).toHaveLength(1);
  expect(slack.complaints).toEqual([]);
});

test("the copies of a mention come in the order that was asked for", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const heard: string[] = [];
  await using _ = await boltOnSocket(slack, { listen: listenInto(heard) });
  for (const order of ["message first", "mention first"] as const) {
    await ada.say(channel, `${slack.botMention} hello`, { order }).delivered;
  }
  await until(() => heard.length === 4, { what: "all four events" });
  expect(kinds(heard)).toEqual(["message", "mention", "mention", "message"]);
});

test("an event that is not acknowledged comes again with the same id", async () => {
  await using slack = await createLocalSlack({ retryDelaysMs: [0, 60_000, 60_000] });
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const seen: { event: unknown; retry: number | undefined }[] = [];
  await using _ = await boltOnSocket(slack, {
    listen: (app) => {
      app.use(async ({ body, context, next }) => {
        seen.push({ event: "event_id" in body && body.event_id, retry: context.retryNum });
        await next();
      });
    },
  });
  slack.delivery.spoil("unacknowledged", { times: 2 });
  const said = ada.say(channel, "hello");
  await until(() => seen.length === 2, { what: "the first retry, which comes at once" });
  await until(() => slack.delivery.waiting === 1, { what: "the second retry to wait" });
  slack.delivery.retryNow();
  const [outcome] = await said.delivered;
  expect(outcome).toMatchObject({ kind: "acknowledged", attempts: 3 });
  expect(new Set(seen.map(({ event }) => event)).size).toBe(1);
  expect(seen.map(({ retry }) => retry)).toEqual([0, 1, 2]);
});

test("an event whose first delivery was lost is heard once, as a retry", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const heard: string[] = [];
  await using _ = await boltOnSocket(slack, { listen: listenInto(heard) });
  slack.delivery.spoil("lost");
  const said = ada.say(channel, "hello");
  expect(await said.delivered).toMatchObject([{ kind: "acknowledged", attempts: 2 }]);
  expect(heard).toHaveLength(1);
});

test("an app that does not answer is given up after four attempts", async () => {
  await using slack = await createLocalSlack({ retryDelaysMs: [0, 0, 0] });
  const ada = slack.person("ada");
  const said = ada.say(slack.channel("general"), "hello");
  expect(await said.delivered).toEqual([{ kind: "given up", reason: "no_connection" }]);
  expect(slack.delivery.about(said.ts)).toMatchObject([{ attempts: 4 }]);
});

test("events that are held come in another order, twice, or not at all", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const heard: string[] = [];
  await using _ = await boltOnSocket(slack, { listen: listenInto(heard) });
  slack.delivery.hold();
  const [one, two, three] = ["one", "two", "three"].map((text) => ada.say(channel, text));
  slack.delivery.release((held) => [held[1], held[0], held[1]].filter((each): each is Payload => !!each));
  await until(() => heard.length === 3, { what: "three events" });
  expect(heard.map((line) => line.split(" ")[1])).toEqual([two?.ts, one?.ts, two?.ts]);
  expect(await three?.delivered).toEqual([{ kind: "given up", reason: "left out" }]);
});

test("two gateways share the events, or both get each of them", async () => {
  await using slack = await createLocalSlack();
  const channel = slack.channel("general");
  const ada = slack.person("ada");
  const [first, second]: [string[], string[]] = [[], []];
  await using _a = await boltOnSocket(slack, { listen: listenInto(first) });
  await using _b = await boltOnSocket(slack, { listen: listenInto(second) });
  for (const text of ["one", "two", "three", "four"]) await ada.say(channel, text).delivered;
  await until(() => first.length + second.length === 4, { what: "four events" });
  expect([first.length, second.length]).toEqual([2, 2]);

  slack.delivery.deliverTo("every");
  await ada.say(channel, "five").delivered;
  await until(() => first.length === 3 && second.length === 3, { what: "the event at both" });
  expect(eventIds(first).at(-1)).toBe(eventIds(second).at(-1));

  slack.delivery.deliverTo("one");
  const chosen = slack.sockets.open[1];
  if (!chosen) throw new Error("there is no second connection");
  slack.sockets.choose(chosen);
  await ada.say(channel, "six").delivered;
  await until(() => second.length === 4, { what: "the event at the chosen one" });
});

test("a connection that is asked to leave, cut or silent is replaced by a new one", async () => {
  await using slack = await createLocalSlack({ pingEveryMs: 50 });
  await using _ = await boltOnSocket(slack, { pingTimeoutMs: 1000 });
  slack.sockets.open[0]?.disconnect("refresh_requested");
  await until(() => slack.sockets.connections[1]?.isOpen, { what: "the second connection" });
  expect(slack.sockets.connections[0]?.isOpen).toBe(false);
  slack.sockets.connections[1]?.drop();
  await until(() => slack.sockets.connections[2]?.isOpen, { what: "the third connection" });
  slack.sockets.connections[2]?.freeze();
  await until(() => slack.sockets.connections[3]?.isOpen, { what: "the fourth connection" });
});
