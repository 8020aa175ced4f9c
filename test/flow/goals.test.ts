// Goals between processes: a gateway, workers that die, a Redis that is emptied. What people see, and what the model was asked.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bodyOf } from "../../src/adapters/openai/wire.ts";
import { createModelCalls } from "../../src/adapters/postgres/model-calls.ts";
import { rebuildRequest } from "../../src/core/context/request.ts";
import { toSessionId } from "../../src/core/thread.ts";
import { callsTools, refuses, says, usageChunk } from "../support/fake-llm/answers.ts";
import type { FakeAnswer } from "../support/fake-llm/server.ts";
import { withRedis } from "../support/services/redis-server.ts";
import { runsOver } from "../support/settled-runs.ts";
import { until } from "../support/until.ts";
import type { ShownMessage, WebPerson } from "../support/web-person.ts";
import { deploy, type Deployment } from "./deployment.ts";
import { TIMES } from "./world.ts";

let bobbin: Deployment;
beforeAll(async () => {
  bobbin = await deploy({
    env: { LITE_MODEL: "lite" },
    workers: 2,
    times: { ...TIMES, sweep: { everyMs: 1_000, idleMs: 500 } },
  });
});
afterAll(() => bobbin[Symbol.asyncDispose]());

const session = (thread: string) => toSessionId(thread)!;
const runs = (thread: string) => bobbin.transcripts.runs(session(thread));
const settled = (thread: string, count: number) => runsOver(bobbin.transcripts, session(thread), count);

/** What the bot said, once the foot of its newest message says this. */
const endsWith = (person: WebPerson, thread: string, words: string): Promise<readonly ShownMessage[]> =>
  until(
    async () => {
      const shown = (await person.read(thread)).filter(({ from }) => from === "bot");
      return shown.at(-1)?.foot.includes(words) ? shown : undefined;
    },
    { what: `the newest message ends with: ${words}` },
  );

/** What whoever looks at a goal answers. */
const finds = (verdict: "accept" | "reject", reason: string): FakeAnswer =>
  callsTools({ id: "v1", name: "verdict", arguments: JSON.stringify({ verdict, reason }) });
const agrees = finds("accept", "it is there");

/**
 * The n-th request about this thread is answered with the n-th of these; the last one for ever. Whoever looks at a goal agrees, unless
 * the test says what it answers.
 */
function script(words: string, ...answers: readonly FakeAnswer[]): { asked: () => number } {
  let asked = 0;
  bobbin.llm.respondWith(async (exchange) => {
    if (exchange.request.body.model === "lite") return (looked.shift() ?? agrees)(exchange);
    if (!JSON.stringify(exchange.request.body.messages).includes(words)) return says("aside")(exchange);
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    return answer?.(exchange);
  });
  return { asked: () => asked };
}

/** What whoever looks answers next. */
let looked: FakeAnswer[] = [];

const done: FakeAnswer = callsTools({
  id: "c-done",
  name: "update_goal",
  arguments: JSON.stringify({ status: "complete", evidence: "all pages are there" }),
});
const looks = (zone: string): FakeAnswer =>
  callsTools({ id: `c-${zone}`, name: "time_in_zone", arguments: JSON.stringify({ zone }) });

test("a goal works by itself, turn by turn, until the model says what proves that it is reached", async () => {
  const ana = bobbin.newPerson();
  const model = script(
    "heron",
    looks("Asia/Tokyo"),
    says("The first step is done."),
    done,
    says("All is done."),
  );
  const thread = await ana.say("/goal count the heron");
  await settled(thread, 2);
  const said = await endsWith(ana, thread, "The goal is reached.");
  expect(said.map(({ text }) => text)).toEqual([
    "This thread has a goal now, and works on it by itself.",
    "The first step is done.",
    "All is done.",
  ]);
  expect(model.asked()).toBe(4);
  expect((await runs(thread)).map(({ cause }) => cause)).toEqual(["continuation", "continuation"]);
  // What the model is told of the goal, people do not see.
  expect(JSON.stringify(await ana.read(thread))).not.toContain("objective");
});

test("a goal that waits for a reply asks the model nothing, also over an emptied Redis, and any answer wakes it once", async () => {
  const ana = bobbin.newPerson();
  const waits = callsTools({
    id: "c-wait",
    name: "wait_for",
    arguments: JSON.stringify({ kind: "reply", reason: "may the pages go?" }),
  });
  const model = script("pelican", waits, says("May the pages go?"), done, says("They are gone."));
  const thread = await ana.say("/goal remove the pelican");
  await settled(thread, 1);
  await withRedis(bobbin.env["REDIS_URL"]!, async (on) => void (await on.flushdb()));
  expect(await ana.say("/goal", thread)).toBe(thread);
  await ana.shows(thread, "may the pages go?");
  expect(model.asked()).toBe(2);
  await ana.say("yes", thread);
  await settled(thread, 2);
  expect(model.asked()).toBe(4);
  expect((await runs(thread)).map(({ cause }) => cause)).toEqual(["continuation", "message"]);
});

