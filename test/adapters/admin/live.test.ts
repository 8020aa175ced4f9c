// Pages that keep themselves up to date, in real Chromium: only for whoever looks.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chromiumPath } from "../../support/services/chromium.ts";
import { storeThread } from "../../support/stored-threads.ts";
import { until } from "../../support/until.ts";
import { ChatBrowser } from "../web/chat-browser.ts";
import { openAdminWorld, person, type AdminWorld } from "./admin-world.ts";

const SESSION = "slack:T1:C1:171.5";
const PATH = `/admin/threads/${encodeURIComponent(SESSION)}`;
const BOSS = person("T1", "UBOSS", "Bea");

const stack = new AsyncDisposableStack();
let world: AdminWorld;
let context: BrowserContext;
let first: Page;
beforeAll(async () => {
  world = stack.use(await openAdminWorld());
  await storeThread(world.sql, { session: SESSION, said: ["a question", "an answer"] });
  world.makeAdmin(BOSS);
  const browser = await ChatBrowser.start(await chromiumPath());
  stack.defer(() => browser.stop());
  first = await browser.open(stack);
  context = first.context();
  // Without a window every tab counts as seen: what is behind another one is told to it here.
  await context.addInitScript(() => {
    let isHidden = false;
    Object.defineProperty(document, "hidden", { get: () => isHidden });
    addEventListener("behind", () => {
      isHidden = true;
      document.dispatchEvent(new Event("visibilitychange"));
    });
    addEventListener("in-front", () => {
      isHidden = false;
      document.dispatchEvent(new Event("visibilitychange"));
    });
  });
  await first.goto(`${world.url}${await world.link(BOSS)}`);
  await first.getByRole("button", { name: "Sign in" }).click();
  await first.waitForURL(/\/admin\/$/);
});
afterAll(() => stack.disposeAsync());

const turn = (page: Page, to: "behind" | "in-front"): Promise<unknown> =>
  page.evaluate((name) => dispatchEvent(new Event(name)), to);

/** Each connection is a line in the log. */
const connections = async (): Promise<number> =>
  (await world.audited(BOSS)).filter(({ about }) => about === "live").length;

async function opened(): Promise<Page> {
  const page = await context.newPage();
  const before = await connections();
  await page.goto(`${world.url}${PATH}`);
  await until(async () => (await connections()) > before, { what: "it is kept up to date" });
  return page;
}

test("however many transcripts stand open behind it, the page that one looks at loads, and is up to date when one comes back to it", async () => {
  const behind: Page[] = [];
  for (let n = 0; n < 7; n++) {
    const page = await opened();
    await turn(page, "behind");
    behind.push(page);
  }
  await first.goto(`${world.url}/admin/audit`);
  expect(await first.locator("h1").textContent()).toBe("Audit log");

  await world.sql.query({
    text: `update inbox set body = jsonb_set(body, '{parts,0,text}', '"and the heron?"') where session = '${SESSION}'`,
  });
  const [page] = behind;
  if (page === undefined) throw new Error("no page");
  await turn(page, "in-front");
  await page.locator("#thread .people").getByText("and the heron?").first().waitFor();
  await turn(page, "behind");
  const asked = await connections();
  // Not again by itself.
  await turn(page, "behind");
  await first.reload();
  expect(await connections()).toBe(asked);
});

test("a page that is opened behind another asks for nothing until somebody looks at it", async () => {
  const page = await context.newPage();
  await page.addInitScript(() => dispatchEvent(new Event("behind")));
  const before = await connections();
  await page.goto(`${world.url}${PATH}`);
  await page.getByText("an answer").first().waitFor();
  expect(await connections()).toBe(before);
  await turn(page, "in-front");
  await until(async () => (await connections()) > before, { what: "it is kept up to date" });
});
