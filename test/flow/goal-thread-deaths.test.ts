// Goals that are given in channels, whose gateway dies by kill -9 after it has acknowledged them and before it has told who gave them:
// whoever comes next opens the one thread of each, or finds it.
import { expect, test } from "vitest";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import { callsTools, says } from "../support/fake-llm/answers.ts";
import type { FakeLlm } from "../support/fake-llm/server.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { silentLog } from "../support/silent-log.ts";
import { until } from "../support/until.ts";
import { openDiscordWorld } from "./discord-world.ts";
import { openSlackWorld } from "./slack-world.ts";

/** Where the gateway is when it dies: at this call of its own, which the platform has taken, or has not. */
interface Death {
  readonly call: string;
  readonly isDone: boolean;
}

/** A platform, with a gateway and a worker as processes. */
interface Driver extends AsyncDisposable {
  readonly llm: FakeLlm;
  /** Ana gives the goal in a channel of its own. Resolves when it is acknowledged, and the call is under way that is never answered. */
  give(objective: string, death: Death): Promise<string>;
  /** The gateway is killed, and another one is there. */
  die(): Promise<void>;
  /** What the bot wrote in the channel itself, each with what it says below that. */
  roots(channel: string): readonly { readonly text: string; readonly below: readonly string[] }[];
  /** What Ana alone reads there. */
  told(channel: string): readonly string[];
  /** How many goals there are. */
  goals(): Promise<number>;
  expectPeace(): void;
}

const COUNT = { text: "select count(*)::integer as count from goals" };

async function onSlack(): Promise<Driver> {
  await using building = new AsyncDisposableStack();
  const { url: databaseUrl } = building.use(await freshDatabase());
  const sql = building.adopt(openPostgres({ url: databaseUrl, log: silentLog }), (one) => one.close());
  const world = building.use(
    await openSlackWorld({ over: "socket", parts: ["gateway", "worker"], as: "processes", databaseUrl }),
  );
  const { slack } = world;
  const ana = slack.person("Ana");
  const dead = Promise.withResolvers<void>();
  const isOurs = ({ userId }: { readonly userId: string }): boolean => userId === slack.app.botUserId;
  const stack = building.move();
  return {
    llm: world.llm,
    async give(objective, { call, isDone }) {
      const channel = slack.channel(`for-${objective}`);
      let isUnderWay = false;
      slack.fault(call, isDone ? { kind: "late answer", until: dead.promise } : { kind: "unreachable" }, {
        times: isDone ? 1 : Infinity,
        when: (made) => made.optional("channel") === channel.id && (isUnderWay = true),
      });
      expect((await ana.slash("/goal", objective, channel)).kind).toBe("acknowledged");
      await until(() => isUnderWay, { what: `${call} is under way` });
      return channel.id;
    },
    async die() {
      const [gateway] = world.processes;
      gateway?.kill("SIGKILL");
      await gateway?.exited;
      dead.resolve();
      slack.clearFaults();
      // As if they had waited as long as they would.
      await sql.query({ text: "update answers set taken_at = 0" });
      await world.add("gateway");
    },
    roots: (channel) =>
      slack
        .channelTop(channel)
        .filter(isOurs)
        .map(({ text, ts }) => ({
          text,
          below: world.replies({ channel, root: ts }).map((one) => one.text),
        })),
    told: (channel) =>
      slack
        .channelTop(channel, { as: ana })
        .filter(({ ephemeralTo }) => ephemeralTo === ana.id)
        .map(({ text }) => text),
    goals: async () => (await sql.query<{ count: number }>(COUNT))[0]!.count,
    expectPeace: world.expectPeace,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function onDiscord(): Promise<Driver> {
  const world = await openDiscordWorld({ parts: ["gateway", "worker"], as: "processes" });
  const { discord } = world;
  const ana = discord.person("Ana");
  const dead = Promise.withResolvers<void>();
  const sql = await world.sql();
  return {
    llm: world.llm,
    async give(objective, { call, isDone }) {
      const channel = discord.channel(`for-${objective}`);
      let isUnderWay = false;
      discord.fault(call, isDone ? { kind: "late answer", until: dead.promise } : { kind: "unreachable" }, {
        times: isDone ? 1 : Infinity,
        when: ({ params }) => params["channel"] === channel.id && (isUnderWay = true),
      });
      expect(await ana.command(channel, "goal set", { objective })).toBe("answered");
      await until(() => isUnderWay, { what: `${call} is under way` });
      return channel.id;
    },
    async die() {
      const [gateway] = world.running;
      gateway?.process?.kill("SIGKILL");
      await gateway?.process?.exited;
      dead.resolve();
      discord.clearFaults();
      await world.start("gateway");
    },
    roots: (channel) =>
      discord
        .shown(channel)
        .filter(({ authorId }) => authorId === discord.botId)
        .map(({ text, id }) => ({
          text,
          below: discord.threadNamed(id) === undefined ? [] : world.replies(id).map((one) => one.text),
        })),
    told: (channel) => discord.whispers(channel, ana).map((text) => text ?? "…"),
    goals: async () => (await sql.query<{ count: number }>(COUNT))[0]!.count,
    expectPeace: world.expectPeace,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

async function play(opened: Promise<Driver>, deaths: readonly Death[]): Promise<void> {
  await using driver = await opened;
  const begun = new Set<string>();
  const objectives = deaths.map((_, n) => `pond-${n}`);
  driver.llm.respondWith(async (exchange) => {
    const asked = JSON.stringify(exchange.request.body.messages);
    const objective = objectives.find((each) => asked.includes(each)) ?? "nothing";
    if (begun.has(objective)) return says(`All herons of ${objective} are counted.`)(exchange);
    begun.add(objective);
    const proof = JSON.stringify({ status: "complete", evidence: "both shores were walked" });
    await callsTools({ id: `c-${objective}`, name: "update_goal", arguments: proof })(exchange);
  });
  const channels: string[] = [];
  for (const [n, death] of deaths.entries()) channels.push(await driver.give(objectives[n]!, death));
  await driver.die();
  for (const [n, channel] of channels.entries()) {
    const objective = objectives[n]!;
    await until(
      () => driver.roots(channel).some(({ below }) => below.some((text) => text.includes("are counted"))),
      { what: `${objective} has its thread and is worked on there` },
    );
    await until(() => driver.told(channel).some((text) => text.includes("has a goal now")), {
      what: "Ana is told",
    });
    const cards = () =>
      driver.roots(channel).flatMap(({ below }) => below.filter((text) => text.startsWith("Goal ·")));
    await until(() => cards().length > 0, { what: "the card is there" });
    const [root, ...more] = driver.roots(channel);
    expect(more).toEqual([]);
    expect(root?.text).toContain(objective);
    expect(cards()).toHaveLength(1);
    expect(driver.told(channel)).toEqual([expect.stringContaining("Open the thread")]);
  }
  expect(await driver.goals()).toBe(deaths.length);
  driver.expectPeace();
}

test("Slack: before it took the thread's first post, and after that", () =>
  play(onSlack(), [
    { call: "chat.postMessage", isDone: false },
    { call: "chat.postMessage", isDone: true },
  ]));

test("Discord: before and after it took the first post, and before and after the thread hangs below that", () =>
  play(onDiscord(), [
    { call: "POST /channels/:channel/messages", isDone: false },
    { call: "POST /channels/:channel/messages", isDone: true },
    { call: "POST /channels/:channel/messages/:message/threads", isDone: false },
    { call: "POST /channels/:channel/messages/:message/threads", isDone: true },
  ]));
