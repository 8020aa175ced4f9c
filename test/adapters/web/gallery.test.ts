// The gallery of replies: on only where it is asked for, and what it shows is what the surfaces would send.
import { afterAll, beforeAll, expect, test } from "vitest";
import { discordMarkdown } from "../../../src/adapters/discord/markdown.ts";
import { readSettings } from "../../../src/adapters/settings/settings.ts";
import { GALLERY } from "../../../src/adapters/web/gallery/documents.ts";
import { discordView } from "../../../src/adapters/web/gallery/discord-view.ts";
import { galleryOf } from "../../../src/parts/gallery.ts";
import { chromiumPath } from "../../support/services/chromium.ts";
import { temporaryFolder } from "../../support/product.ts";
import { ChatBrowser } from "./chat-browser.ts";
import { ChatWorld } from "./chat-world.ts";

const ids = GALLERY.flatMap(({ items }) => items.map(({ id }) => id));

let browser: ChatBrowser;
beforeAll(async () => {
  browser = await ChatBrowser.start(await chromiumPath());
});
afterAll(() => browser.stop());

test("without the setting there is no gallery, and in production the setting is refused with what to do", async () => {
  expect((await new ChatWorld().app({}, galleryOf({ gallery: false })).request("/gallery")).status).toBe(404);
  await using folder = await temporaryFolder();
  const read = (env: Record<string, string>) => readSettings(env, { folder: folder.path });
  expect(await read({ NODE_ENV: "production" })).toMatchObject({ kind: "ok", settings: { gallery: false } });
  expect(await read({ GALLERY: "on" })).toMatchObject({ kind: "ok", settings: { gallery: true } });
  expect(await read({ GALLERY: "on", NODE_ENV: "production" })).toEqual({
    kind: "wrong",
    problems: [
      { name: "GALLERY", problem: "is on in production", fix: "Leave it out; it is for development." },
    ],
  });
});

test("every reply of the gallery can be sent to every place, and the viewers know all that is in it", async () => {
  const app = new ChatWorld().app({}, galleryOf({ gallery: true }));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    const answer = await app.request(`/gallery/${id}`);
    expect([id, answer.status]).toEqual([id, 200]);
    const page = await answer.text();
    expect(page, id).not.toMatch(/Not known to this viewer|Cannot be sent/);
    // What stands in a document never becomes a tag or a mention.
    expect(page, id).not.toMatch(/<(?:script|img)[^>]*(?:alert|onerror)|class="[sd]-mention"/);
    expect(page, id).not.toMatch(/sk-live|api\.example\.com/);
  }
  expect((await app.request("/gallery/none")).status).toBe(404);
});

test("code with backticks in it is pictured as Discord shows it: whole, and without the spaces that part it from its marks", async () => {
  const codeIn = (markdown: string): readonly string[] => {
    const page = discordView({ content: discordMarkdown(markdown) });
    return [...page.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code = ""]) => code.replaceAll("&#96;", "`"));
  };
  expect(codeIn("Use `` `backticks` `` and ``` ``two`` ```, `` a`b ``, `` `x `` and `y`.")).toEqual([
    "`backticks`",
    "``two``",
    "a`b",
    "`x",
    "y",
  ]);
  expect(codeIn("```` a`b``c ````")).toEqual([]);
});

test("the gallery fits a phone and the policy of the pages, in light and in dark", async () => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(new ChatWorld());
  const url = await world.start(galleryOf({ gallery: true }));
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.open(stack, { viewport: { width: 390, height: 800 }, colorScheme });
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${url}/gallery`);
    expect(await page.locator(".g-item").count()).toBe(ids.length);
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
    expect(complaints).toEqual([]);
  }
});
