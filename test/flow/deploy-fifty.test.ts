// A deploy in the middle of fifty running threads: every process is told to end, new ones come, and people see nothing but answers.
import { expect, test } from "vitest";
import { callsTools, delta, events } from "../support/fake-llm/answers.ts";
import type { FakeAnswer } from "../support/fake-llm/server.ts";
import { until } from "../support/until.ts";
import { openSlackWorld } from "./slack-world.ts";

const THREADS = 50;
const LIMIT_MS = 120_000;

test("fifty threads in mid-answer, SIGTERM to all, new processes: each is answered once, whole, in its own message, no tool runs twice, and nobody sees that anything happened", async () => {
  // Slack's own pauses are minutes: the test says when they are over.
  await using world = await openSlackWorld({
    over: "http",
    parts: ["gateway", "worker", "worker"],
    as: "processes",
    slack: { retryDelaysMs: [0, 60_000, 300_000], complaints: { posts: { burst: 1_000 } } },
  });
  const { slack, llm } = world;
  const mayEnd = Promise.withResolvers<void>();
  let begun = 0;
  /** A tool first; then half an answer, and the rest when the test lets it. */
  const answer: FakeAnswer = async (exchange) => {
    const { number, body } = exchange.request;
    if (body.messages.at(-1)?.role !== "tool") {
      const time = { id: `call_${number}`, name: "time_in_zone", arguments: '{"zone":"Asia/Tokyo"}' };
      await callsTools(time)(exchange);
      return;
    }
    await exchange.event(delta({ content: "It is late in Tokyo, " }));
    begun++;
    await Promise.race([mayEnd.promise, exchange.closed]);
    if (exchange.isClosed) return;
    await events(delta({ content: "and early in Lisbon." }), delta({}, "stop"), "[DONE]")(exchange);
  };
  llm.respondWith(answer);

  const people = Array.from({ length: THREADS }, (_, at) => ({
    person: slack.person(`Person ${at}`),
    channel: slack.channel(`channel-${at}`),
  }));
  const roots = people.map(({ person, channel }) =>
    person.say(channel, `${slack.botMention} how late is it?`),
  );
  await until(() => begun === THREADS, { timeoutMs: LIMIT_MS, what: "all fifty are in mid-answer" });
  const shown = await Promise.all(roots.map((root) => world.shows(root, "It is late in Tokyo")));

  const old = [...world.processes];
  for (const process of old) process.kill("SIGTERM");
  // In order, and within the time after which it would give up.
  expect(await Promise.all(old.map(({ exited }) => exited))).toEqual([0, 0, 0]);
  const [first] = people;
  const meanwhile = first!.person.say(first!.channel, `${slack.botMention} and in the gap?`);
  await until(() => slack.delivery.waiting > 0, { what: "Slack waits before it tries again" });
  mayEnd.resolve();
  await Promise.all((["gateway", "worker", "worker"] as const).map((role) => world.add(role)));
  slack.delivery.retryNow();

  const answers = await Promise.all(roots.map((root) => world.settled(root, 1)));
  await world.settled(meanwhile, 1);
  expect(answers.map((all) => all.map(({ ts }) => ts))).toEqual(shown.map(({ ts }) => [ts]));
  for (const { channel } of people) {
    for (const { userId, versions } of slack.ever(channel)) {
      if (userId !== slack.app.botUserId) continue;
      expect(versions.at(-1)?.text).toContain("It is late in Tokyo, and early in Lisbon.");
      // Signs of work, and the answer as it grows: no notice, and never less than was there before.
      const words = versions.map(({ text }) => text.split("\n")[0] ?? "");
      for (const text of words)
        expect(text).toMatch(/^(Thinking…|Using|It is late in Tokyo,( and early in( Lisbon\.)?)?$)/);
      const since = words.findIndex((text) => text.startsWith("It is late"));
      expect(words.slice(since).every((text) => text.startsWith("It is late"))).toBe(true);
    }
  }
  world.expectPeace();

  const sql = await world.ended();
  const [counted] = await sql.query<{ runs: number; results: number; kinds: readonly string[] }>({
    text: `select (select count(*)::integer from runs) as runs, (select count(*)::integer from entries where kind = 'tool') as results,
        (select array_agg(distinct ended order by ended) from attempts) as kinds`,
  });
  expect(counted).toEqual({ runs: THREADS + 1, results: THREADS + 1, kinds: ["ended", "handed_over"] });
  const asked = llm.requests.filter(({ body }) => body.messages.at(-1)?.role !== "tool");
  expect(asked).toHaveLength(THREADS + 1);
});
