// How the admin pages look and are used, in real Chromium: every page that the route table knows, by light and by dark, wide and on a
// phone. What axe-core checks is measured, contrast included.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backUrlOf } from "../../../src/adapters/admin/pages/paths.ts";
import { createSlackSignIn } from "../../../src/adapters/slack/sign-in.ts";
import type { Install } from "../../../src/core/ports/installs.ts";
import type { SignInWay } from "../../../src/core/ports/sign-in-way.ts";
import { chromiumPath } from "../../support/services/chromium.ts";
import { createLocalSlack } from "../../support/slack/local-slack.ts";
import { storeReactions, storeThread } from "../../support/stored-threads.ts";
import { ChatBrowser } from "../web/chat-browser.ts";
import { openAdminWorld, person, type AdminWorld } from "./admin-world.ts";
import { isForm, PATH, ROUTES, SESSION } from "./route-table.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Where somebody wants to look at them too. */
const KEPT = process.env["SCREENSHOTS"];

const stack = new AsyncDisposableStack();
const ways: SignInWay[] = [];
let world: AdminWorld;
let browser: ChatBrowser;
let run = "";
let page: Page;

beforeAll(async () => {
  world = stack.use(await openAdminWorld({ ways }));
  const { sql, clock } = world;
  await sql.query({ text: `insert into blobs values ('p', 'be helpful'), ('t', '[]')` });
  const said = [
    "What <b>broke</b> the deployment in Lisbon?",
    "The certificate had run out.\n\n```\nopenssl x509 -enddate\n```\n\nIt is renewed now.",
    "Thanks! And `when` does the next one end? ".repeat(8),
    "In 90 days.",
  ];
  const runs = await storeThread(sql, { session: SESSION, said, at: clock.now() - 90_000 });
  [run = ""] = runs;
  const [ana, ben] = [
    { id: "U1", name: "Ana" },
    { id: "U2", name: "Benjamin of the night shift" },
  ];
  const at = clock.now() - 60_000;
  await storeReactions(sql, SESSION, runs, [
    { n: 0, person: ben, shown: ":eyes:", at },
    { n: 1, person: ana, shown: "👍", at: at + 1 },
    { n: 1, person: ben, shown: ":a-very-long-name-of-an-emoji-that-somebody-made-for-fun:", at: at + 2 },
    { n: 1, person: ben, shown: "🎉", at: at + 3, takenAt: at + 9_000 },
  ]);
  await storeThread(sql, {
    session: "slack:T1:C2:171.6",
    said: [`a-very-long-word-${"x".repeat(300)}`, "no"],
    error: "model_unavailable",
    at: clock.now() - 3_600_000,
  });
  await storeThread(sql, { session: "slack:T1:D1:171.7", said: ["between us", "yes"], isDirect: true });
  // A first message that was refused, of somebody's own; and a goal that was changed, checked and replaced.
  await sql.query({
    text: `insert into inbox (id, session, kind, message, at, body, state, fate, reason, rule) values ('no1', 'slack:T1:D7:9.2', 'message', 'm', 1,
      '{"v":1,"kind":"message","id":"no1","session":"slack:T1:D7:9.2","author":{"id":"U7","name":"Gus"},"at":1,"addressed":true,"message":"m",
        "parts":[{"kind":"text","text":"let me in"}]}', 'done', 'refused', 'guests: not allowed', 'guests: not allowed')`,
  });
  await sql.query({
    text: `insert into goals (id, session, status, body) values ('g1', '${SESSION}', 'complete', '{"objective":"a"}'), ('g2', '${SESSION}', 'active', '{"objective":"b"}')`,
  });
  await sql.query({
    text: `insert into goal_events (goal, kind, who, status, body) values
      ('g1', 'set', 'U1', 'active', '{"objective":"Renew every certificate that ends this year"}'),
      ('g1', 'verdict', null, 'active', '{"objective":"Renew every certificate that ends this year","evidence":"All of three are renewed.",
        "proposal":{"verdict":{"kind":"rejected","reason":"The list names four of them."}}}'),
      ('g1', 'replaced', 'U1', 'active', '{"objective":"Renew every certificate that ends this year"}'),
      ('g2', 'set', 'U1', 'active', '{"objective":"Write down when each certificate ends"}')`,
  });
  await sql.query({
    text: `update model_calls set params = '{"v":1,"model":{"name":"m","contextWindow":9,"caching":"automatic"},"outputTokens":9,"caching":false}'`,
  });
  browser = await ChatBrowser.start(await chromiumPath());
  stack.defer(() => browser.stop());

  // Another site than the one that the pages are on, as the platform is: cookies and the policy are those of real life.
  const slack = stack.use(await createLocalSlack({ nowMs: () => clock.now() }));
  const elsewhere = slack.slackApiUrl.replace("127.0.0.1", "localhost");
  const backUrl = backUrlOf(world.url, "slack");
  slack.oauth.redirectUrls.add(backUrl);
  const { clientId, clientSecret } = slack.app;
  const team = slack.team("T1");
  const bea = team.person("Bea");
  const install = { platform: "slack", space: "T1", name: "Team One" } as Install;
  const installs = { list: () => Promise.resolve([install]) };
  ways.push(createSlackSignIn({ installs, clock }, { clientId, clientSecret, backUrl, apiUrl: elsewhere }));
  world.makeAdmin(person("T1", bea.id, "Bea"));
  page = await browser.open(stack, { timezoneId: "Asia/Tokyo", locale: "en-GB" });
});
afterAll(() => stack.disposeAsync());