test("killed when the next turn has begun, with Redis emptied: another worker goes on with that turn, and there is no third one", async () => {
  const ana = bobbin.newPerson();
  const second = Promise.withResolvers<void>();
  const model = script(
    "osprey",
    looks("Asia/Tokyo"),
    says("Step one."),
    async (exchange) => {
      await second.promise;
      await done(exchange);
    },
    says("All of it."),
  );
  const thread = await ana.say("/goal watch the osprey");
  await until(() => model.asked() === 3, { what: "the second turn has begun" });
  // The turn is begun, and whoever has it dies; nothing in Redis knows of it any more.
  const holder = (await runs(thread)).at(-1)?.attempts.at(-1)?.worker ?? "";
  const dying = bobbin.workers.find(({ pid }) => holder.endsWith(`/${pid}`));
  dying?.kill("SIGKILL");
  await withRedis(bobbin.env["REDIS_URL"]!, async (on) => void (await on.flushdb()));
  second.resolve();
  await settled(thread, 2);
  const all = await runs(thread);
  expect(all.map(({ cause, outcome }) => [cause, outcome?.reason])).toEqual([
    ["continuation", "stop"],
    ["continuation", "stop"],
  ]);
  expect(all.at(-1)?.attempts.map(({ ended }) => ended)).toEqual(["crashed", "ended"]);
  await bobbin.addWorker();
});

test("typed stop during a continuation: it is taken as a command at once, the goal is paused, and nothing follows", async () => {
  const ana = bobbin.newPerson();
  const model = script("egret", (exchange) => exchange.closed);
  const thread = await ana.say("/goal follow the egret");
  await until(() => model.asked() === 1, { what: "the model is asked" });
  await ana.say("/stop", thread);
  await settled(thread, 1);
  await ana.shows(thread, "The goal is paused: it was stopped.");
  expect((await runs(thread)).map(({ outcome }) => outcome?.reason)).toEqual(["cancelled"]);
  await ana.say("/reset", thread);
  await ana.shows(thread, "Its goal has ended.");
  expect(model.asked()).toBe(1);
});

/** The same calls and nothing else, and what the provider says that they took. */
const takes =
  (tokens: number, answer: FakeAnswer): FakeAnswer =>
  async (exchange) => {
    const { event } = exchange;
    let isUsed = false;
    await answer({
      ...exchange,
      event: async (data) => {
        if (data === "[DONE]" && !isUsed) {
          isUsed = true;
          await event.call(exchange, usageChunk({ prompt_tokens: tokens, completion_tokens: 0 }));
        }
        await event.call(exchange, data);
      },
    });
  };

test("G7: the budget is looked at before each model call: one last call says how far it came, none follows, and a raise goes on", async () => {
  const ana = bobbin.newPerson();
  const model = script(
    "kestrel",
    takes(60_000, looks("Asia/Tokyo")),
    takes(35_000, looks("Europe/Rome")),
    takes(1_000, says("Half of it is done.")),
    takes(1_000, done),
    takes(1_000, says("Now all of it.")),
  );
  const thread = await ana.say("/goal count the kestrel --tokens 100k");
  await settled(thread, 1);
  await endsWith(ana, thread, "The goal's budget is used up.");
  expect(model.asked()).toBe(3);
  expect(JSON.stringify(bobbin.llm.requests.at(-1)?.body.messages.at(-1))).toContain("is used up");
  await ana.say("/goal resume", thread);
  await ana.shows(thread, "Raise them first");
  await ana.say("/goal budget +200k", thread);
  await settled(thread, 2);
  await endsWith(ana, thread, "The goal is reached.");
  expect(model.asked()).toBe(5);
});

test("a last turn begins nothing: what would change something is denied, and the model is asked three times at most", async () => {
  const ana = bobbin.newPerson();
  const model = script(
    "bittern",
    takes(99_000, says("Far already.")),
    takes(10, looks("Asia/Tokyo")),
    takes(10, looks("Europe/Rome")),
  );
  const thread = await ana.say("/goal count the bittern --tokens 100k");
  await settled(thread, 2);
  expect((await runs(thread)).map(({ outcome }) => outcome?.reason)).toEqual(["stop", "max_turns"]);
  expect(model.asked()).toBe(4);
});

