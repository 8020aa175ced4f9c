// A person at the web chat, without a browser: sends what a browser sends, and reads what the page shows.
import { randomBytes } from "node:crypto";
import type { ButtonAction } from "../../src/core/ports/surface.ts";
import { until } from "./until.ts";

export interface ShownMessage {
  readonly id: string;
  readonly from: "person" | "bot";
  readonly state: "running" | "trouble" | "settled";
  /** As text: without markup, one space for each run of white space. */
  readonly text: string;
  /** Below the text: status, how it ended, what it used. */
  readonly foot: string;
  /** The value of the button, where there is one. */
  readonly retry: string | undefined;
  /** It is the goal's card. */
  readonly isCard: boolean;
  readonly buttons: readonly {
    readonly action: ButtonAction;
    readonly label: string;
    readonly value: string;
  }[];
}

export interface WebPerson {
  /**
   * The message has a new id unless one is given, as a browser that sends it again does.
   * @returns the thread that was written to, or begun. Rejects with the sentence that a person would read.
   */
  say(text: string, thread?: string, id?: string): Promise<string>;
  click(thread: string, action: ButtonAction, value?: string): Promise<void>;
  /** The newest card of a goal; undefined where none stands there. */
  card(thread: string): Promise<ShownMessage | undefined>;
  /** What stands in the thread but the cards of goals. */
  read(thread: string): Promise<readonly ShownMessage[]>;
  /** Where the links in its messages lead. */
  links(thread: string): Promise<readonly string[]>;
  /** Waits until the newest reply with these words is there, grown or not; the reply. */
  shows(thread: string, words: string): Promise<ShownMessage>;
  /** Waits until the thread shows `count` replies and each of them has settled; the replies. */
  replies(thread: string, count: number): Promise<readonly ShownMessage[]>;
}

/** A look makes the bot write the whole page: looking all the time would take half a core from everything else. */
const LOOK_EVERY_MS = 50;

/** As a browser makes them. */
export const newMessageId = (): string => randomBytes(10).toString("hex");

/**
 * @param base address of the chat; a function where it changes (a restart on another port).
 * @param person the id that the browser has already.
 */
export function createWebPerson(base: string | (() => string), person?: string): WebPerson {
  const at = (path: string): string => `${typeof base === "string" ? base : base()}${path}`;
  let cookie = person === undefined ? "" : `bobbin_person=${person}`;

  async function send(path: string, body: Record<string, unknown>): Promise<Record<string, unknown>> {
    const response = await fetch(at(path), {
      method: "POST",
      // A line of its own: one that is kept may just have been closed, which a browser would notice and send it again.
      headers: {
        "content-type": "application/json",
        connection: "close",
        ...(cookie === "" ? {} : { cookie }),
      },
      body: JSON.stringify(body),
    });
    const given = response.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
    if (given.length > 0) cookie = given.join("; ");
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(String(answer["error"]));
    return answer;
  }

  async function articles(thread: string): Promise<readonly string[]> {
    const response = await fetch(at(`/threads/${encodeURIComponent(thread)}?all`), { headers: { cookie } });
    const page = await response.text();
    if (!response.ok) throw new Error(`the thread cannot be read: ${response.status}`);
    return [...page.matchAll(/<article[\s\S]*?<\/article>/g)].map(([article]) => article);
  }

  const read = async (thread: string): Promise<readonly ShownMessage[]> =>
    (await articles(thread)).map(shown).filter(({ isCard }) => !isCard);

  return {
    async say(text, thread, id = newMessageId()) {
      const body = { id, text, ...(thread === undefined ? {} : { thread }) };
      return String((await send("/messages", body))["thread"]);
    },
    async click(thread, action, value) {
      await send("/action", {
        id: newMessageId(),
        thread,
        action,
        ...(value === undefined ? {} : { value }),
      });
    },
    read,
    card: async (thread) => (await articles(thread)).map(shown).findLast(({ isCard }) => isCard),
    links: async (thread) =>
      (await articles(thread)).flatMap((article) =>
        [...article.matchAll(/<a href="([^"]*)"/g)].map(([, link = ""]) =>
          link.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
        ),
      ),
    shows: (thread, words) =>
      until(
        async () => (await read(thread)).findLast(({ from, text }) => from === "bot" && text.includes(words)),
        { everyMs: LOOK_EVERY_MS, what: `a reply shows ${words}` },
      ),
    async replies(thread, count) {
      let last: readonly ShownMessage[] = [];
      try {
        return await until(
          async () => {
            last = await read(thread).catch(() => last);
            const replies = last.filter(({ from }) => from === "bot");
            return replies.length >= count && replies.every(({ state }) => state !== "running")
              ? replies
              : undefined;
          },
          { everyMs: LOOK_EVERY_MS, what: `${count} settled replies` },
        );
      } catch (error) {
        throw new Error(`${String(error)}; the thread shows ${JSON.stringify(last, null, 1)}`, {
          cause: error,
        });
      }
    },
  };
}

function shown(article: string): ShownMessage {
  const attribute = (name: string): string | undefined => new RegExp(`${name}="([^"]*)"`).exec(article)?.[1];
  const part = (pattern: RegExp): string => textOf(pattern.exec(article)?.[1] ?? "");
  return {
    id: attribute("data-id") ?? "",
    from: article.includes("from-person") ? "person" : "bot",
    state: (attribute("data-state") ?? "settled") as ShownMessage["state"],
    text: part(/<div class="body[^>]*>([\s\S]*?)<\/div>\s*(?:<footer|<\/article)/),
    foot: part(/<footer>([\s\S]*?)<\/footer>/),
    retry: /data-action="retry"\s+data-value="([^"]*)"/.exec(article)?.[1],
    isCard: /class="message from-bot card/.test(article),
    buttons: [
      ...article.matchAll(/data-action="(\w+)"\s+data-value="([^"]*)"[^>]*>([\s\S]*?)<\/button>/g),
    ].map(([, action = "", value = "", label = ""]) => ({
      action: action as ButtonAction,
      value,
      label: textOf(label),
    })),
  };
}

function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}
