// What a chaos run consists of: servers of its own, the product's processes over them, a platform, a model, tools, and all that is
// left of them in the end.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { longestLeaseMs } from "../../src/queue/lock-times.ts";
import { createFakeLlm, type FakeAnswer } from "../support/fake-llm/server.ts";
import { createLocalDiscord, type LocalDiscord } from "../support/discord/local-discord.ts";
import type { Environment } from "../support/product.ts";
import { freePort } from "../support/services/free-port.ts";
import { startPostgres, type PostgresServer } from "../support/services/postgres-server.ts";
import { startRedis, type RedisServer } from "../support/services/redis-server.ts";
import { createLocalSlack, type LocalSlack } from "../support/slack/local-slack.ts";
import { until } from "../support/until.ts";
import type {
  Act,
  AttemptRow,
  ChaosRecord,
  EntryRow,
  GoalEventRow,
  GoalRow,
  InboxRow,
  ModelCallRow,
  PageRow,
  RunRow,
} from "./checker/record.ts";
import { Fleet } from "./fleet.ts";
import { notedWrites, noteWrites, rowsOf } from "./journal.ts";
import { chaosModel } from "./model.ts";
import { createDiscordPlace } from "./discord-place.ts";
import { IDENTIFIES, type StartOrders } from "./orders.ts";
import type { ChaosPlace } from "./place.ts";
import { createPlaces } from "./places.ts";
import { randomOf } from "./random.ts";
import { shownRequests } from "./shown.ts";
import { createSlackPlace } from "./slack-place.ts";
import { openWorkshop } from "./tools.ts";

export const CHAOS_PLATFORMS = ["slack", "discord"] as const;
export type ChaosPlatform = (typeof CHAOS_PLATFORMS)[number];

export interface ChaosWorldOptions extends Pick<StartOrders, "undo" | "sweeps"> {
  readonly seed: number;
  readonly workers: number;
  /** Slack's. */
  readonly over: "socket" | "http";
  /** Where people write; on Slack unless said. Where Discord is among it there are two gateways, one of which listens to it. */
  readonly on?: readonly ChaosPlatform[];
  /** Threads that a worker serves at once; 10 unless said. */
  readonly concurrency?: number;
  /** Whether the database notes each write; "writes" unless said. */
  readonly journal?: "writes" | "none";
  /** Short unless said, so that what died is soon noticed. */
  readonly jobLockMs?: number;
  /** How long a connection to Postgres is used; the product's own time unless said. */
  readonly connectionLifeMs?: number;
  /** `chaosModel` unless said; told the pause between two words, ms. */
  readonly model?: (everyMs: number) => FakeAnswer;
  /** Besides what every process gets; told the folder of the logs. */
  readonly env?: (folder: string) => Environment;
}

export interface ChaosWorld extends AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly slack: LocalSlack;
  readonly discord: LocalDiscord;
  readonly fleet: Fleet;
  readonly place: ChaosPlace;
  /** How long a worker holds a thread without a word to Redis. */
  readonly leaseMs: number;
  /** Where the logs of the processes are; gone with the world unless it is told to keep them. */
  readonly folder: string;
  keepLogs(): void;
  /** Waits until everything was delivered and nothing is left to do. @returns how long that took, ms; nothing when it did not come. */
  quiet(withinMs: number): Promise<number | undefined>;
  /** Ends the processes in order. @returns those that did not end well. */
  end(): Promise<readonly string[]>;
  recordOf(acts: readonly Act[]): Promise<ChaosRecord>;
  /** How many have listened to Discord, one after the other. */
  terms(): Promise<number>;
}

const JOB_LOCK_MS = 2_000;
/** Slack's own pauses are minutes; the last attempt comes after a gateway that was killed is back. */
const RETRIES_MS = [100, 1_000, 5_000, 15_000];
/** Discord's own last five seconds: a final that waits for one would make the end of each run longer, and nothing else. */
const SHORT_BUCKETS = {
  "POST /channels/:channel/messages": [5, 2],
  "PATCH /channels/:channel/messages/:message": [5, 2],
} as const;
/** Between two words of the model. */
const WORD_MS = 25;

/** A goal whose next turn is due so soon goes on yet; one that was left by its turn is looked at minutes later. */
const GOES_ON_MS = 130_000;

const UNQUIET = `
select (select count(*) from inbox where state <> 'done' and kind in ('message', 'command'))
  + (select count(*) from runs where reply <> 'settled')
  + (select count(*) from goals where status <> 'waiting' and wake_at <= now_ms() + ${GOES_ON_MS})
  + (select count(*) from goals where card_version < version) as open`;

const STORED = "select session || ' ' || message as name from inbox where kind = 'message'";

