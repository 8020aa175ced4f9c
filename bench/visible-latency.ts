/** B8: how long the first words of an answer take to be seen, and its last ones, over an API that takes its time. */

import { setTimeout as pause } from "node:timers/promises";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { medianOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";
import { openSlackPlace } from "./slack-place.ts";
import { openSlowLink } from "./slow-link.ts";

/** A call is late by so much, and done when its answer is there. */
const API_MS = 80;
const MODEL_WAY = "slow/60/20";
/** What the first delta is. */
const FIRST_WORD = "Hello";
const ANSWERS = { short: 3, full: 8 } as const;
const REST_MS = 500;

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  let [firstText, lastText] = [0, 0];
  const model = await startModelServer({
    onFirstText: () => (firstText = performance.now()),
    onEnd: () => (lastText = performance.now()),
  });
  stack.defer(() => model.close());
  const place = stack.use(await openSlackPlace({ complaints: {} }));
  const { slack } = place;
  const link = stack.use(await openSlowLink(Number(new URL(slack.origin).port), API_MS));
  const { url: databaseUrl } = await world.newDatabase();
  const product = stack.use(
    spawnProduct("start", {
      DATABASE_URL: databaseUrl,
      OPENAI_BASE_URL: model.url(MODEL_WAY),
      MODEL: "fake",
      ...place.env,
      SLACK_API_URL: `http://127.0.0.1:${link.port}/api/`,
    }),
  );
  slack.useHttp(`${await product.ready()}/slack/events`);
  world.pin(product.pid);

  async function answer(): Promise<{ readonly first: number; readonly last: number }> {
    const channel = place.newChannel();
    const person = slack.person(`Writer ${channel.name}`);
    channel.members.add(person.id);
    const { root } = person.say(channel, `${slack.botMention} tell me all`);
    const versions = await until(
      () => {
        const last = slack.thread(channel, root).at(-1);
        const isSettled = last?.controls.every(({ actionId }) => actionId !== "bobbin_stop");
        return last?.userId === slack.app.botUserId && isSettled === true ? last.versions : undefined;
      },
      { timeoutMs: 30_000, what: "the thread is answered" },
    );
    const first = versions.find(({ text }) => text.includes(FIRST_WORD));
    await pause(REST_MS);
    return {
      first: (first?.atMs ?? Number.NaN) - firstText,
      last: (versions.at(-1)?.atMs ?? Number.NaN) - lastText,
    };
  }

  const answers = ANSWERS[world.length];
  world.note(`${answers} answers of 3 s`);
  await answer();
  const first: number[] = [];
  const last: number[] = [];
  for (let count = 0; count < answers; count++) {
    const times = await answer();
    first.push(times.first);
    last.push(times.last);
  }
  const comparison = (what: string, times: number[], target: number, limit: number): Comparison => ({
    id: "B8",
    what,
    product: [medianOf(times)],
    reference: { name: "latency of the API", samples: [API_MS] },
    bounds: { of: "figure", better: "less", target, limit },
  });
  return [
    comparison("first delta to first words on Slack, ms", first, API_MS + 250, 600),
    comparison("last delta to the whole answer on Slack, ms", last, API_MS + 100, 400),
  ];
}

export const visibleLatency: Benchmark = { name: "visible-latency", run };
