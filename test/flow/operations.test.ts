// What is being done, as whoever runs the bot sees it: a gateway and a worker over Redis, looked at in a real browser.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChatBrowser } from "../adapters/web/chat-browser.ts";
import { createFakeLlm } from "../support/fake-llm/server.ts";
import { startProduct } from "../support/product.ts";
import { chromiumPath } from "../support/services/chromium.ts";
import { freshDatabase } from "../support/services/postgres.ts";
import { ownRedis } from "../support/services/redis.ts";
import { createWebPerson } from "../support/web-person.ts";

let browser: ChatBrowser;
beforeAll(async () => {
  browser = await ChatBrowser.start(await chromiumPath());
});
afterAll(() => browser.stop());

test("an answer that fails is seen, tried again from the page, seen at work, and gone; who is there, the queues, and a Redis that is away are seen too", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase());
  const redis = stack.use(await ownRedis());
  const llm = await createFakeLlm();
  stack.defer(() => llm.close());
  const goesOn = Promise.withResolvers<void>();
  let isWell = false;
  llm.respondWith(async (exchange) => {
    if (!isWell) return exchange.json(401, { error: { message: "no such key" } });
    await goesOn.promise;
    return exchange.json(200, {
      choices: [
        { index: 0, message: { role: "assistant", content: "A heron is a bird." }, finish_reason: "stop" },
      ],
    });
  });
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: llm.url,
    MODEL: "fake",
    WEB_CHAT: "on",
  };
  const gateway = stack.use(await startProduct("gateway", env));
  const worker = stack.use(await startProduct("worker", env));
  const person = createWebPerson(gateway.url, "operated-person");
  const thread = await person.say("what is a heron?");
  await person.replies(thread, 1);

  const page = await browser.open(stack);
  const outside: string[] = [];
  const faults: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(gateway.url)) outside.push(request.url());
  });
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(`${gateway.url}/admin/`);
  await page.getByRole("button").first().click();
  await page.getByRole("link", { name: "Operations" }).click();
  const there = page.getByRole("region", { name: "Processes" });
  await there.getByText("gateway").waitFor();
  await there.getByText("worker").waitFor();
  await page.getByRole("region", { name: "Failed answers" }).getByText("model_auth").waitFor();

  isWell = true;
  await page.getByRole("button", { name: /^Retry/ }).click();
  await page.getByText("Trying again.").waitFor();
  await page.getByRole("link", { name: "To the operations" }).click();
  // It comes and goes by itself while one looks.
  await page.getByText("running", { exact: true }).waitFor();
  await page.getByText(/held, \d s left/).waitFor();
  goesOn.resolve();
  await page.getByText("Nothing is being answered in this space.").waitFor();
  await page.getByText("Nothing failed, or all of it was tried again.").waitFor();
  await person.shows(thread, "A heron is a bird.");

  // Bull Board as it is, under our own policy: nothing from elsewhere, and nothing that changes anything.
  await page.getByRole("link", { name: "The queues in detail" }).click();
  await page.locator("#root").getByText("runs").first().waitFor();
  await page.locator("#root").getByText("goals").first().waitFor();
  const asked = await page.evaluate(async () => {
    const ask = (method: string) => fetch("/admin/queues/api/queues/runs/pause", { method });
    return [(await ask("PUT")).status, (await ask("POST")).status];
  });
  for (const status of asked) expect([403, 404]).toContain(status);
  expect(outside).toEqual([]);
  // What was refused above is told there too.
  expect(faults.filter((text) => !/status of 40[134]/.test(text))).toEqual([]);

  await page.goto(`${gateway.url}/admin/operations`);
  await redis.stop();
  await page.getByText("Redis is not reachable just now").first().waitFor();
  await there.getByText("gateway").waitFor();
  await redis.start();
  await page.getByText("Redis is not reachable just now").first().waitFor({ state: "detached" });
  await worker[Symbol.asyncDispose]();
  await page.getByText("No worker is there: nobody answers.").waitFor();
});
