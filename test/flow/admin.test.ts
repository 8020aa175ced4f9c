// From the thread to the page: an admin on Slack is given a link, and reads in a real browser what the bot did.
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChatBrowser } from "../adapters/web/chat-browser.ts";
import { chromiumPath } from "../support/services/chromium.ts";
import { until } from "../support/until.ts";
import { openSlackWorld } from "./slack-world.ts";

let browser: ChatBrowser;
beforeAll(async () => {
  browser = await ChatBrowser.start(await chromiumPath());
});
afterAll(() => browser.stop());

const HOSTILE = `<script>alert(1)</script> \u202egnp.exe ${"x".repeat(20_000)} ![p](https://evil.example/p?d=1)`;

/** Nothing on the page may come from elsewhere or run, whatever stands in it. */
function watch(page: Page): {
  readonly outside: string[];
  readonly dialogs: string[];
  readonly faults: string[];
} {
  const seen = { outside: [] as string[], dialogs: [] as string[], faults: [] as string[] };
  page.on("request", (request) => {
    if (!request.url().startsWith("http://127.0.0.1")) seen.outside.push(request.url());
  });
  page.on("dialog", (dialog) => void seen.dialogs.push(dialog.message()));
  page.on("console", (message) => {
    if (message.type() === "error") seen.faults.push(message.text());
  });
  return seen;
}