/** Resolves when every process is ready. */
export async function openChaosWorld(options: ChaosWorldOptions): Promise<ChaosWorld> {
  const { seed, workers, over, undo, sweeps, concurrency = 10, on = ["slack"] } = options;
  const { journal = "writes", jobLockMs = JOB_LOCK_MS, connectionLifeMs, env } = options;
  const { model = (everyMs: number) => chaosModel({ seed, everyMs }) } = options;
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "bobbin-chaos-"));
  let keepsLogs = false;
  stack.defer(() => {
    if (!keepsLogs) rmSync(folder, { recursive: true, force: true });
  });
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis({ keeps: "everything" })]);
  stack.use(postgres);
  stack.use(redis);
  await migrate(postgres.url);
  if (journal === "writes") await noteWrites(postgres.url);

  const slack = stack.use(
    await createLocalSlack({ retryDelaysMs: RETRIES_MS, complaints: { posts: { burst: 1e9 } } }),
  );
  const discord = stack.use(
    await createLocalDiscord({ identifies: IDENTIFIES, rateLimits: { buckets: SHORT_BUCKETS } }),
  );
  const delays = randomOf(seed, "tools");
  const workshop = stack.use(await openWorkshop(() => delays.between(50, 500)));
  const llm = await createFakeLlm();
  stack.defer(() => llm.close());
  llm.respondWith(model(WORD_MS));

  const port = await freePort();
  if (over === "http") slack.useHttp(`http://127.0.0.1:${port}/slack/events`);
  const slackEnv = {
    SLACK_BOT_TOKEN: slack.app.botToken,
    SLACK_API_URL: slack.slackApiUrl,
    ...(over === "socket"
      ? { SLACK_APP_TOKEN: slack.app.appToken }
      : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
  };
  const discordEnv = { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl };
  const fleet = stack.use(
    new Fleet({
      env: {
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        OPENAI_BASE_URL: llm.url,
        MODEL: "fake",
        WORKER_CONCURRENCY: String(concurrency),
        ...(on.includes("slack") ? slackEnv : {}),
        ...(on.includes("discord") ? discordEnv : {}),
        ...env?.(folder),
      },
      gatewayEnv: { PORT: String(port) },
      gateways: on.includes("discord") ? 2 : 1,
      workers,
      orders: {
        workshop: workshop.url,
        undo,
        sweeps,
        jobLockMs,
        ...(connectionLifeMs === undefined ? {} : { connectionLifeMs }),
      },
      folder,
    }),
  );
  fleet.startAll();
  await fleet.allReady();
  const makers: Readonly<Record<ChaosPlatform, () => ChaosPlace>> = {
    slack: () => createSlackPlace(slack, randomOf(seed, "place")),
    discord: () => createDiscordPlace(discord, randomOf(seed, "place on Discord")),
  };
  const place = createPlaces(
    Object.fromEntries(on.map((platform) => [platform, makers[platform]()])),
    randomOf(seed, "which platform"),
  );
  // What was said in a server before anybody ever listened there is nobody's to answer.
  if (on.includes("discord"))
    await until(async () => (await rowsOf(postgres.url, "select from reading_marks limit 1")).length > 0, {
      everyMs: 100,
      what: "somebody listens to Discord",
    });

  const isQuiet = async (): Promise<boolean> => {
    if (!place.isDelivered()) return false;
    const owed = place.owed();
    const stored = owed.length === 0 ? [] : await rowsOf<{ readonly name: string }>(postgres.url, STORED);
    const names = new Set(stored.map(({ name }) => name));
    if (!owed.every(({ session, message }) => names.has(`${session} ${message}`))) return false;
    const [row] = await rowsOf<{ readonly open: number }>(postgres.url, UNQUIET);
    return row?.open === 0;
  };
  const opened = stack.move();
  return {
    postgres,
    redis,
    slack,
    discord,
    fleet,
    place,
    leaseMs: longestLeaseMs(jobLockMs),
    folder,
    keepLogs: () => void (keepsLogs = true),
    async quiet(withinMs) {
      const begun = performance.now();
      const waited = until(isQuiet, { timeoutMs: withinMs, everyMs: 250, what: "all is quiet" });
      return waited.then(
        () => performance.now() - begun,
        () => undefined,
      );
    },
    async end() {
      const codes = await Promise.all(
        fleet.places.map(async (one) => ({ name: one.name, code: await fleet.end(one, "SIGTERM") })),
      );
      return codes.filter(({ code }) => code !== 0).map(({ name, code }) => `${name} ended with ${code}`);
    },
    async recordOf(acts) {
      return {
        seed,
        acts,
        threads: place.shown(),
        strays: place.strays(),
        complaints: place.complaints(),
        requests: llm.requests.map(({ raw }) => raw.toString()),
        deeds: workshop.deeds,
        ...(await ledgerOf(postgres.url)),
        shown: await shownRequests(postgres.url, seed),
        writes: journal === "writes" ? await notedWrites(postgres.url) : [],
      };
    },
    async terms() {
      const [row] = await rowsOf<{ readonly term: number }>(postgres.url, "select term from reader_terms");
      return row?.term ?? 0;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function ledgerOf(url: string) {
  const all = <R>(columns: string, table: string): Promise<readonly R[]> =>
    rowsOf<R>(url, `select ${columns} from ${table}`);
  return {
    inbox: await all<InboxRow>("seq, id, session, kind, message, state, run, fate, reason", "inbox"),
    runs: await all<RunRow>(
      "id, session, cause, started_at, reply, reason, error_code, retry_of",
      "runs order by n",
    ),
    attempts: await all<AttemptRow>("run, session, fence, worker, ended", "attempts"),
    entries: await all<EntryRow>("session, epoch, seq, run, kind, inbound, body", "entries"),
    pages: await all<PageRow>("run, index, key, message", "pages"),
    goals: await all<GoalRow>("id, session, status, closed, body, card_message", "goals order by n"),
    goalEvents: await all<GoalEventRow>("goal, n, at, kind, body", "goal_events order by n"),
    modelCalls: await all<ModelCallRow>("session, run, started_at, outcome", "model_calls"),
  };
}