/** What is wrong with the page for people who see or hear it otherwise, in words. */
async function faults(rules?: readonly string[]): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(async (only): Promise<AxeResults> => {
    const { axe } = globalThis as unknown as {
      axe: { run: (of: unknown, options: unknown) => Promise<AxeResults> };
    };
    const runOnly = only ?? {
      type: "tag",
      values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    };
    return axe.run(document, { runOnly });
  }, rules);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = "" }) =>
        `${id} at ${target.join(" ")}: ${failureSummary.split("\n")[1]?.trim()}`,
    ),
  );
}

let shots = 0;
async function shot(name: string): Promise<void> {
  if (KEPT === undefined) return;
  mkdirSync(KEPT, { recursive: true });
  const file = `${String(++shots).padStart(3, "0")}-${name.replaceAll(/[^a-z0-9]+/gi, "-")}.png`;
  await page.screenshot({ path: join(KEPT, file), fullPage: true });
}

const WIDE = { width: 1180, height: 780 };
const PHONE = { width: 375, height: 720 };

/** The page as it stands, in all four ways. */
async function expectFine(name: string): Promise<void> {
  const found: string[] = [];
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: "light" });
  found.push(...(await faults()));
  await shot(`${name} light`);
  await page.emulateMedia({ colorScheme: "dark" });
  found.push(...(await faults(["color-contrast", "link-in-text-block"])).map((fault) => `dark: ${fault}`));
  await shot(`${name} dark`);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(PHONE);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) found.push(`phone: ${over} px too wide`);
  await shot(`${name} phone`);
  expect(found).toEqual([]);
}

