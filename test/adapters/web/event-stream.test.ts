import { expect, test } from "vitest";
import { createLocalLive } from "../../../src/adapters/local/live.ts";
import type { Live } from "../../../src/core/ports/live.ts";
import type { SessionId } from "../../../src/core/thread.ts";
import { until } from "../../support/until.ts";
import { ChatWorld } from "./chat-world.ts";

interface Told {
  readonly id: string;
  readonly revision: number;
  readonly deleted: boolean;
  readonly html: string;
}

/** Reads a stream like an EventSource that keeps everything. */
async function listenTo(response: Response | Promise<Response>) {
  const { body, status } = await response;
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  const seen = { status, text: "", isOver: false };
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) seen.text += next.value;
    seen.isOver = true;
  })();
  const told = (): Told[] =>
    [...seen.text.matchAll(/event: message\ndata: (.*)\nid: (\d+)/g)].map(
      ([, data]) => JSON.parse(data!) as Told,
    );
  const close = async (): Promise<void> => {
    await reader.cancel();
    await reading;
  };
  return { seen, told, [Symbol.asyncDispose]: close };
}

async function opened(world: ChatWorld): Promise<SessionId> {
  const app = world.app();
  const headers = { "Content-Type": "application/json" };
  await app.request("/messages", {
    method: "POST",
    headers,
    body: JSON.stringify({ id: "aaaabbbbcccc", text: "hello" }),
  });
  return world.inbounds[0]!.session;
}

test("a stream tells what changed since the revision that the browser has, in rising order, and then what changes", async () => {
  const world = new ChatWorld();
  const session = await opened(world);
  await world.says(session, "r1", { markdown: "a" });
  await world.says(session, "r2", { markdown: "b" });
  await world.says(session, "r1", { markdown: "c" });
  await using stream = await listenTo(
    world.app().request(`/threads/${session}/events?since=0`, { headers: { "Last-Event-ID": "1" } }),
  );
  await until(() => stream.told().length === 2, { what: "the rows that were missed are there" });
  await world.says(session, "r2", { markdown: "d" });
  await world.surface(session).remove("r1");
  await until(() => stream.told().length === 4, { what: "the changes are there" });
  expect(stream.told().map(({ id, revision, deleted }) => [id, revision, deleted])).toEqual([
    ["r2", 3, false],
    ["r1", 4, false],
    ["r2", 5, false],
    ["r1", 6, true],
  ]);
});

test("a change that no bell told of is found at the next beat", async () => {
  const live = createLocalLive();
  const deaf: Live = { ...live, publish: async () => {} };
  const world = new ChatWorld();
  const session = await opened(world);
  const app = world.app({ beatMs: 20 }, { live: deaf });
  await using stream = await listenTo(app.request(`/threads/${session}/events?since=1`));
  await world.messages.insert({
    session,
    id: "r1",
    from: "bot",
    speaker: "Bobbin",
    page: { markdown: "x", buttons: [] },
  });
  await until(() => stream.told().length === 1, { what: "the row is there" });
});

test("where live events cannot be heard at all, the beats show the rows", async () => {
  const live: Live = { publish: async () => {}, subscribe: () => Promise.reject(new Error("Redis is away")) };
  const world = new ChatWorld();
  const session = await opened(world);
  await using stream = await listenTo(
    world.app({ beatMs: 20 }, { live }).request(`/threads/${session}/events`),
  );
  await world.says(session, "r1", { markdown: "x" });
  await until(() => stream.told().some(({ id }) => id === "r1"), { what: "the row is there" });
});

test("a page that was opened while live events could not be heard hears them once they can be", async () => {
  const local = createLocalLive();
  const heard = new Set<string>();
  let isAway = true;
  const live: Live = {
    publish: (topic, event) => local.publish(topic, event),
    async subscribe(topic, listener) {
      if (isAway && topic === "threads") throw new Error("Redis is away");
      const unwatch = await local.subscribe(topic, listener);
      heard.add(topic);
      return () => {
        heard.delete(topic);
        unwatch();
      };
    },
  };
  const world = new ChatWorld();
  const session = await opened(world);
  await using stream = await listenTo(
    world.app({ beatMs: 20 }, { live }).request(`/threads/${session}/events`),
  );
  await until(() => stream.seen.text.includes(": beat"), { what: "a beat came" });
  // What was begun to be heard by halves is let go again.
  await until(() => heard.size === 0, { what: "nothing is heard" });
  isAway = false;
  await until(() => heard.size === 2, { what: "both topics are heard" });
  await live.publish(session, { revision: 99 });
  await until(() => stream.told().length > 0, { what: "the rows are there" });
});

test("a store that goes away in mid-stream is said in one sentence, and the stream heals by itself", async () => {
  const world = new ChatWorld();
  const session = await opened(world);
  await using stream = await listenTo(
    world.app({ beatMs: 20 }).request(`/threads/${session}/events?since=1`),
  );
  await until(() => stream.seen.text.includes("event: threads"), { what: "the stream has begun" });
  world.messages.isAway = true;
  await until(() => stream.seen.text.includes("event: trouble\ndata: The bot's database"), {
    what: "it is said",
  });
  world.messages.isAway = false;
  await world.says(session, "r1", { markdown: "x" });
  await until(() => stream.told().length === 1 && stream.seen.text.includes("event: well"), {
    what: "it is well",
  });
});

test("a new thread reaches the list on every open page", async () => {
  const world = new ChatWorld();
  await using stream = await listenTo(world.app({ beatMs: 60_000 }).request("/events"));
  await until(() => stream.seen.text.includes("No threads yet."), { what: "the empty list is there" });
  await opened(world);
  await until(() => /class="label">hello</.test(stream.seen.text), {
    what: "the thread is listed",
  });
});

test("a stream ends when the server closes", async () => {
  const world = new ChatWorld();
  const session = await opened(world);
  const closing = new AbortController();
  const app = world.app({ beatMs: 60_000 });
  await using stream = await listenTo(
    app.request(`/threads/${session}/events`, {}, { closing: closing.signal }),
  );
  await until(() => stream.told().length === 1, { what: "the row is there" });
  closing.abort();
  await until(() => stream.seen.isOver, { what: "the stream is over" });
});
