/** How long a stop takes, from the press of a person to the reply that says so, with the gateway and the worker apart. */

import { Redis } from "ioredis";
import { request } from "undici";
import { spawnProduct } from "../test/support/product.ts";
import type { Person, Said } from "../test/support/slack/person.ts";
import type { SeenMessage } from "../test/support/slack/seen.ts";
import { until } from "../test/support/until.ts";
import { quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";
import { openSlackPlace, type SlackPlace } from "./slack-place.ts";

/** An answer of a minute and a half: who stops it is always in time. */
const MODEL_WAY = "slow/900/10";
const AT_ONCE = 4;
const STOPS = { short: 48, full: 240 } as const;

/** All ways that people have. Each resolves when Slack has been answered. */
const WAYS: readonly ((
  person: Person,
  root: Said,
  answer: SeenMessage,
  place: SlackPlace,
) => Promise<unknown>)[] = [
  (person, _, answer) => person.click(answer, "bobbin_stop"),
  (person, root, _, { slack }) =>
    person.say(root.channel, `${slack.botMention} stop`, { thread: root }).delivered,
  (person, root) => person.stop(root).delivered,
  (person, _, { channel, ts }) => person.shortcut("bobbin_stop", { channel, ts }),
];

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  let left = 0;
  const model = await startModelServer({ onLeft: () => left++ });
  stack.defer(() => model.close());
  const place = stack.use(await openSlackPlace());
  const [database, redis] = await Promise.all([world.newDatabase(), world.newRedis()]);
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: model.url(MODEL_WAY),
    MODEL: "fake",
    ...place.env,
  };
  const gateway = stack.use(spawnProduct("gateway", env));
  const worker = stack.use(spawnProduct("worker", env));
  const [address] = await Promise.all([gateway.ready(), worker.ready()]);
  place.slack.useHttp(`${address}/slack/events`);
  for (const { pid } of [gateway, worker]) world.pin(pid);
  const bare = await openBareStop(redis.url, place, stack);

  let scenes = 0;
  /** From the press to the version of the reply that says "Stopped.", ms. */
  async function stop(way: (typeof WAYS)[number]): Promise<number> {
    const { slack } = place;
    const channel = place.newChannel();
    const person = slack.person(`Stopper ${scenes++}`);
    channel.members.add(person.id);
    const root = person.say(channel, `${slack.botMention} tell me all`);
    const reply = (text: RegExp): SeenMessage | undefined =>
      slack
        .thread(channel, root.root)
        .find((one) => one.userId === slack.app.botUserId && text.test(one.text));
    const answer = await until(() => reply(/Hello/), { timeoutMs: 60_000, what: "the answer grows" });
    // Slack shows its own Stop from then on.
    await until(() => slack.statusLine(channel, root) !== "", {
      timeoutMs: 60_000,
      what: "Slack says so too",
    });
    const pressedAt = performance.now();
    await way(person, root, answer, place);
    const stopped = await until(() => reply(/Stopped\./), {
      timeoutMs: 60_000,
      what: "the stop is confirmed",
    });
    return (stopped.versions.find(({ text }) => /Stopped\./.test(text))?.atMs ?? Number.NaN) - pressedAt;
  }

  const count = STOPS[world.length];
  world.note(`${count} stops, ${AT_ONCE} at a time`);
  for (const way of WAYS) await stop(way);
  left = 0;
  const [ours, theirs]: [number[], number[]] = [[], []];
  let begun = 0;
  const someone = async (): Promise<void> => {
    for (let turn = begun++; turn < count; turn = begun++) {
      const way = WAYS[turn % WAYS.length];
      if (way === undefined) return;
      ours.push(await stop(way));
      theirs.push(await bare());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, someone));
  await until(() => left === count, { what: "every stream of the model was left" });
  const row = (what: string, share: number, bounds?: Comparison["bounds"]): Comparison => ({
    id: "Stop",
    what,
    product: [quantileOf(ours, share)],
    reference: {
      name: "bare signal there and back, and a call of Slack's",
      samples: [quantileOf(theirs, share)],
    },
    ...(bounds === undefined ? {} : { bounds }),
  });
  return [
    row("press to confirmed, p99 ms", 0.99, { of: "figure", better: "less", target: 1_000, limit: 1_000 }),
    row("press to confirmed, p50 ms", 0.5),
  ];
}

/** What nobody can do without: the press is answered over HTTP, a signal goes over Redis and is answered, Slack is called. */
async function openBareStop(
  redisUrl: string,
  { slack }: SlackPlace,
  stack: AsyncDisposableStack,
): Promise<() => Promise<number>> {
  const connect = (): Redis => {
    const redis = new Redis(redisUrl);
    stack.defer(() => redis.disconnect());
    return redis;
  };
  const [here, hearsHere, there, hearsThere] = [connect(), connect(), connect(), connect()];
  await hearsHere.subscribe("bare-back");
  await hearsThere.subscribe("bare-stop");
  hearsThere.on("message", (_, text: string) => void there.publish("bare-back", text));
  const channel = slack.channel("bare");
  const root = slack.person("Bare").say(channel, "a thread", { copies: "only the mention" });
  let count = 0;
  return async () => {
    const name = `${count++}`;
    const from = performance.now();
    const back = new Promise<void>((resolve) => {
      const hear = (_: string, text: string): void => {
        if (text !== name) return;
        hearsHere.off("message", hear);
        resolve();
      };
      hearsHere.on("message", hear);
    });
    await here.publish("bare-stop", name);
    await back;
    const answer = await request(`${slack.slackApiUrl}chat.postMessage`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${slack.app.botToken}`,
        "content-type": "application/json; charset=utf-8",
      },
      body: JSON.stringify({ channel: channel.id, thread_ts: root.root, text: "Stopped." }),
    });
    await answer.body.text();
    return performance.now() - from;
  };
}

export const stop: Benchmark = { name: "stop", run };
