// Reading in the web chat: narrow and dark screens, long threads, and answers that grow while one reads.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chromiumPath } from "../../support/services/chromium.ts";
import { until } from "../../support/until.ts";
import { begin, ChatBrowser, retry, shows, startedWorld, texts } from "./chat-browser.ts";

let browser: ChatBrowser;
beforeAll(async () => {
  browser = await ChatBrowser.start(await chromiumPath());
});
afterAll(() => browser.stop());

test.each(["light", "dark"] as const)(
  "on a phone nothing is wider than the screen, and text is readable: %s",
  async (colorScheme) => {
    await using stack = new AsyncDisposableStack();
    const { world, url } = await startedWorld(stack);
    const page = await browser.open(stack, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      colorScheme,
    });
    const long = "w".repeat(400);
    await page.goto(url);
    await page.locator("#text").tap();
    await page.keyboard.type("hello");
    await page.keyboard.press("Enter");
    await page.keyboard.insertText(long);
    await page.getByRole("button", { name: "Send" }).tap();
    const { session } = await world.heard(`hello\n${long}`);
    await page.waitForURL(/\/threads\//);
    const table = `| ${"a | ".repeat(12)}\n| ${"- | ".repeat(12)}\n| ${`${"cell ".repeat(6)}| `.repeat(12)}`;
    await world.says(session, "r1", {
      markdown: `${long}\n\n\`${long}\`\n\n\`\`\`\n${long}\n\`\`\`\n\n${table}\n\n> > > - - - ${long}`,
      footer: `The end. ${long}`,
      buttons: retry,
    });
    await page.locator(".table").waitFor();
    const overflow = () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    const inner = () => page.evaluate<number>("scroller.scrollWidth - innerWidth");
    expect([await overflow(), await inner()]).toEqual([0, 0]);
    expect(await page.locator(".sidebar").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Show the list of threads" }).click();
    await page.locator("#threads a").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".sidebar").waitFor({ state: "hidden" });
    expect(await overflow()).toBe(0);
    expect(await contrast(page)).toBeGreaterThan(7);
  },
);

/** Contrast of the page's text to its ground, as WCAG counts it. */
async function contrast(page: Page): Promise<number> {
  const colours = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]";
  const [ink = 0, ground = 0] = (await page.evaluate<string[]>(colours)).map((colour) => {
    const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
  return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
}

test("a reader who scrolled up stays there while an answer grows, and is told that there is more", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "hello");
  const { session } = await world.heard("hello");
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`).join("\n\n");
  const atEnd = () =>
    page.evaluate<boolean>("scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 2");
  await world.says(session, "r1", { markdown: lines(60) });
  await shows(page, "line 59");
  expect(await atEnd()).toBe(true);
  await page.locator("#scroller").hover();
  await page.mouse.wheel(0, -600);
  const top = () => page.evaluate<number>("scroller.scrollTop");
  const rests = async (): Promise<boolean> => {
    const before = await top();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => done()))");
    return before === (await top());
  };
  await until(async () => !(await atEnd()) && (await rests()), { what: "the page is scrolled up" });
  const before = await top();
  await world.says(session, "r1", { markdown: lines(90) });
  await shows(page, "line 89");
  await world.says(session, "r2", { markdown: "another" });
  await shows(page, "another");
  expect(await top()).toBe(before);
  await page.getByRole("button", { name: "Newest messages" }).click();
  await until(atEnd, { what: "the newest message is in view" });
});

test("a selection in a growing answer stays, and code can be copied", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack, { permissions: ["clipboard-read", "clipboard-write"] });
  await begin(page, url, "hello");
  const { session } = await world.heard("hello");
  const code = "```js\nlet a = 1;\n```";
  await world.says(session, "r1", { markdown: `First words.\n\n${code}\n\nmore`, status: "writing" });
  await shows(page, "more");
  await page.evaluate('getSelection().selectAllChildren(document.querySelector(".prose p"))');
  await world.says(session, "r1", { markdown: `First words.\n\n${code}\n\nmore and more` });
  await shows(page, "more and more");
  expect(await page.evaluate<string>("getSelection().toString()")).toBe("First words.");
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied").first().waitFor();
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe("let a = 1;");
});

test("of a long thread the newest part is shown, and the rest on request", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "hello");
  const { session } = await world.heard("hello");
  for (let n = 1; n <= 210; n++) await world.says(session, `r${n}`, { markdown: `answer ${n}` });
  await page.reload();
  expect(await page.locator(".message").count()).toBe(200);
  await world.says(session, "r1", { markdown: "changed" });
  await world.says(session, "r211", { markdown: "answer 211" });
  await shows(page, "answer 211");
  expect(await page.locator(".message").count()).toBe(201);
  await page.getByText("Show 11 earlier messages").click();
  await shows(page, "hello");
  expect((await texts(page)).slice(0, 2)).toEqual(["hello", "changed"]);
});
