// A model that refuses, fails, is slow, talks nonsense or says nothing: what the person in the thread reads, and what works
// afterwards by itself.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createLog } from "../../src/adapters/log.ts";
import { openPostgres } from "../../src/adapters/postgres/pool.ts";
import { createTranscripts } from "../../src/adapters/postgres/transcripts.ts";
import { toSessionId } from "../../src/core/thread.ts";
import {
  bytes,
  delta,
  events,
  eventsThenCut,
  eventsThenSilence,
  hangsUp,
  refuses,
  says,
  staysSilent,
} from "../support/fake-llm/answers.ts";
import { createFakeLlm, type FakeAnswer, type FakeLlm } from "../support/fake-llm/server.ts";
import { createTalker } from "../support/fake-llm/talker.ts";
import { startProduct } from "../support/product.ts";
import { freePort } from "../support/services/free-port.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { until } from "../support/until.ts";
import { createWebPerson, type ShownMessage, type WebPerson } from "../support/web-person.ts";

const KEY = "sk-the-key-of-this-test-0123456789";
const LIMITS = { modelIdleMs: 400, modelCallMs: 4_000 };

const stack = new AsyncDisposableStack();
const lines: string[] = [];
let llm: FakeLlm;
let url = "";
let databaseUrl = "";
let ana: WebPerson;

beforeAll(async () => {
  databaseUrl = stack.use(await freshDatabase()).url;
  llm = await createFakeLlm({ apiKey: KEY });
  stack.defer(() => llm.close());
  url = await start(KEY);
  ana = createWebPerson(url);
});
beforeEach(() => llm.respondWith(createTalker()));
afterAll(() => stack.disposeAsync());

async function start(key: string, baseUrl = llm.url, database = databaseUrl): Promise<string> {
  const log = createLog({ write: (line) => void lines.push(line) }, { level: "debug", secrets: [key] });
  const env = { DATABASE_URL: database, OPENAI_BASE_URL: baseUrl, MODEL: "fake", OPENAI_API_KEY: key };
  return stack.use(await startProduct("start", env, { log }, LIMITS)).url;
}

/** The thread's only reply, once it has ended: a sentence, the run by its id, and Retry. */
async function failure(person: WebPerson, thread: string): Promise<ShownMessage> {
  const [reply, ...more] = await person.replies(thread, 1);
  expect(more).toEqual([]);
  expect(reply).toMatchObject({ state: "trouble", retry: expect.any(String) });
  expect(`${reply?.text} ${reply?.foot}`).toContain(`run ${reply?.retry}`);
  return reply!;
}

/** Retry is clicked once the cause is gone: a second message answers, and the model's history is still one it takes. */
async function retryAnswers(person: WebPerson, thread: string, said: string): Promise<void> {
  const before = await person.replies(thread, 1);
  const complaints = llm.complaints.length;
  await person.click(thread, "retry", before.at(-1)?.retry);
  const replies = await person.replies(thread, before.length + 1);
  expect(replies.at(-1)).toMatchObject({
    state: "settled",
    text: expect.stringContaining(said),
    retry: undefined,
  });
  await person.say("and one more", thread);
  const [, , last] = await person.replies(thread, before.length + 2);
  expect(last).toMatchObject({ state: "settled", text: expect.stringContaining("and one more") });
  expect(llm.complaints.slice(complaints)).toEqual([]);
}

interface Trouble {
  readonly what: string;
  readonly answer: FakeAnswer;
  readonly sentence: string;
  /** Of what the model had said people keep this. */
  readonly shown?: string;
  readonly requests: number;
}

const words = ["The ", "heron ", "flies "].map((content) => delta({ content }));

