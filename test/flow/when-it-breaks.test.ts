// What happens when a process or a server goes away at a bad moment, seen by people. `test/when-it-breaks.test.ts` lists all of it.
import { expect, test } from "vitest";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import { toSessionId, type SessionId } from "../../src/core/thread.ts";
import { createRedisRunQueue, GOALS_QUEUE } from "../../src/queue/run-queue.ts";
import { storesOver } from "../adapters/postgres/store-subject.ts";
import { message, newSession } from "../contract/store-samples.ts";
import { clock, openRedisParts } from "../queue/redis-parts.ts";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { setGoal } from "../support/goals.ts";
import { startProduct } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { ownRedis } from "../support/services/redis.ts";
import { settledRuns } from "../support/settled-runs.ts";
import { until } from "../support/until.ts";
import { openOutageWorld } from "./outage-world.ts";
import { openSlackWorld } from "./slack-world.ts";

test("crash before the inbound is stored: it is not acknowledged, so Slack sends it again, and it is answered once", async () => {
  await using database = await freshDatabase();
  await using world = await openSlackWorld({
    over: "socket",
    parts: ["gateway", "worker"],
    as: "processes",
    databaseUrl: database.url,
    slack: { retryDelaysMs: [0, 60_000, 300_000] },
  });
  await using stack = new AsyncDisposableStack();
  const [holding, looking] = [1, 2].map(() => openPostgres({ url: database.url }));
  for (const sql of [holding!, looking!]) stack.defer(() => sql.close());
  const { slack } = world;
  const channel = slack.channel("general");
  const { root } = await holding!.transaction(async (tx) => {
    await tx.query({ text: "lock table inbox in access exclusive mode" });
    const root = slack.person("Ana").say(channel, `${slack.botMention} are you there?`);
    // Who stores messages there, and not who only reads; of a statement Postgres shows the beginning.
    const waiting = {
      text: `select pid from pg_locks join pg_stat_activity using (pid)
        where relation = 'inbox'::regclass and not granted and query like '%with given as materialized%'`,
    };
    await until(async () => (await looking!.query(waiting)).length > 0, { what: "it is about to be stored" });
    world.processes[0]?.kill("SIGKILL");
    await world.processes[0]?.exited;
    // Postgres would carry out what a client that is dead had begun.
    const ends = { text: waiting.text.replace("pid", "pg_terminate_backend(pid)") };
    await until(async () => (await looking!.query(ends)).length === 0, { what: "nobody stores any more" });
    return { root };
  });
  expect(await looking!.query({ text: "select 1 from inbox" })).toEqual([]);
  const { delivery } = slack;
  await until(() => delivery.waiting === 2, { what: "Slack waits before it tries again" });
  expect(delivery.about(root.ts).filter(({ outcome }) => outcome?.kind === "acknowledged")).toEqual([]);
  await world.add("gateway");
  delivery.retryNow();
  for (const outcome of await root.delivered) expect(outcome.kind).toBe("acknowledged");
  const [answer, ...more] = await world.settled(root, 1);
  expect([more, answer?.text]).toEqual([[], expect.stringContaining("are you there?")]);
  expect(world.llm.requests).toHaveLength(1);
  world.expectPeace();
});

test("crash between store and wake; Redis emptied or away: the sweeper wakes waiting inbounds, unfinished runs and due continuations, and each message is answered once", async () => {
  await using database = await freshDatabase();
  await using redis = await ownRedis();
  await using stack = new AsyncDisposableStack();
  const llm = await createFakeLlm();
  stack.defer(() => llm.close());
  const sql = openPostgres({ url: database.url });
  stack.defer(() => sql.close());
  const { inbox, store, goals, transcripts } = storesOver(sql);
  const [crashed, emptied, begun, withGoal, away] = [1, 2, 3, 4, 5].map(() => newSession());
  // Stored and rung for, one claimed by a worker that died, and then Redis is emptied.
  await inbox.put(message(emptied!, "who rings?"));
  await inbox.put(message(begun!, "who rings?"));
  expect((await store.open(begun!, "a worker that died")).kind).toBe("run");
  await goals.apply(withGoal!, setGoal("tidy the wiki"));
  {
    await using parts = await openRedisParts({ url: redis.url, prefix: "bobbin" });
    const bell = createRedisRunQueue({ redis: parts.redis, clock }, { name: GOALS_QUEUE });
    await Promise.all([parts.queue.wake(emptied!), parts.queue.wake(begun!), bell.wake(withGoal!)]);
    const waiting = () => Promise.all([parts.queue.isWaiting(), bell.isWaiting()]);
    expect(await waiting()).toEqual([true, true]);
    await redis.flush();
    expect(await waiting()).toEqual([false, false]);
  }
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, OPENAI_BASE_URL: llm.url, MODEL: "fake" };
  const times = { jobLockMs: 2_000, stalledCheckMs: 500, sweep: { everyMs: 300, soonMs: 200, idleMs: 300 } };
  stack.use(await startProduct("worker", env, { times }));
  const answered = async (session: SessionId): Promise<void> => {
    const fates = async () => (await transcripts.inbounds(session)).map(({ fate }) => fate);
    await until(async () => (await fates())[0] !== undefined, { what: "it has a fate" });
    expect(await fates()).toEqual(["answered"]);
  };
  await answered(emptied!);
  await answered(begun!);
  const [run] = await settledRuns(transcripts, begun!);
  expect(run?.attempts.map(({ ended }) => ended)).toEqual(["crashed", "ended"]);
  const turns = async () =>
    (await transcripts.runs(withGoal!)).map(({ cause, outcome }) => [cause, outcome?.reason]);
  await until(async () => (await turns())[0]?.[1] !== undefined, { what: "the goal has had its turn" });
  expect((await turns())[0]).toEqual(["continuation", "stop"]);
  // Stored, and whoever should have rung died.
  await inbox.put(message(crashed!, "who rings?"));
  await answered(crashed!);
  await redis.stop("kill");
  await inbox.put(message(away!, "who rings?"));
  await redis.start();
  await answered(away!);
  const asked = llm.requests.filter(({ body }) => JSON.stringify(body.messages).includes("who rings?"));
  expect(asked).toHaveLength(4);
});

test("Redis restarts, Postgres restarts: health says what is missing, and the answer goes on in the same message", async () => {
  await using bobbin = await openOutageWorld({ roles: "gateway and worker" });
  const { person, redis, postgres } = bobbin;
  using hold = bobbin.llm.hold(20);
  const thread = await person.say("say 300 words");
  const shown = await bobbin.begun(thread);
  const names = (what: string): Promise<unknown> =>
    until(async () => (await bobbin.missing()).some((each) => each.startsWith(`${what}: `)), {
      what: `health names ${what}`,
    });
  await redis!.stop("kill");
  hold.release(60);
  await names("Redis");
  await redis!.start();
  await bobbin.isWell();
  await postgres.stop();
  hold.release(100);
  await names("Postgres");
  await postgres.start();
  await bobbin.isWell();
  hold.release();
  const [reply, ...more] = await person.replies(thread, 1);
  expect([reply?.id, more]).toEqual([shown.id, []]);
  expect(reply?.text.split(" ")).toEqual(Array.from({ length: 300 }, (_, n) => `word${n + 1}`));
  const inbounds = await bobbin.transcripts.inbounds(toSessionId(thread)!);
  expect(inbounds.map(({ fate }) => fate)).toEqual(["answered"]);
});
