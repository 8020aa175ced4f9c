// Who writes while the agent works through several calls is heard before the next one, and sees that, on Slack and in the web chat.
import { afterAll, beforeAll, expect, test } from "vitest";
import { callsTools, says } from "../support/fake-llm/answers.ts";
import { tool } from "../support/agent-library.ts";
import { until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";
import { openSlackWorld, type SlackWorld } from "./slack-world.ts";

let world: SlackWorld;
let ran: string[] = [];
let go = Promise.withResolvers<void>();
const write = tool(
  "write",
  async (value) => {
    ran.push(JSON.stringify(value));
    await go.promise;
  },
  { effect: "write" },
);

beforeAll(async () => {
  world = await openSlackWorld({ over: "socket", parts: "start", tools: [write], webChat: true });
});
afterAll(() => world[Symbol.asyncDispose]());

/** A reply that asks for two calls, and one that can be looked at before it is written. */
function twoCalls() {
  ran = [];
  go = Promise.withResolvers();
  const mayAnswer = Promise.withResolvers<void>();
  world.llm.script(
    callsTools(
      ...["first", "second"].map((to) => ({ id: to, name: "write", arguments: JSON.stringify({ to }) })),
    ),
    async (exchange) => {
      await mayAnswer.promise;
      await says("the first only")(exchange);
    },
  );
  return {
    answers: mayAnswer.resolve,
    works: () => until(() => ran.length === 1, { what: "the first call works" }),
  };
}

const lastPrompt = (): string => JSON.stringify(world.llm.requests.at(-1)?.body.messages);

test("on Slack: the second call is skipped, the status says that the message was taken in, one reply answers both", async () => {
  const { slack } = world;
  const ana = slack.person("Ana");
  const ben = slack.person("Ben");
  const channel = slack.channel("general");
  const calls = twoCalls();
  const root = ana.say(channel, `${slack.botMention} write to both`);
  await calls.works();
  await ben.say(channel, "not to the second", { thread: root }).delivered;
  go.resolve();
  await world.shows(root, "1 new message taken in");
  calls.answers();
  const [answer, ...more] = await world.settled(root, 1);
  expect(more).toEqual([]);
  expect(answer?.text).toMatch(/^the first only/);
  expect(answer?.text).not.toContain("taken in");
  expect(ran).toEqual(['{"to":"first"}']);
  expect(lastPrompt()).toMatch(/skipped: someone wrote.*not to the second/);
  world.expectPeace();
});

test("in the web chat the same", async () => {
  const person = createWebPerson(world.urls[0] ?? "");
  const calls = twoCalls();
  const thread = await person.say("write to both");
  await calls.works();
  await person.say("not to the second", thread);
  go.resolve();
  await until(
    async () => (await person.read(thread)).some(({ foot }) => foot.includes("1 new message taken in")),
    { what: "the status says that it was taken in" },
  );
  calls.answers();
  const [answer] = await person.replies(thread, 1);
  expect(answer?.text).toBe("the first only");
  expect(ran).toEqual(['{"to":"first"}']);
  expect(lastPrompt()).toMatch(/skipped: someone wrote.*not to the second/);
});
