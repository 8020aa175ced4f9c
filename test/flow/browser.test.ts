// The whole product as people see it: real Chromium on the running processes.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, ChatBrowser, shows, texts, write } from "../adapters/web/chat-browser.ts";
import { refuses } from "../support/fake-llm/answers.ts";
import { spawnProduct, temporaryFolder } from "../support/product.ts";
import { chromiumPath } from "../support/services/chromium.ts";
import { freePort } from "../support/services/free-port.ts";
import { until } from "../support/until.ts";
import { deploy, type Deployment } from "./deployment.ts";

let browser: ChatBrowser;
beforeAll(async () => {
  browser = await ChatBrowser.start(await chromiumPath());
});
afterAll(() => browser.stop());

/** Waits until the thread shows so many messages of the bot and none of them can still grow; the newest one's text. */
async function answered(page: Page, count: number): Promise<string> {
  const replies = page.locator("#thread .from-bot");
  await until(
    async () => {
      const states = await replies.evaluateAll((all) => all.map((each) => each.getAttribute("data-state")));
      return states.length === count && !states.includes("running");
    },
    { what: `${count} replies have settled` },
  );
  return replies.last().locator(".body").innerText();
}

/** Waits until the thread shows an answer with this text that is still written; whoever waits holds the model there. */
async function grows(page: Page, text: string): Promise<void> {
  await page.locator('#thread [data-state="running"] .body').filter({ hasText: text }).waitFor();
}

const words = (count: number): string => Array.from({ length: count }, (_, n) => `word${n + 1}`).join(" ");

test("with nothing set the demo model answers, a second thread is apart, and a restart keeps both", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const env = { DATA_DIR: folder.path, PORT: `${await freePort()}` };
  const first = stack.use(spawnProduct("start", env));
  const url = await first.ready();
  const page = await browser.open(stack);

  await page.goto(url);
  await page.getByRole("button", { name: "What time is it in Tokyo" }).click();
  await page.waitForURL(/\/threads\//);
  const clock = await answered(page, 1);
  for (const zone of ["Asia/Tokyo", "Europe/Lisbon"]) expect(clock).toContain(zone);
  const before = await texts(page);

  await page.getByRole("link", { name: "New thread" }).click();
  // Else the old page, which is about to go, may take what is written.
  await page.waitForURL(`${url}/`);
  await write(page, "The heron is called Tom.");
  await page.waitForURL(/\/threads\//);
  expect(await answered(page, 1)).toContain("demo model");
  await write(page, "What is it called?");
  const second = await answered(page, 2);
  expect(second).toContain("The heron is called Tom.");
  expect(second).not.toContain("Tokyo");

  first.kill("SIGTERM");
  expect(await first.exited).toBe(0);
  await page.locator("#line-state").getByText("Connection lost.").waitFor();
  await stack.use(spawnProduct("start", env)).ready();
  // The page that stayed open goes on by itself.
  await page.locator("#line-state:empty").waitFor({ state: "attached" });
  await write(page, "And now?");
  expect(await answered(page, 3)).toContain("The heron is called Tom.");

  await page.locator("#threads a", { hasText: "What time is it in Tokyo" }).click();
  await page.waitForURL(/\/threads\//);
  await shows(page, "What time is it in Tokyo and in Lisbon right now?");
  expect(await texts(page)).toEqual(before);
});

describe("a gateway and two workers on Redis and Postgres", () => {
  let bobbin: Deployment;
  let url: string;
  beforeAll(async () => {
    bobbin = await deploy();
    url = await bobbin.gateway.ready();
  });
  afterAll(() => bobbin[Symbol.asyncDispose]());

  test("an answer from another process grows in two browsers, each sees what the other writes, and a reload keeps it", async () => {
    await using stack = new AsyncDisposableStack();
    const [ana, ben] = [await browser.open(stack), await browser.open(stack)];
    using hold = bobbin.llm.hold(20);
    await begin(ana, url, "say 120 words");
    await ben.goto(ana.url());
    await Promise.all([grows(ana, "word5 "), grows(ben, "word5 ")]);
    hold.release(80);
    await Promise.all([grows(ana, "word65 "), grows(ben, "word65 ")]);
    hold.release();
    expect(await answered(ana, 1)).toBe(words(120));
    expect(await answered(ben, 1)).toBe(words(120));

    await ben.getByLabel("You write as").fill("Ben");
    await ben.getByLabel("You write as").press("Enter");
    await ben.getByRole("button", { name: "Save" }).waitFor({ state: "hidden" });
    await write(ben, "Good morning");
    await ana.locator("#thread .from-person", { hasText: "Good morning" }).getByText("Ben").waitFor();
    for (const page of [ana, ben]) expect(await answered(page, 2)).toContain("Good morning");

    const shown = await texts(ana);
    await ana.reload();
    expect(await texts(ana)).toEqual(shown);
    expect(await texts(ben)).toEqual(shown);
  });

  test("Stop in one browser ends the answer in the worker, keeps what was shown, and both see it", async () => {
    await using stack = new AsyncDisposableStack();
    const [ana, ben] = [await browser.open(stack), await browser.open(stack)];
    using hold = bobbin.llm.hold(20);
    await begin(ana, url, "say 120 words");
    await ben.goto(ana.url());
    await grows(ben, "word5 ");
    const { abandoned } = bobbin.llm;
    await ben.getByRole("button", { name: "Stop" }).click();
    for (const page of [ana, ben]) {
      expect(await answered(page, 1)).toContain("word5 ");
      await page.locator("#thread footer", { hasText: "Stopped." }).waitFor();
    }
    await until(() => bobbin.llm.abandoned === abandoned + 1, { what: "the model was left" });
    hold.release();
    await write(ana, "go on");
    expect(await answered(ana, 2)).toContain("go on");
  });

  test("a failed answer says why and can be tried again", async () => {
    await using stack = new AsyncDisposableStack();
    const page = await browser.open(stack);
    bobbin.llm.script(refuses(400, { message: "no" }));
    await begin(page, url, "please try this");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.locator("#thread .from-bot .body", { hasText: "please try this" }).waitFor();
    await until(async () => (await page.locator('#thread [data-state="running"]').count()) === 0, {
      what: "nothing runs",
    });
    expect(bobbin.llm.complaints).toEqual([]);
  });

  test("commands are answered in the thread, and after a reset the model sees nothing from before", async () => {
    await using stack = new AsyncDisposableStack();
    const page = await browser.open(stack);
    await begin(page, url, "the word is heron");
    await answered(page, 1);
    await write(page, "/status");
    expect(await answered(page, 2)).toContain("Nothing is running.");
    await write(page, "/help");
    expect(await answered(page, 3)).toContain("/retry");
    await write(page, "/nonsense");
    expect(await answered(page, 4)).toContain("There is no command /nonsense.");
    await write(page, "/retry");
    expect(await answered(page, 5)).toBe("There is nothing to try again.");
    await write(page, "/stop");
    expect(await answered(page, 6)).toBe("Nothing is running in this thread.");
    await write(page, "/reset");
    expect(await answered(page, 7)).toContain("This thread begins anew");
    await write(page, "which word?");
    await answered(page, 8);
    const seen = JSON.stringify(bobbin.llm.requests.at(-1)?.body.messages);
    expect(seen).toContain("which word?");
    expect(seen).not.toContain("heron");
    // People still see all of it.
    await page.reload();
    await shows(page, "the word is heron");
  });
});
