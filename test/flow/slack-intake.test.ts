// However Slack brings a message, and whatever is away meanwhile: it is answered once.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { refuses, says } from "../support/fake-llm/answers.ts";
import { ownPostgres } from "../support/services/postgres.ts";
import type { PostgresServer } from "../support/services/postgres-server.ts";
import type { RedisServer } from "../support/services/redis-server.ts";
import { ownRedis } from "../support/services/redis.ts";
import type { ApiCall } from "../support/slack/api/call.ts";
import type { Payload } from "../support/slack/delivery.ts";
import type { Said } from "../support/slack/person.ts";
import { until } from "../support/until.ts";
import { openSlackWorld, type SlackWorld } from "./slack-world.ts";

let world: SlackWorld;
let scenes = 0;

function scene() {
  const { slack } = world;
  scenes++;
  const ana = slack.person(`Ana ${scenes}`);
  return { slack, ana, channel: slack.channel(`channel-${scenes}`), at: slack.botMention };
}

/** How often the model was asked about this. */
const askedAbout = (words: string): number =>
  world.llm.requests.filter(({ body }) => JSON.stringify(body.messages.at(-1)).includes(words)).length;

/**
 * Until the thread has its answer, and another message behind it as well: whatever would have come twice is there by then.
 */
async function answeredOnce(root: Said, words: string): Promise<void> {
  const { slack } = world;
  const [answer] = await world.settled(root, 1);
  expect(answer?.text).toContain(words);
  const writer = slack.person(`Somebody ${++scenes}`);
  const later = writer.say(root.channel, `and then`, { thread: root });
  await later.delivered;
  const [first, second, ...more] = await world.settled(root, 2);
  expect([first?.ts, second?.text]).toEqual([answer?.ts, expect.stringContaining("and then")]);
  expect(more).toEqual([]);
  expect(askedAbout(words)).toBe(1);
}

const about = ({ ts }: Said) => ({
  when: ({ body }: Payload) => (body["event"] as { ts?: string } | undefined)?.ts === ts,
});

