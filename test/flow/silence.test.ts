// Redis or Postgres that say nothing any more, to one process or to all: nothing is acknowledged that was not stored, nothing is
// doubled, health says what is missing, and everything goes on by itself.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { newMessageId, type ShownMessage } from "../support/web-person.ts";
import { until } from "../support/until.ts";
import { openWiredWorld, type WiredProcess, type WiredWorld } from "./wired-world.ts";

const words = (count: number): string[] => Array.from({ length: count }, (_, n) => `word${n + 1}`);
/** A check may take two seconds before it counts as failed; the rest is room for a busy machine. What hangs hangs for ever. */
const READY_WITHIN_MS = 20_000;
let bobbin: WiredWorld;
beforeAll(async () => {
  bobbin = await openWiredWorld();
});
afterEach(async () => {
  await bobbin.mend();
  await bobbin.isWell();
  expect(bobbin.llm.complaints).toEqual([]);
});
afterAll(() => bobbin[Symbol.asyncDispose]());

/** Health says it within its bound, whatever hangs. */
async function names(process: WiredProcess, ...what: readonly string[]): Promise<void> {
  await until(
    async () => {
      const { names: missing, tookMs } = await bobbin.missing(process);
      expect(tookMs).toBeLessThan(READY_WITHIN_MS);
      return what.every((name) => missing.includes(name));
    },
    { what: `health names ${what.join(" and ")}` },
  );
}

/** One reply, in the message that was begun, with all its words; every message has one fate. */
async function endsWhole(thread: string, shown: ShownMessage, count: number): Promise<void> {
  const replies = await bobbin.person.replies(thread, 1);
  expect(replies).toMatchObject([{ id: shown.id, state: "settled" }]);
  expect(replies[0]?.text.split(" ")).toEqual(words(count));
  expect((await bobbin.inbounds(thread)).map(({ fate }) => fate)).toEqual(["answered"]);
}

const endings = async (thread: string) => (await bobbin.run(thread)).attempts.map(({ ended }) => ended);

test("a worker that hears nothing of Redis for longer than its lease: the other one goes on in the same message", async () => {
  using hold = bobbin.llm.hold(20);
  const thread = await bobbin.person.say("say 300 words");
  const shown = await bobbin.begun(thread);
  const deaf = await bobbin.holder(thread);
  deaf.redis.silence();
  hold.release(60);
  await names(deaf, "Redis");
  await until(async () => (await endings(thread)).length > 1, { what: "the other one has it" });
  hold.release();
  await endsWhole(thread, shown, 300);
  const { attempts } = await bobbin.run(thread);
  // Once or, with so short a lease on a busy machine, again.
  const others = attempts.slice(1).map(({ worker }) => worker);
  expect(others.length).toBeGreaterThan(0);
  for (const worker of others) expect(worker).not.toMatch(new RegExp(`/${deaf.process.pid}$`));
});

test("Redis silent to all for less than a lease in mid-run: nobody notices", async () => {
  using hold = bobbin.llm.hold(20);
  const thread = await bobbin.person.say("say 250 words");
  const shown = await bobbin.begun(thread);
  const { redis } = await bobbin.holder(thread);
  for (const wire of bobbin.redis) wire.silence();
  hold.release(60);
  await until(() => redis.held > 0, { what: "a request of the holder is held" });
  await bobbin.mend();
  hold.release();
  await endsWhole(thread, shown, 250);
});

test("Redis silent to all for longer than a lease: messages are taken, health names it, and all go on when it is back", async () => {
  using hold = bobbin.llm.hold(20);
  const thread = await bobbin.person.say("say 300 words");
  const shown = await bobbin.begun(thread);
  for (const wire of bobbin.redis) wire.silence();
  hold.release(60);
  await until(async () => (await endings(thread))[0] !== undefined, { what: "the lease was lost" });
  const fresh = await bobbin.person.say("is anybody there?");
  await names(bobbin.gateway, "Redis");
  await bobbin.mend();
  hold.release();
  await endsWhole(thread, shown, 300);
  const [reply] = await bobbin.person.replies(fresh, 1);
  expect(reply?.text).toContain("is anybody there?");
  expect((await bobbin.inbounds(fresh)).map(({ fate }) => fate)).toEqual(["answered"]);
});

test("Redis whose open connections are dead for ever, in mid-run: new ones are made, and the answer ends in the same message", async () => {
  using hold = bobbin.llm.hold(20);
  const thread = await bobbin.person.say("say 300 words");
  const shown = await bobbin.begun(thread);
  for (const wire of bobbin.redis) wire.forget();
  hold.release();
  await endsWhole(thread, shown, 300);
  const next = await bobbin.person.say("and now?");
  await bobbin.person.replies(next, 1);
});

test("Postgres silent to all at intake: a message is refused within a bounded time, and sent again it is answered once", async () => {
  const id = newMessageId();
  const thread = await bobbin.person.say("before");
  await bobbin.person.replies(thread, 1);
  for (const wire of bobbin.postgres) wire.silence();
  await expect(bobbin.person.say("during", thread, id)).rejects.toThrow(
    "The bot's database cannot be reached at the moment.",
  );
  await names(bobbin.gateway, "Postgres");
  for (const worker of bobbin.workers) await names(worker, "Postgres");
  await bobbin.mend();
  await bobbin.isWell();
  await bobbin.person.say("during", thread, id);
  const replies = await bobbin.person.replies(thread, 2);
  expect(replies.map(({ text }) => text)).toEqual([
    expect.stringContaining("before"),
    expect.stringContaining("during"),
  ]);
  expect((await bobbin.inbounds(thread)).map(({ fate }) => fate)).toEqual(["answered", "answered"]);
});