const troubles: readonly Trouble[] = [
  {
    what: "401",
    answer: refuses(401, { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" }),
    sentence: "does not accept the bot's key. An admin has to check it.",
    requests: 1,
  },
  {
    what: "402, no credit",
    answer: refuses(402, { message: "insufficient credits" }),
    sentence: "An admin has to check it.",
    requests: 1,
  },
  {
    what: "400",
    answer: refuses(400, { message: "no such thing" }),
    sentence: "The model's provider refused the request.",
    requests: 1,
  },
  {
    what: "a filter that holds the rest back",
    answer: events(...words, delta({}, "content_filter"), "[DONE]"),
    sentence: "held the rest of this answer back.",
    shown: "The heron flies",
    requests: 1,
  },
  {
    what: "429 without a time",
    answer: refuses(429, { message: "slow down" }),
    sentence: "is limiting requests at the moment. Please try again in a minute.",
    requests: 3,
  },
  {
    what: "429 with a time that nobody waits for",
    answer: refuses(429, { message: "slow down" }, { "retry-after": "3600" }),
    sentence: "is limiting requests at the moment. Please try again in a minute.",
    requests: 1,
  },
  {
    what: "500",
    answer: refuses(500, "<html>Internal Server Error</html>"),
    sentence: "cannot be reached at the moment. Please try again.",
    requests: 3,
  },
  {
    what: "garbage in place of JSON",
    answer: bytes(["<html>", "Welcome to the hotel's network", "</html>"], "text/html"),
    sentence: "sent an answer that makes no sense. Please try again.",
    requests: 3,
  },
  {
    what: "garbage in the stream",
    answer: bytes(["data: {not json\n\n", "data: [DONE]\n\n"]),
    sentence: "sent an answer that makes no sense. Please try again.",
    requests: 3,
  },
  {
    what: "a connection that breaks at once",
    answer: hangsUp(),
    sentence: "cannot be reached at the moment. Please try again.",
    requests: 3,
  },
  {
    what: "a stream that is cut",
    answer: eventsThenCut(...words),
    sentence: "Please try again.",
    shown: "The heron flies",
    requests: 3,
  },
  {
    what: "silence in mid-stream",
    answer: eventsThenSilence(...words),
    sentence: "The model did not answer in time. Please try again.",
    shown: "The heron flies",
    requests: 1,
  },
  {
    what: "nothing at all",
    answer: staysSilent(),
    sentence: "The model did not answer in time. Please try again.",
    requests: 1,
  },
];

test.for(troubles)(
  "model fails, stalls, or cuts the stream ($what): one sentence, the run and Retry, which answers when the cause is gone",
  async (trouble) => {
    llm.respondWith(trouble.answer);
    const before = llm.requests.length;
    const thread = await ana.say(`what flies? (${trouble.what})`);
    const reply = await failure(ana, thread);
    expect(`${reply.text} ${reply.foot}`).toContain(trouble.sentence);
    if (trouble.shown !== undefined) expect(reply.text).toContain(trouble.shown);
    expect(llm.requests.length - before).toBe(trouble.requests);
    llm.respondWith(createTalker());
    // What people have read of an answer stands in the history: then the model goes on behind it, and is told why.
    await retryAnswers(ana, thread, trouble.shown === undefined ? "what flies?" : "asked to try it again");
  },
);

test("S5: a key that the model writes stands in no page, neither while it is written nor where the answer breaks off", async () => {
  const pieces = ["The key is sk-abc", "defghijklmnop", "1234 and", " more "];
  llm.script(eventsThenSilence(...pieces.map((content) => delta({ content }))));
  const thread = await ana.say("what is the key?");
  const live = await ana.shows(thread, "The key is");
  expect(live.text).not.toContain("sk-a");
  const reply = await failure(ana, thread);
  expect(reply.text).toBe("The key is sk-*** and more");
});

test("an empty answer is said to be one, and the thread goes on", async () => {
  llm.script(says(""));
  const thread = await ana.say("say nothing");
  const [reply] = await ana.replies(thread, 1);
  expect(reply?.text).toContain("The model gave an empty answer.");
  await ana.say("now something", thread);
  const [, second] = await ana.replies(thread, 2);
  expect(second?.text).toContain("now something");
});

test("a provider that fails once, or asks for a short wait, is asked again and nobody notices", async () => {
  const complaints = llm.complaints.length;
  llm.script(refuses(500, "oops"), refuses(429, { message: "slow down" }, { "retry-after-ms": "20" }));
  const thread = await ana.say("the word is heron");
  const [reply, ...more] = await ana.replies(thread, 1);
  expect(more).toEqual([]);
  expect(reply).toMatchObject({ state: "settled", text: expect.stringContaining("the word is heron") });
  llm.script(eventsThenCut(...words));
  await ana.say("and now ibis", thread);
  const [, second] = await ana.replies(thread, 2);
  // What was cut is not shown beside what came in its place.
  expect(second?.text).toContain("and now ibis");
  expect(second?.text).not.toContain("The heron");
  expect(llm.complaints.slice(complaints)).toEqual([]);
});

test("a failure after a tool keeps what the tool said: Retry goes on without calling it again", async () => {
  llm.script(createTalker(), refuses(400, { message: "no" }));
  const thread = await ana.say('call time_in_zone {"zone":"Asia/Tokyo"}');
  await failure(ana, thread);
  const before = llm.requests.length;
  await ana.click(thread, "retry");
  await ana.replies(thread, 2);
  const asked = llm.requests[before]?.body.messages.map(({ role }) => role);
  expect(asked?.filter((role) => role === "tool")).toHaveLength(1);
  expect(llm.complaints).toEqual([]);
});

test("a message in place of Retry also goes on, and the model learns that its last turn failed", async () => {
  llm.script(refuses(400, { message: "no" }));
  const thread = await ana.say("first question");
  await failure(ana, thread);
  await ana.say("second question", thread);
  const [, second] = await ana.replies(thread, 2);
  expect(second?.text).toContain("second question");
  expect(JSON.stringify(llm.requests.at(-1)?.body.messages)).toContain("first question");
  expect(llm.complaints).toEqual([]);
});

test("Retry that is clicked twice, and on an answer that was retried already, runs once and says so", async () => {
  llm.script(refuses(400, { message: "no" }));
  const thread = await ana.say("only once");
  const { retry } = await failure(ana, thread);
  await Promise.all([ana.click(thread, "retry", retry), ana.click(thread, "retry", retry)]);
  await ana.replies(thread, 2);
  await ana.click(thread, "retry", retry);
  await ana.say("/status", thread);
  const replies = await ana.replies(thread, 3);
  expect(replies.filter(({ text }) => text.includes("only once"))).toHaveLength(1);
  const runs = await transcriptsOf((transcripts) => transcripts.runs(toSessionId(thread)!));
  expect(runs.map(({ cause }) => cause)).toEqual(["message", "retry"]);
});

async function transcriptsOf<T>(
  read: (transcripts: ReturnType<typeof createTranscripts>) => Promise<T>,
): Promise<T> {
  const sql = openPostgres({ url: databaseUrl });
  try {
    return await read(createTranscripts(sql));
  } finally {
    await sql.close();
  }
}

test("a server that is not there, and comes: the sentence first, the answer with Retry", async () => {
  await using database = await freshDatabase();
  const port = await freePort();
  const ben = createWebPerson(await start("k", `http://127.0.0.1:${port}/v1`, database.url));
  const thread = await ben.say("is there anybody?");
  const reply = await failure(ben, thread);
  expect(reply.text).toContain("cannot be reached at the moment.");
  const late = await createFakeLlm({ port });
  stack.defer(() => late.close());
  await ben.click(thread, "retry", reply.retry);
  const [, second] = await ben.replies(thread, 2);
  expect(second?.text).toContain("is there anybody?");
  expect(late.complaints).toEqual([]);
});

test("a wrong key: its value is in no page, no transcript and no line of the log", async () => {
  await using database = await freshDatabase();
  const wrong = "sk-wrong-key-9876543210-never-shown";
  const address = await start(wrong, llm.url, database.url);
  const cy = createWebPerson(address);
  const thread = await cy.say("hello");
  const reply = await failure(cy, thread);
  expect(reply.text).toContain("does not accept the bot's key");
  const path = `/threads/${encodeURIComponent(thread)}`;
  // Whoever sits at the machine is the owner, and sees the transcript.
  const entered = await fetch(`${address}/admin/here`, { method: "POST", redirect: "manual" });
  const cookie = entered.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .join("; ");
  const texts = await Promise.all(
    [path, `/admin${path}`].map(async (page) =>
      (await fetch(`${address}${page}`, { headers: { cookie } })).text(),
    ),
  );
  for (const text of texts) expect(text).toContain("hello");
  await until(() => lines.some((line) => line.includes("run ended") && line.includes("model_auth")), {
    what: "the failure is in the log",
  });
  for (const secret of [wrong, KEY]) expect([...texts, ...lines].join("\n")).not.toContain(secret);
});
