/** A thread of the web chat as a place to post: its messages are rows, and `Live` says that one changed. */

import { BobbinError } from "../../core/errors.ts";
import type { PageContent, Surface, Written } from "../../core/ports/surface.ts";
import type { WebMessage, WebMessages } from "../../core/ports/web-messages.ts";
import type { SessionId } from "../../core/thread.ts";
import { tellOfRow, tellOfThreads, type ChangeDeps } from "./changes.ts";

export interface WebSurfaceDeps extends ChangeDeps {
  readonly messages: WebMessages;
}

export interface WebSurfaceOptions {
  /** Shown above the bot's messages. Default `Bobbin`. */
  readonly botName?: string;
  /** Largest page in UTF-16 units; the browser has no limit of its own. Default 12,000. */
  readonly pageSize?: number;
  /** So many messages one answer may fill; all of a longer one comes as a file. Default: no file. */
  readonly replyPages?: number;
  /** Least time between two progress writes, ms. Default 120. */
  readonly editEveryMs?: number;
}

/** A post with a key that is there already is that message: the key is the row's id. */
export function createWebSurface(
  deps: WebSurfaceDeps,
  session: SessionId,
  options: WebSurfaceOptions = {},
): Surface {
  const { botName = "Bobbin", pageSize = 12_000, editEveryMs = 120, replyPages } = options;
  const mostPages = replyPages === undefined ? {} : { mostPages: replyPages };
  const gone: Written = { kind: "gone", what: "message" };

  async function change(work: () => Promise<WebMessage | undefined>): Promise<Written> {
    try {
      const row = await work();
      if (row === undefined) return gone;
      await tellOfRow(deps, row);
      return { kind: "ok", message: row.id };
    } catch (error) {
      return laterOrRefused(error);
    }
  }

  return {
    limits: { pageSize, editEveryMs, ...mostPages, measure: (markdown) => markdown.length },
    async post(key: string, page: PageContent) {
      try {
        const row = await deps.messages.insert({ session, id: key, from: "bot", speaker: botName, page });
        if (row.deleted) return gone;
        if (row.from !== "bot") return { kind: "refused", why: "a person's message has this key" };
        await Promise.all([tellOfRow(deps, row), tellOfThreads(deps)]);
        return { kind: "ok", message: row.id };
      } catch (error) {
        return laterOrRefused(error);
      }
    },
    edit: (message, page) => change(() => deps.messages.update(session, message, page)),
    remove: (message) => change(() => deps.messages.remove(session, message)),
    async find(key) {
      try {
        const row = await deps.messages.get(session, key);
        return row === undefined || row.deleted || row.from !== "bot" ? undefined : row.id;
      } catch {
        // A post is safe to repeat here, so not knowing is no worse than not finding.
        return undefined;
      }
    },
    // The list has it from its row.
    rename: async () => (await tellOfThreads(deps), true),
  };
}

/** Every write can be repeated without harm, so a store that is away means later and never unknown. */
export function laterOrRefused(error: unknown): Extract<Written, { readonly kind: "later" | "refused" }> {
  if (error instanceof BobbinError && (error.retryable || error.code.startsWith("store_"))) {
    return { kind: "later", afterMs: 1_000 };
  }
  return { kind: "refused", why: error instanceof Error ? error.message : String(error) };
}