test("Postgres silent to all in mid-run and over its end: the answer ends whole in the same message when it is back", async () => {
  using hold = bobbin.llm.hold(20);
  const thread = await bobbin.person.say("say 200 words");
  const shown = await bobbin.begun(thread);
  for (const wire of bobbin.postgres) wire.silence();
  hold.release(60);
  await names(bobbin.gateway, "Postgres");
  hold.release();
  await until(() => bobbin.llm.open === 0, { what: "the model has ended" });
  await bobbin.mend();
  await endsWhole(thread, shown, 200);
});

test("Postgres that hears and whose answers are lost, over the end of a run: what it did counts once", async () => {
  using hold = bobbin.llm.hold(20);
  const thread = await bobbin.person.say("say 120 words");
  const shown = await bobbin.begun(thread);
  for (const wire of bobbin.postgres) wire.silence("back");
  hold.release();
  await until(() => bobbin.llm.open === 0, { what: "the model has ended" });
  await names(bobbin.gateway, "Postgres");
  await bobbin.mend();
  await endsWhole(thread, shown, 120);
});

test("Postgres whose open connections are dead for ever: new ones are made, and a run goes on", async () => {
  using hold = bobbin.llm.hold(20);
  const thread = await bobbin.person.say("say 200 words");
  const shown = await bobbin.begun(thread);
  for (const wire of bobbin.postgres) wire.forget();
  hold.release();
  await endsWhole(thread, shown, 200);
  await bobbin.isWell();
});

test("Redis and Postgres silent to all in mid-run: health names both, and the answer ends whole when both are back", async () => {
  using hold = bobbin.llm.hold(20);
  const thread = await bobbin.person.say("say 300 words");
  const shown = await bobbin.begun(thread);
  for (const wire of [...bobbin.redis, ...bobbin.postgres]) wire.silence();
  hold.release(60);
  for (const process of [bobbin.gateway, ...bobbin.workers]) await names(process, "Postgres", "Redis");
  await expect(bobbin.person.say("is anybody there?")).rejects.toThrow();
  await bobbin.mend();
  hold.release();
  await endsWhole(thread, shown, 300);
});

test("Redis and Postgres that take 300 ms for each answer: messages are answered once, in order, and nothing is missing", async () => {
  for (const wire of [...bobbin.redis, ...bobbin.postgres]) wire.slow(300);
  const thread = await bobbin.person.say("say 40 words");
  const [first] = await bobbin.person.replies(thread, 1);
  expect(first?.text.split(" ")).toEqual(words(40));
  await bobbin.person.say("and once more", thread);
  const [, second] = await bobbin.person.replies(thread, 2);
  expect(second?.text).toContain("and once more");
  await bobbin.isWell();
  expect((await bobbin.inbounds(thread)).map(({ fate }) => fate)).toEqual(["answered", "answered"]);
});

test("every connection of the pool held up: what is not stored is refused, health names it, and all are answered once", async () => {
  const { person } = bobbin;
  const known = await person.say("before");
  await person.replies(known, 1);
  const texts = Array.from({ length: 30 }, (_, n) => ({ text: `message ${n}`, id: newMessageId() }));
  const refused = Promise.withResolvers<undefined>();
  const sent = await bobbin.sql.transaction(async (tx) => {
    await tx.query({ text: "lock table inbox, web_messages in access exclusive mode" });
    const saying = texts.map(({ text, id }) =>
      person.say(text, undefined, id).catch(() => {
        refused.resolve(undefined);
        return undefined;
      }),
    );
    // Messages go together; who reads has a connection each.
    for (let reader = 0; reader < 30; reader++) person.read(known).catch(() => {});
    await names(bobbin.gateway, "Postgres");
    await refused.promise;
    return saying;
  });
  const threads = await Promise.all(sent);
  expect(threads).toContain(undefined);
  for (const [at, { text, id }] of texts.entries()) threads[at] ??= await person.say(text, undefined, id);
  for (const [at, thread] of threads.entries()) {
    const replies = await person.replies(thread!, 1);
    expect(replies.map((reply) => reply.text)).toEqual([expect.stringContaining(`message ${at}`)]);
  }
});

test("Redis loses everything while runs are on and messages wait: each is answered once, in its own message", async () => {
  const { person } = bobbin;
  // More than both workers take at a time.
  using hold = bobbin.llm.hold(20);
  const running = await Promise.all([1, 2, 3, 4].map(() => person.say("say 250 words")));
  const shown = await Promise.all(running.map((thread) => bobbin.begun(thread)));
  const waiting = await Promise.all([1, 2, 3].map((n) => person.say(`waiting ${n}`)));
  await bobbin.emptyRedis();
  hold.release();
  for (const [at, thread] of running.entries()) await endsWhole(thread, shown[at]!, 250);
  for (const [at, thread] of waiting.entries()) {
    const replies = await person.replies(thread, 1);
    expect(replies.map(({ text }) => text)).toEqual([expect.stringContaining(`waiting ${at + 1}`)]);
  }
});