test("an admin asks in a thread for its transcript, comes in by the link, and sees it grow, what the model received, and who looked", async () => {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await openSlackWorld({ over: "socket", parts: "start" }));
  const { slack } = world;
  const [boss, ana] = [slack.person("Bea", { role: "admin" }), slack.person("Ana")];
  const channel = slack.channel("general");
  const root = ana.say(channel, `${slack.botMention} call time_in_zone {"zone":"Europe/Lisbon"}`).ts;
  const thread = { channel: channel.id, root };
  await world.settled(thread, 1);
  ana.type(channel, HOSTILE, { thread: root });
  await world.settled(thread, 2);

  // Not for everybody.
  ana.say(channel, `${slack.botMention} transcript`, { thread: root });
  expect((await world.whispers(thread, ana, 1))[0]).toContain("Only admins and reviewers may use");
  boss.say(channel, `${slack.botMention} transcript`, { thread: root });
  const [told = ""] = await world.whispers(thread, boss, 1);
  expect(told).toContain("The link is for you alone");
  const shown = slack
    .thread(channel.id, root, { as: boss })
    .find(({ ephemeralTo }) => ephemeralTo === boss.id);
  const link = /http:[^"|>\s]+\/admin\/in\/[A-Za-z0-9_-]{43}/.exec(JSON.stringify(shown?.blocks))?.[0] ?? "";
  expect(link).not.toBe("");
  expect(JSON.stringify(slack.thread(channel.id, root, { as: ana }))).not.toContain("/admin/in/");

  const page = await browser.open(stack);
  const seen = watch(page);
  await page.goto(link);
  await page.getByText("Bea").waitFor();
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/admin\/threads\//);

  // Both sides, and the script as words.
  const people = page.locator("#thread .people");
  const model = page.locator("#thread .model");
  await people.getByText("<script>alert(1)</script>").first().waitFor();
  await model.getByText("Result of time_in_zone").first().waitFor();
  await page.getByRole("link", { name: "What people saw" }).click();
  await model.first().waitFor({ state: "hidden" });
  expect(await people.first().isVisible()).toBe(true);
  await page.getByRole("link", { name: "Side by side" }).click();

  // It grows while one looks.
  ana.say(channel, "and what about the heron?", { thread: root });
  await page.locator("#thread .people").getByText("and what about the heron?").first().waitFor();
  await world.settled(thread, 3);
  await until(async () => (await page.locator("#thread .run").count()) === 3, {
    what: "three runs are shown",
  });
  await until(async () => (await page.locator("#thread .tag.live").count()) === 0, { what: "nothing runs" });

  // What the model received, to the byte.
  await page.getByRole("link", { name: "Request 1" }).first().click();
  await page.getByText("the same bytes as were sent").waitFor();
  await page.getByText("Europe/Lisbon").first().waitFor();

  // Found by a word, by a run, and by the address that Slack gives.
  await page.getByRole("link", { name: "Threads", exact: true }).click();
  await page.getByRole("searchbox").fill("heron");
  // The words of a thread are kept beside the work, so a moment may pass.
  await until(
    async () => {
      await page.getByRole("button", { name: "Search" }).click();
      await page.waitForLoadState();
      return (await page.locator("mark", { hasText: "heron" }).count()) > 0;
    },
    { everyMs: 500, what: "the newest words are found" },
  );
  await page
    .getByRole("searchbox")
    .fill(`https://x.slack.com/archives/${channel.id}/p${root.replace(".", "")}`);
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/\/admin\/threads\//);

  const thread3 = page.url();
  // Taken out as a file, alone and with all that the list shows, and looked through.
  const downloaded = async (button: string): Promise<readonly string[]> => {
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: button }).click();
    const file = await readFile(await (await coming).path(), "utf8");
    return file.trimEnd().split("\n");
  };
  await page.locator("summary", { hasText: "Export" }).click();
  const lines = await downloaded("JSONL");
  expect(lines.join("\n")).toContain("and what about the heron?");
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ kind: "end", threads: 1 });
  await page.getByRole("button", { name: "Reviewed" }).click();
  await page.getByText("reviewed by").waitFor();
  await page.getByRole("button", { name: "Give it to them" }).first().click();
  await page.getByText("with Bea").first().waitFor();
  await page.getByRole("link", { name: "Threads", exact: true }).first().click();
  await page.getByRole("link", { name: "Refusals" }).click();
  await page.getByRole("heading", { name: "Refusals" }).waitFor();
  await page.getByRole("link", { name: "All threads" }).click();
  await page.getByRole("link", { name: "Export these" }).click();
  await page.getByRole("radio", { name: "HTML" }).check();
  const html = (await downloaded("Download")).join("\n");
  expect(html).toContain("&lt;script&gt;alert(1)");
  expect(html).toContain("End of the export: 1 thread.");
  await page.goto(thread3);

  // Flagged, noted, and erased: what was said is on no page any more, and the record of that is.
  for (const [kind, why] of [
    ["harmful", "look at the answer"],
    ["note", "seen with Ana"],
  ] as const) {
    const remarks = page.locator("#remarks");
    if ((await remarks.getAttribute("open")) === null) await remarks.locator("summary").click();
    await remarks.locator("select").selectOption(kind);
    await remarks.locator("textarea").fill(why);
    await remarks.getByRole("button", { name: "Add" }).click();
    await page.locator("#remarks li").getByText(why).waitFor();
  }
  await page.getByText("2 remarks, 1 open").waitFor();
  await page.getByRole("link", { name: "Erase or hold" }).click();
  await page.getByRole("heading", { name: "Erase this thread?" }).waitFor();
  await page.getByLabel("Why: it is kept").fill("ticket 12");
  await page.getByLabel("I am sure").check();
  await page.getByRole("button", { name: "Erase", exact: true }).click();
  await page.getByText("Done").waitFor();
  await page.getByText("ticket 12").waitFor();
  await page.goto(thread3);
  await page.getByText("Something of this thread was erased").waitFor();
  expect(await page.content()).not.toMatch(/heron|look at the answer|Lisbon|evil/);
  await page.goto(new URL("/admin/?q=heron", thread3).href);
  await page.getByText("Nothing here holds").waitFor();
  // It begins anew.
  ana.say(channel, "are you still there?", { thread: root });
  await world.settled(thread, 4);

  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByText("searched").first().waitFor();
  await page.getByText("read a model request").first().waitFor();
  await page.getByRole("button", { name: "Sign out" }).first().click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto(link);
  await page.getByText("was used already").waitFor();
  expect(seen.outside).toEqual([]);
  expect(seen.dialogs).toEqual([]);
  // A page that is not there is told as such, and is no fault.
  expect(seen.faults.filter((text) => !/status of 40[14]/.test(text))).toEqual([]);
  world.expectPeace();
});
