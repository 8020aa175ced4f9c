// The direction of what people write: each letter where it belongs, in right-to-left languages too, and nobody's words turn others around.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chromiumPath } from "../../support/services/chromium.ts";
import { begin, ChatBrowser, shows, startedWorld, write } from "./chat-browser.ts";

let browser: ChatBrowser;
beforeAll(async () => {
  browser = await ChatBrowser.start(await chromiumPath());
});
afterAll(() => browser.stop());

/** Letters of one line as they are seen from left to right. */
function seen(page: Page, selector: string): Promise<string> {
  return page.evaluate<string>(`(() => {
    const texts = document.createTreeWalker(document.querySelector(${JSON.stringify(selector)}), NodeFilter.SHOW_TEXT);
    const letters = [];
    while (texts.nextNode()) {
      const { data } = texts.currentNode;
      for (let at = 0; at < data.length; at++) {
        const range = document.createRange();
        range.setStart(texts.currentNode, at);
        range.setEnd(texts.currentNode, at + 1);
        const { left, width } = range.getBoundingClientRect();
        if (width > 0) letters.push([left, data[at]]);
      }
    }
    return letters.sort(([a], [b]) => a - b).map(([, letter]) => letter).join("");
  })()`);
}

const TURNED = "Look\u2069: \u202egpj.exe\u202c and \u2067x";
const STRAIGHT = "Look: gpj.exe and x";

test("signs that turn letters around turn nothing: no message, no name, and no title of a thread", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, TURNED);
  const { session } = await world.heard(TURNED);
  // As it was sent from here, and as somebody else said it under a name that another process stored.
  await write(page, `b ${TURNED}`);
  await world.heard(`b ${TURNED}`);
  const speaker = "Ada\u2069\u202e (away)";
  await world.messages.insert({
    session,
    id: "elsewhere",
    from: "person",
    speaker,
    page: { markdown: `c ${TURNED}`, buttons: [] },
  });
  await world.says(session, "r1", { markdown: `d ${TURNED}` });
  await shows(page, "Ada (away)");
  for (const when of ["now", "later"]) {
    if (when === "later") await page.reload();
    const bodies = [1, 2, 3, 4].map((n) => seen(page, `#thread > :nth-child(${n}) .body`));
    expect(await Promise.all(bodies)).toEqual(["", "b ", "c ", "d "].map((begin) => begin + STRAIGHT));
    expect(await seen(page, "#thread > :nth-child(3) > header")).toMatch(/^Ada \(away\)\w/);
    expect(await seen(page, "h1")).toBe(STRAIGHT);
    expect(await seen(page, "#threads .label")).toBe(STRAIGHT);
    expect((await page.title()).replaceAll(/[\u2066-\u2069]/gu, "")).toBe(`${STRAIGHT} · Bobbin`);
    // What is set apart has its end before what follows.
    expect(await page.title()).toMatch(/\u2067x\u2069 · Bobbin$/);
    expect(await page.content()).not.toMatch(/[\u202a-\u202e]/u);
  }
});

test("right-to-left words are seen from right to left, with what they set apart, wherever they stand", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  const hebrew = "למדו \u2066C++\u2069 היום";
  await page.goto(url);
  await page.locator("#text").fill(hebrew);
  expect(await page.evaluate<string>("getComputedStyle(document.getElementById('text')).direction")).toBe(
    "rtl",
  );
  await begin(page, url, hebrew);
  await world.heard(hebrew);
  for (const place of ["#thread .body", "h1", "#threads .label"])
    expect(await seen(page, place)).toBe("םויה C++ ודמל");
  // Beside them the page's own words stand where they stood.
  expect(
    await page.evaluate<boolean>(`(() => {
    const left = (selector) => document.querySelector(selector).getBoundingClientRect().left;
    return left("#threads .label") < left("#threads time") && left("h1") < left("header.bar a.quiet");
  })()`),
  ).toBe(true);
});