describe.each(["socket", "http"] as const)("over %s, with two gateways where Slack can choose", (over) => {
  beforeAll(async () => {
    const gateways = over === "socket" ? (["gateway", "gateway"] as const) : (["gateway"] as const);
    world = await openSlackWorld({ over, parts: [...gateways, "worker"] });
  });
  afterEach(() => {
    world.slack.delivery.deliverTo("one");
    world.expectPeace();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.each(["message first", "mention first"] as const)(
    "I1 pitfall 1: the two copies of a mention are answered once, %s",
    async (order) => {
      const { ana, channel, at } = scene();
      const words = `copies ${scenes}`;
      await answeredOnce(ana.say(channel, `${at} ${words}`, { order }), words);
    },
  );

  test.each(["only the message", "only the mention"] as const)(
    "pitfall 1: a mention of which %s arrives is answered",
    async (copies) => {
      const { ana, channel, at } = scene();
      const words = `one copy ${scenes}`;
      await answeredOnce(ana.say(channel, `${at} ${words}`, { copies }), words);
    },
  );

  test("same event twice, or mention and message copies of one post: at once and after the answer, they change nothing", async () => {
    const { slack, ana, channel, at } = scene();
    slack.delivery.hold();
    const root = ana.say(channel, `${at} again and again`);
    slack.delivery.release((held) => [...held, ...held, ...held.toReversed()]);
    await root.delivered;
    await answeredOnce(root, "again and again");
    for (const { payload } of slack.delivery.about(root.ts)) await slack.delivery.repeat(payload);
    expect(await world.settled(root, 2)).toHaveLength(2);
    expect(askedAbout("again and again")).toBe(1);
  });

  test("I2 I3 pitfall 6: the first attempts get lost, or their acknowledgements do: the retry is answered, once", async () => {
    const { slack, ana, channel, at } = scene();
    slack.delivery.hold();
    const lost = ana.say(channel, `${at} lost on the way`);
    const late = ana.say(channel, `${at} taken but not acknowledged`);
    slack.delivery.spoil("lost", { times: 2, ...about(lost) });
    slack.delivery.spoil("unacknowledged", { times: 2, ...about(late) });
    slack.delivery.release();
    for (const { delivered } of [lost, late]) {
      expect(await delivered).toMatchObject([
        { kind: "acknowledged", attempts: 2 },
        { kind: "acknowledged", attempts: 2 },
      ]);
    }
    await answeredOnce(lost, "lost on the way");
    await answeredOnce(late, "taken but not acknowledged");
  });

  test.each(["at its root", "in mid-thread"] as const)(
    "a reply below a mention %s that Slack has to send again is answered with it, though it comes first and no thread is known yet",
    async (where) => {
      const { slack, ana, channel, at } = scene();
      const ben = slack.person(`Ben ${scenes}`);
      const root = where === "at its root" ? undefined : ben.say(channel, "we talk about herons");
      await root?.delivered;
      slack.delivery.hold();
      const mention = ana.say(channel, `${at} what is it`, root === undefined ? {} : { thread: root });
      const saidAt = Date.now();
      const lost: Payload[] = [];
      // A second attempt comes after some time; here it is the only one that arrives.
      slack.delivery.release((held) => (lost.push(...held), []));
      const place = { thread: root ?? mention };
      for (const words of ["and be brief", `${ana.mention} not for the bot`, "(aside) nor this"])
        await ben.say(channel, words, place).delivered;
      await until(() => Date.now() > saidAt + 2_500, { what: "Slack tries again" });
      for (const payload of lost) await slack.delivery.repeat(payload);
      const answers = await world.settled(root ?? mention, 1);
      expect(answers).toHaveLength(1);
      const prompt = JSON.stringify(world.llm.requests.at(-1)?.body.messages);
      expect(prompt).toMatch(/what is it.*and be brief/);
      expect(prompt.match(/and be brief/g)).toHaveLength(1);
      expect(prompt).not.toMatch(/not for the bot|nor this/);
      await ana.say(channel, "and then", place).delivered;
      expect(await world.settled(root ?? mention, 2)).toHaveLength(2);
    },
  );

  test("what somebody writes right behind another's mention in mid-thread is answered with it, though whoever mentioned the bot is still being asked for", async () => {
    const { slack, ana, channel, at } = scene();
    const ben = slack.person(`Ben ${scenes}`);
    const root = ben.say(channel, "we talk about cranes");
    // From here on Ben is known, and Ana is not.
    await ben.say(channel, "which are birds", { thread: root }).delivered;
    const isKnown = Promise.withResolvers<void>();
    const isAsked = { times: Infinity, when: ({ args }: ApiCall) => args["user"] === ana.id };
    slack.fault("users.info", { kind: "late", until: isKnown.promise }, isAsked);
    const mention = ana.say(channel, `${at} look at this`, { thread: root });
    await ben.say(channel, "the file is crane.txt", { thread: root }).delivered;
    isKnown.resolve();
    slack.clearFaults();
    await mention.delivered;
    await world.settled(root, 1);
    const prompt = JSON.stringify(world.llm.requests.at(-1)?.body.messages);
    expect(prompt).toMatch(/look at this.*the file is crane\.txt/);
    expect(prompt.match(/crane\.txt/g)).toHaveLength(1);
  });

  test("what Slack could not bring at first is taken as people left it meanwhile: taken back, or changed, the newest change last", async () => {
    const { slack, ana, channel, at } = scene();
    const root = ana.say(channel, `${at} begin with herons`);
    await world.settled(root, 1);
    slack.delivery.hold();
    const [gone, changed] = ["forget the storks", "count the cranse"].map((words) =>
      ana.say(channel, words, { thread: root }),
    );
    ana.edit(changed!, "count the crnaes");
    const lost: Payload[] = [];
    slack.delivery.release((held) => (lost.push(...held), []));
    await ana.delete(gone!).delivered;
    await ana.edit(changed!, "count the cranes").delivered;
    for (const payload of lost) await slack.delivery.repeat(payload);
    await world.shows(root, "count the cranes");
    await ana.say(channel, "and then", { thread: root }).delivered;
    await world.shows(root, "and then");
    const prompt = JSON.stringify(world.llm.requests.at(-1)?.body.messages);
    expect(prompt).toMatch(/herons.*count the cranes.*and then/);
    expect(prompt).not.toMatch(/storks|cranse|crnaes/);
  });

  test("what Slack could not bring at first, and somebody wrote before they reset the thread, is not answered after it", async () => {
    const { slack, ana, channel, at } = scene();
    const words = `before the reset ${scenes}`;
    const root = ana.say(channel, `${at} begin`);
    await world.settled(root, 1);
    slack.delivery.hold();
    ana.say(channel, words, { thread: root });
    const lost: Payload[] = [];
    slack.delivery.release((held) => (lost.push(...held), []));
    // Platform time is kept in milliseconds.
    const saidAt = Date.now();
    await until(() => Date.now() > saidAt, { what: "the clock has moved" });
    await ana.say(channel, `${at} reset`, { thread: root }).delivered;
    for (const payload of lost) await slack.delivery.repeat(payload);
    await ana.say(channel, "and anew", { thread: root }).delivered;
    await world.shows(root, "and anew");
    await world.settled(root, 2);
    expect(askedAbout(words)).toBe(0);
    expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).not.toContain(words);
  });

  test("pitfall 22: the same events to every gateway at the same time are answered once, by one run at a time", async () => {
    const { slack, ana, channel, at } = scene();
    slack.delivery.deliverTo("every");
    const root = ana.say(channel, `${at} to everybody`);
    await root.delivered;
    await answeredOnce(root, "to everybody");
  });

  test("replies that arrive in the wrong order while the bot works are read in the right one, in one turn", async () => {
    const { slack, ana, channel, at } = scene();
    const mayEnd = Promise.withResolvers<void>();
    world.llm.script(async (exchange) => {
      await mayEnd.promise;
      await says("the first part")(exchange);
    });
    const root = ana.say(channel, `${at} begin`);
    await root.delivered;
    await world.shows(root, "Thinking…");
    slack.delivery.hold();
    const two = ana.say(channel, "reply two", { thread: root });
    // Platform time is kept in milliseconds.
    const saidAt = Date.now();
    await until(() => Date.now() > saidAt, { what: "the clock has moved" });
    const three = ana.say(channel, "reply three", { thread: root });
    slack.delivery.release((held) => held.toReversed());
    for (const { delivered } of [two, three]) await delivered;
    mayEnd.resolve();
    await world.shows(root, "reply three");
    await world.settled(root, 1);
    const turn = JSON.stringify(world.llm.requests.at(-1)?.body.messages.at(-1));
    expect(turn).toMatch(/reply two.*reply three/);
  });

  test("pitfall 1: a command is obeyed once and told once, whichever gateway its copies come to", async () => {
    const { slack, ana, channel, at } = scene();
    world.llm.script(refuses(400, { message: "no" }));
    const root = ana.say(channel, `${at} try this`);
    await world.settled(root, 1);
    slack.delivery.deliverTo("every");
    for (const name of ["status", "help", "queue"])
      await ana.say(channel, `${at} ${name}`, { thread: root }).delivered;
    await ana.say(channel, `${at} retry`, { thread: root }).delivered;
    await world.shows(root, "You said");
    await ana.say(channel, `${at} stop`, { thread: root }).delivered;
    const told = await world.whispers(root, ana, 5);
    expect(told.filter((text) => text.includes("Trying again."))).toHaveLength(1);
    expect(told).toHaveLength(5);
  });

  test("I5 pitfall 15: a preview, a corrected typing error, and the bot's own edits start no second answer", async () => {
    const { slack, ana, channel, at } = scene();
    const asked = world.llm.requests.length;
    const root = ana.say(channel, `${at} look at https://example.org/pge`);
    await world.settled(root, 1);
    slack.unfurl(root, "https://example.org/pge");
    await ana.edit(root, `${at} look at https://example.org/page`).delivered;
    await ana.say(channel, "and then", { thread: root }).delivered;
    expect(await world.settled(root, 2)).toHaveLength(2);
    expect(world.llm.requests).toHaveLength(asked + 2);
    // The model is told with the next turn.
    expect(JSON.stringify(world.llm.requests.at(-1)?.body.messages)).toContain("example.org/page");
  });

  test("I7 pitfall 18: another bot that mentions ours is not answered, and people need to mention it once only", async () => {
    const { slack, ana, channel, at } = scene();
    const root = ana.say(channel, `${at} hello`);
    await world.settled(root, 1);
    const other = slack.otherBot("Parrot");
    await other.say(channel, `${at} hello to you`, { thread: root }).delivered;
    await other.say(channel, `${at} hello to you`, { thread: root, subtype: "bot_message" }).delivered;
    await answeredOnce(root, "hello");
  });
});

describe("over HTTP", () => {
  beforeAll(async () => {
    world = await openSlackWorld({ over: "http", parts: "start" });
  });
  afterEach(() => world.expectPeace());
  afterAll(() => world[Symbol.asyncDispose]());

  test("S9 a wrong signature, an old time and a body of 5 MB are refused, and all stays well", async () => {
    const { slack, ana, channel, at } = scene();
    const url = `${world.urls[0]}/slack/events`;
    const root = ana.say(channel, `${at} a real one`);
    await root.delivered;
    const [{ payload } = { payload: undefined }] = slack.delivery.about(root.ts);
    const forged = {
      ...payload?.body,
      event: { ...(payload?.body["event"] as object), ts: "1.000001", text: `${at} forged` },
    };
    const body = JSON.stringify(forged);
    const large = JSON.stringify({ ...forged, filling: "x".repeat(5 * 1024 * 1024) });
    const statuses = [];
    for (const request of [
      { body, secret: "another" },
      { body, signature: undefined },
      { body, signature: "v0=00" },
      { body, ageS: 301 },
      { body, ageS: -400 },
      { body: large },
      { body: large, secret: "another" },
    ]) {
      statuses.push((await slack.http.post(url, request)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 413, 413]);
    expect(await world.missing()).toEqual([]);
    await answeredOnce(root, "a real one");
    expect(askedAbout("forged")).toBe(0);
  });
});

describe("with a Postgres and a Redis that go away", () => {
  let postgres: PostgresServer;
  let redis: RedisServer;
  beforeAll(async () => {
    postgres = await ownPostgres();
    redis = await ownRedis();
    world = await openSlackWorld({
      over: "http",
      parts: ["gateway", "worker", "worker"],
      databaseUrl: postgres.url,
      redisUrl: redis.url,
    });
  });
  afterEach(() => world.expectPeace());
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });

  const isWell = () => until(async () => (await world.missing()).length === 0, { what: "all is well" });

  test("Q18 Redis away: a mention is acknowledged at the first attempt, and answered when it is back", async () => {
    const { ana, channel, at } = scene();
    await redis.stop("kill");
    const root = ana.say(channel, `${at} without a bell`);
    expect(await root.delivered).toMatchObject([
      { kind: "acknowledged", attempts: 1 },
      { kind: "acknowledged", attempts: 1 },
    ]);
    expect(world.replies(root)).toEqual([]);
    await redis.start();
    await isWell();
    await answeredOnce(root, "without a bell");
  });

  test("Q18 pitfall 8: Postgres away: a mention is not acknowledged, comes again, and is answered once", async () => {
    const { slack, ana, channel, at } = scene();
    await postgres.stop();
    const root = ana.say(channel, `${at} without a store`);
    const attempts = (): readonly number[] => slack.delivery.about(root.ts).map((each) => each.attempts);
    await until(() => attempts().length === 2 && attempts().every((count) => count >= 2), {
      what: "both copies were refused",
    });
    expect(slack.delivery.about(root.ts).every(({ outcome }) => outcome?.kind !== "acknowledged")).toBe(true);
    await postgres.start();
    await isWell();
    // Slack tries for minutes; here it is told when.
    const outcomes = await root.delivered;
    for (const { payload } of slack.delivery.about(root.ts)) await slack.delivery.repeat(payload);
    expect(outcomes).toHaveLength(2);
    await answeredOnce(root, "without a store");
  });
});
