// One chaos run: starts everything, lets people live and things break, waits until all is quiet, and keeps what is left.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { longestLeaseMs } from "../../src/queue/lock-times.ts";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { freePort } from "../support/services/free-port.ts";
import { startPostgres } from "../support/services/postgres-server.ts";
import { startRedis } from "../support/services/redis-server.ts";
import { createLocalSlack } from "../support/slack/local-slack.ts";
import { until } from "../support/until.ts";
import { check } from "./checker/check.ts";
import type {
  AttemptRow,
  Broken,
  ChaosRecord,
  EntryRow,
  InboxRow,
  PageRow,
  RunRow,
} from "./checker/record.ts";
import { inflict, type Tally } from "./faults.ts";
import { Fleet } from "./fleet.ts";
import { notedWrites, noteWrites, rowsOf } from "./journal.ts";
import { chaosModel } from "./model.ts";
import type { Undo } from "./orders.ts";
import { createPeople } from "./people.ts";
import { planOf, type Scope } from "./plan.ts";
import { randomOf } from "./random.ts";
import { createSlackPlace } from "./slack-place.ts";
import { openWorkshop } from "./tools.ts";

export interface ChaosOptions {
  readonly seed: number;
  /** How long people write and things break. */
  readonly seconds: number;
  readonly scope: Scope;
  readonly undo: readonly Undo[];
  /** Questions a second. */
  readonly perSecond: number;
  /** How long it may take until all is quiet, ms. */
  readonly quietMs: number;
  note(line: string): void;
}

export interface ChaosOutcome {
  readonly record: ChaosRecord;
  readonly broken: readonly Broken[];
  readonly tally: Tally;
  /** From the last fault to quiet, ms; undefined when it never became quiet. */
  readonly quietAfterMs: number | undefined;
  /** Where the logs of the processes are. */
  readonly folder: string;
}

const WORKERS = 3;
const JOB_LOCK_MS = 2_000;
/** Slack's own pauses are minutes; the last attempt comes after a gateway that was killed is back. */
const RETRIES_MS = [100, 1_000, 5_000, 15_000];

const UNQUIET = `
select (select count(*) from inbox where state <> 'done' and kind in ('message', 'command'))
  + (select count(*) from runs where reply <> 'settled') as open`;

export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const { seed, seconds, scope, undo, note } = options;
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "bobbin-chaos-"));
  const over = seed % 2 === 0 ? "http" : "socket";
  const leaseMs = longestLeaseMs(JOB_LOCK_MS);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis({ keeps: "everything" })]);
  stack.use(postgres);
  stack.use(redis);
  await migrate(postgres.url);
  await noteWrites(postgres.url);

  const slack = stack.use(
    await createLocalSlack({ retryDelaysMs: RETRIES_MS, complaints: { posts: { burst: 1e9 } } }),
  );
  const delays = randomOf(seed, "tools");
  const workshop = stack.use(await openWorkshop(() => delays.between(50, 500)));
  const llm = await createFakeLlm();
  stack.defer(() => llm.close());
  llm.respondWith(chaosModel({ seed, everyMs: 25 }));

  const port = await freePort();
  if (over === "http") slack.useHttp(`http://127.0.0.1:${port}/slack/events`);
  const fleet = stack.use(
    new Fleet({
      env: {
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        OPENAI_BASE_URL: llm.url,
        MODEL: "fake",
        SLACK_BOT_TOKEN: slack.app.botToken,
        SLACK_API_URL: slack.slackApiUrl,
        WORKER_CONCURRENCY: "10",
        ...(over === "socket"
          ? { SLACK_APP_TOKEN: slack.app.appToken }
          : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
      },
      gatewayEnv: { PORT: String(port) },
      workers: WORKERS,
      orders: {
        workshop: workshop.url,
        undo,
        sweeps: scope === "workers alone" ? "off" : "on",
        jobLockMs: JOB_LOCK_MS,
      },
      folder,
    }),
  );
  fleet.startAll();
  for (const one of fleet.places) await fleet.untilReady(one);

  const place = createSlackPlace(slack, randomOf(seed, "place"));
  const people = createPeople(place, randomOf(seed, "people"), options);
  const plan = planOf(seed, seconds * 1_000, scope);
  note(
    `seed ${seed}, ${seconds} s, ${scope}, over ${over}, ${plan.length} faults planned, logs in ${folder}`,
  );
  const ending = new AbortController();
  const struck = inflict(
    plan,
    { fleet, redis, postgres, place, random: randomOf(seed, "blows"), leaseMs, note },
    ending.signal,
  );
  const lived = people.live(seconds * 1_000, ending.signal);
  const tally = await Promise.race([struck, lived.then(() => struck)]).finally(() => ending.abort());
  await lived;

  place.calmDown();
  fleet.startAll();
  for (const one of fleet.places) await fleet.untilReady(one);
  const calmAt = performance.now();
  const isQuiet = async (): Promise<boolean> => {
    if (!place.isDelivered()) return false;
    const [row] = await rowsOf<{ readonly open: number }>(postgres.url, UNQUIET);
    return row?.open === 0;
  };
  const quietAfterMs = await until(isQuiet, {
    timeoutMs: options.quietMs,
    everyMs: 250,
    what: "all is quiet",
  }).then(
    () => performance.now() - calmAt,
    () => undefined,
  );
  note(quietAfterMs === undefined ? "it never became quiet" : `quiet after ${Math.round(quietAfterMs)} ms`);
  // What waits for nothing any more may still be said: the sign of work below a thread, a last edit.
  await pause(200);
  for (const one of fleet.places) {
    const code = await fleet.end(one, "SIGTERM");
    if (code !== 0) note(`${one.name} ended with ${code}`);
  }

  const record: ChaosRecord = {
    seed,
    acts: await people.acts(),
    threads: place.shown(),
    strays: place.strays(),
    complaints: place.complaints(),
    requests: llm.requests.map(({ raw }) => raw.toString()),
    deeds: workshop.deeds,
    ...(await ledgerOf(postgres.url)),
  };
  const broken = check(record);
  if (broken.length === 0) rmSync(folder, { recursive: true, force: true });
  return { record, broken, tally, quietAfterMs, folder };
}

async function ledgerOf(url: string) {
  const all = <R>(columns: string, table: string): Promise<readonly R[]> =>
    rowsOf<R>(url, `select ${columns} from ${table}`);
  return {
    inbox: await all<InboxRow>("seq, id, session, kind, message, state, run, fate, reason", "inbox"),
    runs: await all<RunRow>("id, session, cause, reply, reason, error_code", "runs order by n"),
    attempts: await all<AttemptRow>("run, session, fence, worker, ended", "attempts"),
    entries: await all<EntryRow>("session, epoch, seq, run, kind, inbound, body", "entries"),
    pages: await all<PageRow>("run, index, key, message", "pages"),
    writes: await notedWrites(url),
  };
}
