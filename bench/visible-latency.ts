/** B8: how long the first sign of life, the first words of an answer and its last ones take to be seen, over an API that takes its time. */

import { setTimeout as pause } from "node:timers/promises";
import { spawnProduct } from "../test/support/product.ts";
import { until } from "../test/support/until.ts";
import { medianOf, quantileOf, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";
import { openSlackPlace } from "./slack-place.ts";
import { openSlowLink } from "./slow-link.ts";

/** A call is late by so much, and done when its answer is there. */
const API_MS = 80;
const MODEL_WAY = "slow/60/20";
/** What the first delta is. */
const FIRST_WORD = "Hello";
/** Of ten the p95 is the slowest but one, nearly. */
const ANSWERS = { short: 10, full: 40 } as const;
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

  /** The first call that people can see something of. */
  const isSign = ({ method }: { readonly method: string }): boolean =>
    /^(?:reactions\.add|chat\.postMessage|agents\.sessions\.setStatus|assistant\.threads\.setStatus)$/.test(
      method,
    );

  interface Seen {
    /** Behind the person's message; the others behind the model's own words. */
    readonly sign: number;
    readonly first: number;
    readonly last: number;
  }

  async function answer(): Promise<Seen> {
    const channel = place.newChannel();
    const person = slack.person(`Writer ${channel.name}`);
    channel.members.add(person.id);
    const callsBefore = slack.calls.length;
    const askedAt = performance.now();
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
    const sign = slack.calls.slice(callsBefore).find(isSign);
    await pause(REST_MS);
    return {
      sign: (sign?.endedAtMs ?? Number.NaN) - askedAt,
      first: (first?.atMs ?? Number.NaN) - firstText,
      last: (versions.at(-1)?.atMs ?? Number.NaN) - lastText,
    };
  }

  const answers = ANSWERS[world.length];
  world.note(`${answers} answers of 3 s`);
  await answer();
  const seen: Seen[] = [];
  for (let count = 0; count < answers; count++) seen.push(await answer());
  const comparison = (what: string, found: number, target: number, limit: number): Comparison => ({
    id: "B8",
    what,
    product: [found],
    reference: { name: "latency of the API", samples: [API_MS] },
    bounds: { of: "figure", better: "less", target, limit },
  });
  const [sign, first, last] = (["sign", "first", "last"] as const).map((which) =>
    seen.map((times) => times[which]),
  ) as [number[], number[], number[]];
  return [
    comparison("question to first sign of life on Slack, p50 ms", medianOf(sign), API_MS + 100, 300),
    comparison("question to first sign of life on Slack, p95 ms", quantileOf(sign, 0.95), 300, 600),
    comparison("first delta to first words on Slack, p50 ms", medianOf(first), API_MS + 250, 600),
    comparison("first delta to first words on Slack, p95 ms", quantileOf(first, 0.95), API_MS + 400, 800),
    comparison("last delta to the whole answer on Slack, p50 ms", medianOf(last), API_MS + 100, 400),
  ];
}

export const visibleLatency: Benchmark = { name: "visible-latency", run };