test("a turn without news changes only the card; what the first one said stands, and the card tells where the goal stands", async () => {
  const ana = bobbin.newPerson();
  script("grebe", looks("Asia/Tokyo"), says("Step one."), says("Nothing new here."));
  const thread = await ana.say("/goal watch the grebe");
  await settled(thread, 2);
  const card = await until(
    async () => {
      const shown = await ana.card(thread);
      return shown?.text.includes("The last turn had no effect.") === true ? shown : undefined;
    },
    { what: "the card tells of the turn" },
  );
  expect(card.text).toContain("turn 3 of 20 begins at");
  expect(card.text).toContain("watch the grebe");
  expect(card.foot).toContain("2 of 20 turns");
  expect(card.buttons.map(({ label }) => label)).toEqual(["Pause", "Edit", "End goal"]);
  expect((await ana.read(thread)).filter(({ from }) => from === "bot").map(({ text }) => text)).toEqual([
    "This thread has a goal now, and works on it by itself.",
    "Step one.",
  ]);
  const [pause] = card.buttons;
  await ana.click(thread, "pause", pause?.value);
  const paused = await until(
    async () => {
      const shown = await ana.card(thread);
      return shown?.text.includes("paused") === true ? shown : undefined;
    },
    { what: "the card says that it is paused" },
  );
  // One message, wherever it was written from: the gateway took the click, a worker had posted the card.
  expect(paused.id).toBe(card.id);
  expect(paused.buttons.map(({ label }) => label)).toEqual(["Resume", "Edit", "End goal"]);
});

test("verifier unavailable: what it refused before is told to the next turn, and once it is away what the model says counts", async () => {
  const ana = bobbin.newPerson();
  looked = [finds("reject", "page 3 is empty"), refuses(429)];
  const model = script(
    "plover",
    looks("Asia/Tokyo"),
    done,
    says("Not all of it yet."),
    done,
    says("Now all of it."),
  );
  const thread = await ana.say("/goal find the plover\ndone when: each page has one");
  await settled(thread, 2);
  await endsWith(ana, thread, "The goal is reached.");
  expect(model.asked()).toBe(5);
  const asked = bobbin.llm.requests.filter(({ body }) => JSON.stringify(body.messages).includes("plover"));
  expect(asked.filter(({ body }) => body.model === "lite")).toHaveLength(2);
  expect(JSON.stringify(asked.at(-1)?.body.messages)).toContain("page 3 is empty");
  const kinds = await bobbin.sql.query<{ kind: string }>(
    {
      text: "select e.kind from goal_events e join goals g on g.id = e.goal where g.session = $1 order by e.n",
    },
    [thread],
  );
  expect(kinds.map(({ kind }) => kind).filter((kind) => kind !== "told")).toEqual([
    ...["set", "begin", "propose", "rejected", "turn"],
    ...["begin", "propose", "neutral", "turn"],
  ]);
  // What was asked aside can be rebuilt as well, byte for byte.
  const [call] = await bobbin.sql.query<{ id: string }>(
    {
      text: "select id from model_calls where session = $1 and purpose = 'verify' order by started_at",
    },
    [thread],
  );
  const stored = await createModelCalls(bobbin.sql).read(call?.id ?? "");
  if (stored === undefined) return expect.unreachable();
  const sent = asked.find(({ body }) => body.model === "lite")?.raw.toString("utf8");
  expect(bodyOf(rebuildRequest(stored.call, stored.entries))).toBe(sent);
  const { models } = await bobbin.transcripts.usage(session(thread));
  expect(models.map(({ model: name, calls }) => [name, calls])).toContainEqual(["lite", 2]);
});

test("a goal that the model proposes is started by whoever presses its button, once, and then works by itself", async () => {
  const ana = bobbin.newPerson();
  const proposes = callsTools({
    id: "c-new",
    name: "create_goal",
    arguments: JSON.stringify({ objective: "count the avocet" }),
  });
  script("avocet", proposes, says("I would count it."), done, says("It is counted."));
  const thread = await ana.say("how many avocet are there?");
  const shown = await ana.shows(thread, "Proposed goal:");
  expect(shown.text).toContain("count the avocet");
  const [button] = shown.buttons;
  expect(button).toMatchObject({ action: "start", label: "Start this goal" });
  await ana.click(thread, "start", button?.value);
  await settled(thread, 2);
  await endsWith(ana, thread, "The goal is reached.");
  await ana.click(thread, "start", button?.value);
  expect((await runs(thread)).map(({ cause }) => cause)).toEqual(["message", "continuation"]);
});
