/** B7: how many edits a stream of deltas becomes on Slack, what they weigh, and whether Slack ever had to say no. */

import { setTimeout as pause } from "node:timers/promises";
import { spawnProduct } from "../test/support/product.ts";
import type { CallRecord } from "../test/support/slack/web-api.ts";
import { until } from "../test/support/until.ts";
import { inTurn, type Benchmark, type BenchWorld, type Comparison } from "./comparison.ts";
import { startModelServer } from "./model-server.ts";
import { openSlackPlace, type SlackPlace } from "./slack-place.ts";

const PER_SECOND = 20;
/** The least time between two progress writes of one thread, as the product has it for Slack. */
const EDIT_EVERY_MS = 1_500;
const CROWD = 10;
/** Of a run alone, and of runs beside each other. */
const SECONDS = { short: [9, 15], full: [30, 75] } as const;
const REST_MS = 300;

interface Stream {
  readonly edits: number;
  readonly deltasPerEdit: number;
  /** Bytes of all edits' words, in those of the last one. */
  readonly words: number;
  /** The same of the whole requests, with what stands around the words in each. */
  readonly requests: number;
}

async function run(world: BenchWorld): Promise<readonly Comparison[]> {
  await using stack = new AsyncDisposableStack();
  const [alone, together] = SECONDS[world.length];
  const model = await startModelServer();
  stack.defer(() => model.close());
  // Slack's own limits hold: 50 edits and 50 signs of work a minute, a post a second in a channel.
  const place = stack.use(await openSlackPlace({ rateLimits: {}, complaints: {} }));
  const { url: databaseUrl } = await world.newDatabase();
  const product = stack.use(
    spawnProduct("start", {
      DATABASE_URL: databaseUrl,
      OPENAI_BASE_URL: model.url("told"),
      MODEL: "fake",
      ...place.env,
    }),
  );
  place.slack.useHttp(`${await product.ready()}/slack/events`);
  world.pin(product.pid);

  world.note(`a stream of ${alone} s`);
  model.tell(`slow/${alone * PER_SECOND}/${PER_SECOND}`);
  const [streams] = await inTurn(world.length === "full" ? world.pairs : 1, [
    async () => streamOf(await answersTo(place, 1, alone), alone),
  ]);

  world.note(`${CROWD} streams of ${together} s in one channel`);
  model.tell(`slow/${together * PER_SECOND}/${PER_SECOND}`);
  const crowd = await answersTo(place, CROWD, together);
  const count = (what: string, product: number, target: number): Comparison => ({
    id: "B7",
    what,
    product: [product],
    reference: { name: "none", samples: [0] },
    bounds: { of: "figure", better: "less", target, limit: target },
  });
  const least = Math.ceil((alone * 1000) / EDIT_EVERY_MS) + 1;
  const of = (figure: keyof Stream): readonly number[] => streams.map((stream) => stream[figure]);
  const each = (value: number): readonly number[] => streams.map(() => value);
  /** A text that grows evenly to its last edit. */
  const growing = { name: "half of each", samples: of("edits").map((edits) => (edits + 1) / 2) };
  return [
    {
      id: "B7",
      what: `edits of a stream of ${alone} s`,
      product: of("edits"),
      reference: { name: "one each 1.5 s, and the last", samples: each(least) },
      bounds: { of: "ratio", better: "less", target: 1.1, limit: 1.25 },
    },
    {
      id: "B7",
      what: "deltas an edit",
      product: of("deltasPerEdit"),
      reference: { name: "those of 1.5 s", samples: each((PER_SECOND * EDIT_EVERY_MS) / 1000) },
      bounds: { of: "ratio", better: "more", target: 0.9, limit: 0.5 },
    },
    {
      id: "B7",
      what: "bytes of the edits' words, in last edits",
      product: of("words"),
      reference: growing,
      bounds: { of: "ratio", better: "less", target: 1.1, limit: 1.3 },
    },
    {
      id: "B7",
      what: "bytes of the edits, in last edits",
      product: of("requests"),
      reference: growing,
    },
    count("edits of one message at the same time", complaintsOf(place, "overlap"), 0),
    count(`edits or posts too fast, ${CROWD} runs in one channel`, complaintsOf(place, "pace"), 0),
    count(
      `429 of Slack, ${CROWD} runs in one channel`,
      crowd.filter(({ status }) => status === 429).length,
      0,
    ),
  ];
}

/** Writes into one channel, so many threads at once. @returns Slack's calls from then until all is answered. */
async function answersTo(
  place: SlackPlace,
  threads: number,
  seconds: number,
): Promise<readonly CallRecord[]> {
  const { slack } = place;
  const channel = place.newChannel();
  const person = slack.person(`Writer ${channel.name}`);
  channel.members.add(person.id);
  const from = slack.calls.length;
  const asked = Array.from({ length: threads }, () => person.say(channel, `${slack.botMention} tell me all`));
  await until(
    () =>
      asked.every(({ root }) => {
        const last = slack.thread(channel, root).at(-1);
        return last?.userId === slack.app.botUserId && last.controls.every(isNoStop);
      }),
    { timeoutMs: seconds * 3_000 + 60_000, everyMs: 100, what: "all threads are answered" },
  );
  await pause(REST_MS);
  return slack.calls.slice(from);
}

const isNoStop = ({ actionId }: { readonly actionId: string }): boolean => actionId !== "bobbin_stop";

function streamOf(calls: readonly CallRecord[], seconds: number): Stream {
  const edits = calls.filter(({ method }) => method === "chat.update");
  const inLast = (sizes: readonly number[]): number =>
    sizes.reduce((sum, size) => sum + size, 0) / (sizes.at(-1) ?? Number.NaN);
  return {
    edits: edits.length,
    deltasPerEdit: (seconds * PER_SECOND) / edits.length,
    words: inLast(edits.map(({ args }) => Buffer.byteLength(String(args["text"])))),
    requests: inLast(edits.map(({ args }) => Buffer.byteLength(JSON.stringify(args)))),
  };
}

function complaintsOf({ slack }: SlackPlace, rule: string): number {
  return slack.complaints.filter((complaint) => complaint.startsWith(`${rule}: `)).length;
}

export const coalescing: Benchmark = { name: "coalescing", run };
