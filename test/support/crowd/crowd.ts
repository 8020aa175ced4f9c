// A workspace in which a thousand replies grow at once, on a simulated clock: the real surfaces and reply writers of several processes
// before a Slack that enforces its limits. Ends come at random, and for each run that ends another begins.
import type { Pacer } from "../../../src/core/ports/pacer.ts";
import { createSlackSurfaces, type SlackSurfaces } from "../../../src/adapters/slack/surfaces.ts";
import type { RunId } from "../../../src/core/ids.ts";
import { createReplyWriter } from "../../../src/core/reply/writer.ts";
import { sessionIdOf } from "../../../src/core/thread.ts";
import { MemoryPages } from "../memory-pages.ts";
import { runNamed, stopped } from "../reply-bench.ts";
import { silentLog } from "../silent-log.ts";
import { crowdClock, type CrowdClock } from "./crowd-clock.ts";
import { CrowdSlack, type CrowdCall } from "./crowd-slack.ts";

export interface CrowdOptions {
  readonly seed: number;
  readonly processes: number;
  /** Alive at each moment. */
  readonly runs: number;
  readonly endsPerMinute: number;
  /** Simulated, and measured. */
  readonly minutes: number;
  /** Simulated before it is measured. Default 2. */
  readonly warmUpMinutes?: number;
  readonly channels: number;
  /** Edits that Slack takes at once. Default a minute's worth. */
  readonly burst?: number;
  /** Each run says so much at once, in so long, ms. Default 10,000. */
  readonly sayEveryMs?: number;
  /** Of each process. */
  pacerOf(process: number, clock: CrowdClock): Pacer;
}

export interface Crowd {
  /** From the end of a run to its whole answer, ms, in the order of their ends. */
  readonly finals: readonly number[];
  /** Ends whose answer did not stand there when all was over. */
  readonly missing: number;
  /** Writes of each run that ended whole: posts and edits. */
  readonly writes: readonly number[];
  readonly calls: readonly CrowdCall[];
}

const PROGRESS = "The quick brown fox jumps over the lazy dog and goes on. ";

export async function runCrowd(options: CrowdOptions): Promise<Crowd> {
  const { seed, processes, runs, endsPerMinute, minutes, channels } = options;
  const { warmUpMinutes = 2, sayEveryMs = 10_000 } = options;
  const clock = crowdClock();
  const random = randomFrom(seed);
  const slack = new CrowdSlack(clock, () => 60 + random() * 120, options.burst);
  const surfaces: readonly SlackSurfaces[] = Array.from({ length: processes }, (_, process) => {
    const api = slack.api();
    return createSlackSurfaces({ api, pacer: options.pacerOf(process, clock), clock, log: silentLog });
  });
  const measuredFrom = warmUpMinutes * 60_000;
  const over = measuredFrom + minutes * 60_000;
  const finals: number[] = [];
  const writes: number[] = [];
  let missing = 0;
  let begun = 0;

  interface Alive {
    readonly end: () => void;
  }
  const alive: Alive[] = [];

  function begin(): void {
    const name = `r${++begun}`;
    const channel = `C${begun % channels}`;
    const root = `1.${String(begun).padStart(6, "0")}`;
    const session = sessionIdOf({ platform: "slack", space: "T1", channel, root });
    const surface = surfaces[begun % processes]?.of(session);
    if (surface === undefined) throw new RangeError("there is no process");
    const pages = new MemoryPages();
    const run = { ...runNamed(name), id: name as RunId, session };
    const writer = createReplyWriter(
      { surface, pages, clock, log: silentLog },
      { run, fence: { session, run: run.id, number: 1 }, isLive: () => true, isNew: true },
    );
    writer.on({ kind: "round", round: 1, state: "start" });
    let isEnded = false;
    const say = (): void => {
      if (isEnded) return;
      writer.on({ kind: "text", text: PROGRESS });
      clock.after(sayEveryMs * (0.5 + random()), say);
    };
    clock.after(sayEveryMs * random(), say);

    async function end(): Promise<void> {
      isEnded = true;
      writer.on({ kind: "text", text: "The end." });
      const endedAt = clock.ticks();
      const settled = await writer.settle(stopped);
      if (endedAt < measuredFrom || endedAt >= over) return;
      const rows = await pages.list(run.id);
      const shown = rows.flatMap(({ message = "" }) => slack.messages.get(message) ?? []);
      const isWhole = settled.kind === "settled" && shown.at(-1)?.text.includes("The end.") === true;
      if (!isWhole) return;
      missing--;
      finals.push(clock.ticks() - endedAt);
      writes.push(shown.reduce((sum, each) => sum + each.writes, 0));
    }
    alive.push({
      end() {
        const { ticks } = clock;
        if (ticks() >= measuredFrom && ticks() < over) missing++;
        end().catch((error: unknown) => {
          throw error;
        });
      },
    });
  }

  function endOne(): void {
    const [one] = alive.splice(Math.floor(random() * alive.length), 1);
    one?.end();
    begin();
    if (clock.ticks() < over) clock.after((-Math.log(1 - random()) * 60_000) / endsPerMinute, endOne);
  }

  // The crowd comes over a while, as Slack takes no hundred posts at once.
  for (let count = 0; count < runs; count++) clock.after((count * measuredFrom) / 2 / runs, begin);
  clock.after(measuredFrom / 2, endOne);
  await clock.runUntil(over + 120_000);
  return { finals, missing, writes, calls: slack.calls.filter(({ at }) => at >= measuredFrom && at < over) };
}

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
