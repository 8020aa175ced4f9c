// Redis goes away while Bobbin works, comes back, or loses everything: no message is lost, nobody restarts anything.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { toSessionId } from "../../src/core/thread.ts";
import type { RedisServer } from "../support/services/redis-server.ts";
import { settledRuns } from "../support/settled-runs.ts";
import { until } from "../support/until.ts";
import { openOutageWorld, type OutageWorld } from "./outage-world.ts";

const WORDS = Array.from({ length: 150 }, (_, n) => `word${n + 1}`);

let bobbin: OutageWorld;
let redis: RedisServer;

beforeAll(async () => {
  bobbin = await openOutageWorld({ roles: "gateway and worker" });
  redis = bobbin.redis!;
});
afterEach(async () => {
  redis.thaw();
  await redis.start();
});
afterAll(() => bobbin[Symbol.asyncDispose]());

async function answeredOnce(thread: string, texts: readonly string[]): Promise<void> {
  const inbounds = await bobbin.transcripts.inbounds(toSessionId(thread)!);
  expect(inbounds).toHaveLength(texts.length);
  for (const { fate } of inbounds) expect(fate).toMatch(/answered|steered/);
  expect(bobbin.llm.complaints).toEqual([]);
}

test("Redis away: messages are taken, health names it, and they are answered soon after it is back", async () => {
  const { person } = bobbin;
  const known = await person.say("before");
  await person.replies(known, 1);
  await redis.stop("kill");
  await until(async () => (await bobbin.missing()).length === 2, { what: "both processes miss it" });
  expect(new Set(await bobbin.missing())).toEqual(new Set(["Redis: It does not answer."]));
  const fresh = await person.say("is anybody there?");
  await person.say("while it is away", known);
  // The pages are shown all the while.
  expect((await person.read(fresh)).map(({ text }) => text)).toEqual(["is anybody there?"]);
  await redis.start();
  const [[reply], [, second]] = await Promise.all([person.replies(fresh, 1), person.replies(known, 2)]);
  expect(reply?.text).toContain("is anybody there?");
  expect(second?.text).toContain("while it is away");
  await bobbin.isWell();
  await answeredOnce(fresh, ["is anybody there?"]);
  await answeredOnce(known, ["before", "while it is away"]);
});

test("Redis killed in mid-run for longer than a lease: the answer goes on in the same message when it is back", async () => {
  const { person } = bobbin;
  using hold = bobbin.llm.hold(20);
  const thread = await person.say("say 150 words");
  const shown = await bobbin.begun(thread);
  const attempts = async () => (await bobbin.transcripts.runs(toSessionId(thread)!))[0]?.attempts ?? [];
  await redis.stop("kill");
  hold.release(60);
  await until(async () => (await attempts())[0]?.ended === "lost", { what: "the lease to be lost" });
  await redis.start();
  hold.release();
  const replies = await person.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
  expect(replies[0]?.text.split(" ")).toEqual(WORDS);
  const [run] = await settledRuns(bobbin.transcripts, toSessionId(thread)!);
  const ends = run?.attempts.map(({ ended }) => ended) ?? [];
  expect([ends[0], ends.at(-1)]).toEqual(["lost", "ended"]);
  expect(ends).not.toContain("crashed");
  await answeredOnce(thread, ["say 150 words"]);
});

test("Redis restarts in mid-run, sooner than a lease ends: nobody notices", async () => {
  const { person } = bobbin;
  using hold = bobbin.llm.hold(20);
  const thread = await person.say("say 150 words");
  const shown = await bobbin.begun(thread);
  await redis.stop("kill");
  hold.release(60);
  await redis.start();
  hold.release();
  const replies = await person.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
  expect(replies[0]?.text.split(" ")).toEqual(WORDS);
  await answeredOnce(thread, ["say 150 words"]);
});

test("a Redis that lost everything: runs go on in the same message, and what is said meanwhile is answered", async () => {
  const { person } = bobbin;
  using hold = bobbin.llm.hold(20);
  const [thread, other] = await Promise.all([person.say("say 150 words"), person.say("say 150 words")]);
  const shown = await Promise.all([bobbin.begun(thread), bobbin.begun(other)]);
  await redis.flush();
  await person.say("and this", other);
  hold.release();
  const [[reply], [first]] = await Promise.all([person.replies(thread, 1), person.replies(other, 1)]);
  expect([reply?.id, first?.id]).toEqual(shown.map(({ id }) => id));
  expect(reply?.text.split(" ")).toEqual(WORDS);
  await until(
    async () =>
      (await bobbin.transcripts.inbounds(toSessionId(other)!)).every(({ state }) => state === "done"),
    { what: "the message that came meanwhile is answered" },
  );
  await answeredOnce(thread, ["say 150 words"]);
  await answeredOnce(other, ["say 150 words", "and this"]);
});

test("a Redis that stands still: messages are taken all the same, and answered when it goes on", async () => {
  const { person } = bobbin;
  redis.freeze();
  const thread = await person.say("hello in there");
  await until(async () => (await bobbin.missing()).some((text) => text.startsWith("Redis: ")), {
    what: "health names it",
  });
  redis.thaw();
  const [reply] = await person.replies(thread, 1);
  expect(reply?.text).toContain("hello in there");
  await bobbin.isWell();
});
