import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { startProduct } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { createWebPerson, newMessageId, type WebPerson } from "../support/web-person.ts";
import { LONG, onlyFor, QUESTION, testCommands, type CommandDriver } from "./command-table.ts";
import { until } from "../support/until.ts";

/** Undefined for a thread that nobody has begun. */
type Spot = { thread: string | undefined };

const IDS = { member: "member-0001", outsider: "outsider-01" } as const;

interface WebDriver extends CommandDriver<Spot> {
  readonly people: Readonly<Record<keyof typeof IDS, WebPerson>>;
}

async function openDriver(): Promise<WebDriver> {
  await using building = new AsyncDisposableStack();
  const llm = await createFakeLlm();
  building.defer(() => llm.close());
  const database = building.use(await freshDatabase());
  const env = { DATABASE_URL: database.url, WEB_CHAT: "on", OPENAI_BASE_URL: llm.url, MODEL: "fake" };
  const access = { commands: onlyFor(`web:local:${IDS.member}`) };
  const { url } = building.use(await startProduct("start", env, {}, {}, access));
  const people = {
    member: createWebPerson(url, IDS.member),
    outsider: createWebPerson(url, IDS.outsider),
  };
  const stack = building.move();
  return {
    llm,
    people,
    async open(place, state) {
      if (place === "channel") return { thread: undefined };
      const thread = await people.member.say(state === "running" ? LONG : QUESTION);
      if (state === "idle") await people.member.replies(thread, 1);
      else
        await until(
          async () => (await people.member.read(thread)).some(({ text }) => text.includes("word10 ")),
          { what: "the answer has begun" },
        );
      return { thread };
    },
    async give({ thread }, who, { name, argument }) {
      const id = newMessageId();
      const line = argument === undefined ? `/${name}` : `/${name} ${argument}`;
      const into = await people[who].say(line, thread, id);
      const answer = (await people[who].read(into)).find((message) => message.id === `${id}-answer`);
      return answer?.text ?? "";
    },
    expectPeace() {
      if (llm.complaints.length > 0) throw new Error(llm.complaints.join("\n"));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

let driver: WebDriver;
beforeAll(async () => void (driver = await openDriver()));
afterAll(() => driver[Symbol.asyncDispose]());

// A command may be the first thing in a thread; nobody can be talked to without the others here.
testCommands("web", { thread: "session", channel: "begins" }, () => driver);

test("a branched thread stands in the list with the old one's name, links to it, and goes on with what was said", async () => {
  const { people, llm } = driver;
  const { member } = people;
  const thread = await member.say(QUESTION);
  await member.replies(thread, 1);
  await member.say("/branch", thread);
  await member.shows(thread, "branched this thread");
  const link = await until(
    async () => (await member.links(thread)).find((one) => one.startsWith("/threads/")),
    {
      what: "there is a link to the new thread",
    },
  );
  const branch = decodeURIComponent(link.slice("/threads/".length));
  expect((await member.read(branch))[0]?.text).toMatch(/Branch of what is new\? , asked for by/);
  expect(await member.links(branch)).toContain(`/threads/${encodeURIComponent(thread)}`);
  const asked = llm.requests.length;
  await member.say(QUESTION, branch);
  await member.replies(branch, 2);
  expect(llm.requests.slice(asked).map(({ body }) => body.messages.map(({ role }) => role))).toEqual([
    ["system", "user", "assistant", "user"],
  ]);
});

test("in the web chat an aside is for nobody, and where a thread follows mentions only, so is what has none; why tells it", async () => {
  const { people, llm } = driver;
  const { member } = people;
  const before = llm.requests.length;
  const thread = await member.say(QUESTION);
  await member.replies(thread, 1);
  await member.say("(aside) what do you think?", thread);
  await member.say("/follow mention", thread);
  await member.say("among people", thread);
  await member.say("/why", thread);
  await member.say("@Bobbin, and you?", thread);
  const [, , why, answer] = await member.replies(thread, 4);
  expect(why?.text).toMatch(/did not answer.*follow: the thread follows mentions only/);
  expect(answer?.text).toContain("and you?");
  expect(llm.requests).toHaveLength(before + 2);
  const asked = JSON.stringify(llm.requests.at(-1)?.body.messages);
  expect(asked).not.toMatch(/aside|among people/);
  const shown = (await member.read(thread)).map(({ text }) => text);
  expect(shown).toEqual(expect.arrayContaining(["(aside) what do you think?", "among people"]));
});
