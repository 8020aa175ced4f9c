// What an operator sees of a gateway and a worker, as Prometheus reads it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { startProduct } from "../support/product.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { freshRedis } from "../support/services/redis.ts";
import { until } from "../support/until.ts";
import { createWebPerson } from "../support/web-person.ts";

const TOKEN = "a-token-for-the-metrics";

async function figuresAt(url: string): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

test("with METRICS_TOKEN every process tells what it did, to whoever has the token, and nothing of what people said", async () => {
  await using database = await freshDatabase();
  await using redis = await freshRedis();
  const llm = await createFakeLlm({ talker: { perSecond: 1_000 } });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => llm.close());
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    METRICS_TOKEN: TOKEN,
    WEB_CHAT: "on",
  };
  await using gateway = await startProduct("gateway", env);
  const person = createWebPerson(gateway.url, "watched-person");
  const thread = await person.say("the word is heron");
  const waiting = await until(
    async () => {
      const figures = await figuresAt(gateway.url);
      return figures.get("bobbin_waiting_inbounds") === 1 ? figures : undefined;
    },
    { what: "the message waits" },
  );
  expect(waiting.get('bobbin_inbounds_total{platform="web",kind="message",outcome="stored"}')).toBe(1);
  expect(waiting.get('bobbin_intake_seconds_count{platform="web"}')).toBe(1);
  expect(waiting.get('bobbin_queue_jobs{queue="runs",state="waiting"}')).toBe(1);

  await using worker = await startProduct("worker", env);
  await person.replies(thread, 1);
  const figures = await until(
    async () => {
      const found = await figuresAt(worker.url);
      return found.get("bobbin_waiting_inbounds") === 0 &&
        found.get('bobbin_open_runs{state="settling"}') === 0
        ? found
        : undefined;
    },
    { what: "all is done" },
  );
  expect(figures.get('bobbin_runs_ended_total{platform="web",cause="message",reason="stop"}')).toBe(1);
  expect(figures.get('bobbin_attempts_total{how="begun"}')).toBe(1);
  expect(figures.get('bobbin_run_seconds_count{platform="web",cause="message"}')).toBe(1);
  expect(figures.get('bobbin_model_calls_total{model="fake",outcome="done"}')).toBe(1);
  expect(figures.get('bobbin_model_tokens_total{model="fake",kind="output"}')).toBeGreaterThan(0);
  expect(figures.get('bobbin_page_writes_total{platform="web",write="post",outcome="ok"}')).toBe(1);
  expect(figures.get('bobbin_queue_jobs{queue="goals",state="waiting"}')).toBe(0);
  expect([...figures.keys()].join("\n")).not.toMatch(/heron|watched-person|web:local/);

  for (const authorization of [undefined, "Bearer wrong", `Basic ${TOKEN}`, TOKEN]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const refused = await fetch(`${worker.url}/metrics`, { headers });
    expect(refused.status).toBe(401);
    expect(await refused.text()).not.toContain("bobbin_");
  }
  const documented = await readFile(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
  const answer = await fetch(`${worker.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const names = [...(await answer.text()).matchAll(/^# HELP (bobbin_\w+)/gm)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
});

test("without METRICS_TOKEN there are no metrics", async () => {
  await using database = await freshDatabase();
  await using bobbin = await startProduct("start", { DATABASE_URL: database.url, WEB_CHAT: "off" });
  expect((await fetch(`${bobbin.url}/metrics`)).status).toBe(404);
});
