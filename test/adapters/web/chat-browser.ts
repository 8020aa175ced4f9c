// A person at the web chat: real Chromium on a real port, with what such a test does again and again.
import { setTimeout as pause } from "node:timers/promises";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { chromiumFlags } from "../../support/services/chromium.ts";
import { ChatWorld } from "./chat-world.ts";

export class ChatBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(executablePath: string): Promise<ChatBrowser> {
    return new ChatBrowser(await chromium.launch({ executablePath, args: [...chromiumFlags] }));
  }

  /** A window of its own, with its own cookies; ends with the test. */
  async open(stack: AsyncDisposableStack, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1180, height: 780 }, ...options });
    // Seen to hang for ever in the middle of a navigation; whatever is left goes with the browser.
    stack.defer(() => Promise.race([context.close(), pause(CLOSE_MS)]));
    context.setDefaultTimeout(100_000);
    return context.newPage();
  }

  async stop(): Promise<void> {
    await this.#browser.close();
  }
}

const CLOSE_MS = 5_000;

/** A world with its server; ends with the test. */
export async function startedWorld(stack: AsyncDisposableStack): Promise<{ world: ChatWorld; url: string }> {
  const world = stack.use(new ChatWorld());
  return { world, url: await world.start() };
}

/** Writes in the box and presses Enter. */
export async function write(page: Page, text: string): Promise<void> {
  await page.locator("#text").fill(text);
  await page.locator("#text").press("Enter");
}

/** Begins a thread and waits for its page. */
export async function begin(page: Page, url: string, text: string): Promise<void> {
  await page.goto(url);
  await write(page, text);
  await page.waitForURL(/\/threads\//);
}

/** Waits until the thread shows this text as the whole of something. */
export async function shows(page: Page, text: string): Promise<void> {
  await page.locator("#thread").getByText(text, { exact: true }).waitFor();
}

/** What the messages say, in their order on the page. */
export function texts(page: Page): Promise<string[]> {
  return page.locator("#thread .body").allInnerTexts();
}

export const stop = [{ action: "stop", label: "Stop", value: "r1" }] as const;
export const retry = [{ action: "retry", label: "Retry", value: "r1" }] as const;
