import { afterAll, beforeAll } from "vitest";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { startProduct } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { createWebPerson, newMessageId } from "../support/web-person.ts";
import { LONG, onlyFor, QUESTION, testCommands, type CommandDriver } from "./command-table.ts";
import { LIMIT_MS } from "./world.ts";
import { until } from "../support/until.ts";

/** Undefined for a thread that nobody has begun. */
type Spot = { thread: string | undefined };

const IDS = { member: "member-0001", outsider: "outsider-01" } as const;

async function openDriver(): Promise<CommandDriver<Spot>> {
  await using building = new AsyncDisposableStack();
  const llm = await createFakeLlm({ talker: { perSecond: 100 } });
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
    async open(place, state) {
      if (place === "channel") return { thread: undefined };
      const thread = await people.member.say(state === "running" ? LONG : QUESTION);
      if (state === "idle") await people.member.replies(thread, 1);
      else
        await until(
          async () => (await people.member.read(thread)).some(({ text }) => text.includes("word10 ")),
          { timeoutMs: LIMIT_MS, what: "the answer has begun" },
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

let driver: CommandDriver<Spot>;
beforeAll(async () => void (driver = await openDriver()));
afterAll(() => driver[Symbol.asyncDispose]());

// A command may be the first thing in a thread; nobody can be talked to without the others here.
testCommands("web", { thread: "session", channel: "begins" }, () => driver);