test("from another site and back a browser comes in by Sign in with Slack, and every page before it is fit to use", async () => {
  await page.goto(`${world.url}${PATH}`);
  await expectFine("sign-in");
  await page.setViewportSize(WIDE);
  await page.getByRole("link", { name: "Sign in with Slack" }).click();
  await page.waitForURL(/localhost/);
  await page.getByRole("link", { name: "Cancel" }).click();
  await page.getByText("You have cancelled it in Slack").waitFor();
  await expectFine("cancelled");
  await page.goto(`${world.url}${PATH}`);
  await page.getByRole("link", { name: "Sign in with Slack" }).click();
  await page.getByRole("link", { name: "Bea", exact: true }).click();
  // To the page that was wanted in the beginning.
  await page.waitForURL(/\/admin\/threads\//);
  await page.getByText("The certificate had run out").first().waitFor();
});

describe("signed in", () => {
  const pages = Object.entries(ROUTES).filter(
    ([route, { may }]) =>
      !isForm(route) && !route.endsWith("/live") && !route.includes("csv") && may !== "anybody",
  );
  const more: readonly [string, string][] = [
    ["people's side", `${PATH}?side=people`],
    ["model's side", `${PATH}?side=model`],
    ["a search that finds", "/admin/?q=certificate"],
    ["a search that finds nothing", "/admin/?q=zebra"],
    ["filters that nothing fits", "/admin/?channel=C77"],
    ["a reason is asked for", `/admin/threads/${encodeURIComponent("slack:T1:D1:171.7")}`],
    ["usage of days without any", "/admin/usage?from=2020-01-01&to=2020-01-02"],
    ["a link", "link"],
    ["a link that is used", `/admin/in/${"x".repeat(43)}`],
  ];
  const each: readonly [string, string][] = [
    ...pages.map(([route, { path }]): [string, string] => [route, path({ own: "none", run: "RUN" })]),
    ...more,
  ];
  test.each(each)("%s is fit to use", async (name, path) => {
    const where = path === "link" ? await world.link(person("T1", "UBEA", "Bea")) : path.replace("RUN", run);
    await page.goto(`${world.url}${where}`);
    await expectFine(name);
  });

  test("what was written and not kept is given back on a page that is fit to use", async () => {
    await page.setViewportSize(WIDE);
    await page.goto(`${world.url}${PATH}`);
    await page.locator("details.goals").last().locator("summary").click();
    await expectFine("goals");
    await page.setViewportSize(WIDE);
    await page.getByText("Flag it or write a note").click();
    await page.getByLabel("Why", { exact: true }).fill("It named three,\nand there are four.");
    await page.getByLabel("About the entry").fill("entry 4");
    await page.getByRole("button", { name: "Add" }).click();
    expect(await page.getByLabel("What you wrote").inputValue()).toBe("It named three,\nand there are four.");
    await expectFine("given back");
    await page.getByRole("link", { name: "to the page that you wrote it on" }).click();
    await page.waitForURL(`${world.url}${PATH}`);
  });

  test("a message of a request is shown as it was sent, with no space of the page's own", async () => {
    await page.goto(`${world.url}${PATH}/calls/c${run}`);
    expect(await page.locator(".messages .words").first().textContent()).toBe("be helpful");
  });

  test("moments are those of the reader's own zone, and the server's where there is no script", async () => {
    await page.goto(`${world.url}/admin/audit`);
    const time = page.locator("main time").first();
    const iso = (await time.getAttribute("datetime")) ?? "";
    const there = new Intl.DateTimeFormat("en-GB", {
      dateStyle: "medium",
      timeStyle: "medium",
      timeZone: "Asia/Tokyo",
    });
    expect(await time.textContent()).toBe(there.format(new Date(iso)));
  });

  test("everything that can be pressed is reached by the keyboard, is seen to be, and the content comes first if wanted", async () => {
    await page.setViewportSize(WIDE);
    await page.goto(`${world.url}/admin/`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("To the content");
    expect(await page.locator(":focus").boundingBox()).toMatchObject({
      height: expect.closeTo(30, -2) as number,
    });
    const wanted = await page
      .locator("a:visible, button:visible, input:visible:not([type=hidden]), select:visible, summary:visible")
      .count();
    const reached = new Set<string>();
    for (let presses = 0; presses < wanted * 3; presses++) {
      const [place, outline] = await page.evaluate(() => {
        const at = document.activeElement;
        const all = [...document.querySelectorAll("*")];
        const { outlineStyle, outlineWidth } = getComputedStyle(at ?? document.body);
        return [all.indexOf(at ?? document.body), `${outlineStyle} ${outlineWidth}`] as const;
      });
      if (await page.evaluate(() => document.activeElement === document.body)) break;
      expect([place, /^none| 0px$/.test(outline)]).toEqual([place, false]);
      reached.add(String(place));
      await page.keyboard.press("Tab");
    }
    expect(reached.size).toBeGreaterThanOrEqual(wanted);
  });
});
