/**
 * The web chat as a Hono app: pages, what they load, what they send, and the stream that keeps them up to date. It holds
 * nothing of its own: what is shown are rows, so any process may answer and any process may serve the page.
 */

import { Hono, type Context } from "hono";
import { join } from "node:path";
import type { z } from "zod";
import { COMMAND_NAMES } from "../../core/command/table.ts";
import { BobbinError, sentenceFor, toBobbinError } from "../../core/errors.ts";
import type { NewId } from "../../core/ids.ts";
import { labelOf } from "../../core/label.ts";
import type { Picture } from "../../core/part.ts";
import type { Pictures } from "../../core/ports/pictures.ts";
import type { WebMessage } from "../../core/ports/web-messages.ts";
import type { SessionId } from "../../core/thread.ts";
import { serveAssets } from "../http/assets.ts";
import { limitBody } from "../http/body-limit.ts";
import { guard } from "../http/guard.ts";
import { streamEvents } from "./event-stream.ts";
import { htmlOf } from "./format.ts";
import { galleryPage, type GalleryPlaces } from "./gallery/page.ts";
import { chatPage, type ChatInfo, type OpenThread } from "./pages/chat.ts";
import { problemPage } from "./pages/layout.ts";
import { textOf } from "./pages/markup.ts";
import { messageMarkup } from "./pages/message.ts";
import { threadListMarkup, threadPath } from "./pages/thread-list.ts";
import { actionBody, messageBody, nameBody, toWebSession } from "./parse.ts";
import { createKnownThreads } from "./known-threads.ts";
import { personOf, rename } from "./person.ts";
import { receiveAction, receiveMessage, type Received, type ReceiveDeps } from "./receive.ts";

export interface WebChatDeps extends Omit<ReceiveDeps, "threads"> {
  readonly newId: NewId;
  /** The images that replies show. */
  readonly pictures: Pictures;
  readonly info: ChatInfo;
  /** Where it is absent there is no gallery. */
  readonly gallery?: GalleryPlaces;
}

export interface WebChatOptions {
  /** Host names beside the loopback's that people reach this server by, without port. Default none. */
  readonly allowedHosts?: readonly string[];
  /** Whoever comes through a proxy that says so is refused, whatever name they come by. Default nobody is. */
  readonly refuses?: "forwarded";
  /** Largest body that is read, bytes. Default 512 KiB. */
  readonly bodyBytes?: number;
  /** Messages that a page shows before one asks for the earlier ones. Default 200. */
  readonly shownMessages?: number;
  /** Threads in the list. Default 100. */
  readonly shownThreads?: number;
  /** Time between two signs of life of an event stream, ms. Default 5,000. */
  readonly beatMs?: number;
}

/** What the HTTP server gives with each request: the socket, and the signal that ends the streams. */
interface Env {
  Bindings: { closing?: AbortSignal; incoming?: { socket: { remoteAddress?: string } } };
}

const NOT_HERE =
  "The web chat has no sign-in, and is not open at this address. With a sign-in in front: set PUBLIC_URL to this address, and WEB_CHAT=public.";

export function createWebChat(deps: WebChatDeps, options: WebChatOptions = {}): Hono<Env> {
  const {
    allowedHosts = [],
    refuses,
    bodyBytes = 512 * 1024,
    shownMessages = 200,
    shownThreads = 100,
  } = options;
  const { info, messages } = deps;
  const threads = createKnownThreads(messages);
  const app = new Hono<Env>();

  app.onError((error, c) => trouble(c, error));
  app.use("*", guard({ allowedHosts, ...(refuses && { refuses }), bodies: "json", sentence: NOT_HERE }));
  const limited = limitBody({
    maxSize: bodyBytes,
    onError: (c) => c.json({ error: "This message is too long." }, 413),
  });

  app.get("/assets/:name", serveAssets(join(import.meta.dirname, "browser")));

  app.get("/", async (c) => {
    const person = personOf(c, deps.newId);
    return page(c, chatPage({ info, person, threads: await messages.threads(shownThreads) }));
  });

  const { gallery } = deps;
  if (gallery !== undefined) {
    app.get("/gallery/:item?", (c) => {
      const shown = galleryPage(gallery, c.req.param("item"));
      return shown === undefined ? c.notFound() : page(c, shown);
    });
  }

  app.get("/threads/:id", async (c) => {
    const [rows, listed] = await Promise.all([rowsOf(c), messages.threads(shownThreads)]);
    if (rows === undefined) return unknownThread(c);
    const person = personOf(c, deps.newId);
    const open = openThread(
      rows.session,
      rows.all,
      c.req.query("all") === undefined ? shownMessages : Infinity,
    );
    const label = listed.find((thread) => thread.session === rows.session)?.label ?? open.label;
    return page(c, chatPage({ info, person, threads: listed, open: { ...open, label } }));
  });

  app.get("/threads/:id/files/:message", async (c) => {
    const thread = toWebSession(c.req.param("id"));
    const row = thread && (await messages.get(thread.session, c.req.param("message")));
    const file = row?.deleted === true ? undefined : row?.page.file;
    if (thread === undefined || file === undefined) return unknownThread(c);
    if (file.picture !== undefined) return picture(c, thread.session, file.picture);
    c.header("Content-Type", "text/markdown; charset=utf-8");
    c.header("Content-Disposition", `attachment; filename="${file.name.replaceAll(/[^\w.-]/g, "_")}"`);
    c.header("Cache-Control", "no-store");
    return c.body(file.text);
  });

  /** Its type is what its bytes said when they were stored, and a browser guesses no other. */
  const picture = async (c: Context<Env>, session: SessionId, { hash = "" }: Picture): Promise<Response> => {
    const kept = await deps.pictures.read(session, hash);
    if (kept === undefined) return unknownThread(c);
    c.header("Content-Type", kept.mimeType);
    c.header("Content-Disposition", "inline");
    c.header("Cache-Control", "no-store");
    return c.body(new Uint8Array(kept.bytes));
  };

  /** Where it is shown, they say who may see it. */
  app.get("/threads/:id/transcript", async (c) => {
    const session = await threads.find(c.req.param("id"));
    return session === undefined
      ? unknownThread(c)
      : c.redirect(`/admin/threads/${encodeURIComponent(session)}`, 303);
  });

  const events = (c: Context<Env>, session: SessionId | undefined): Response =>
    streamEvents(
      c,
      {
        ...deps,
        showMessage: (row) => textOf(messageMarkup(row)),
        showThreads: (threads, open) => textOf(threadListMarkup(threads, open)),
      },
      {
        session,
        since: sinceOf(c),
        beatMs: options.beatMs ?? 5_000,
        threadLimit: shownThreads,
        closing: c.env?.closing,
      },
    );

  app.get("/events", (c) => events(c, undefined));

  app.get("/threads/:id/events", async (c) => {
    const session = await threads.find(c.req.param("id"));
    return session === undefined ? unknownThread(c) : events(c, session);
  });

  /** What a command may be given, for the palette. */
  app.get("/choices/:name", async (c) => {
    const name = COMMAND_NAMES.find((each) => each === c.req.param("name"));
    const session = await threads.find(c.req.query("thread") ?? "");
    const choices = name === undefined ? [] : await deps.commands.choices(name, session);
    c.header("Cache-Control", "no-store");
    return c.json({ choices });
  });

  app.post("/messages", limited, async (c) => {
    const body = await bodyOf(c, messageBody);
    if (body === undefined) return unreadable(c);
    return answer(c, await receiveMessage({ ...deps, threads }, personOf(c, deps.newId), body, info.botName));
  });

  app.post("/action", limited, async (c) => {
    const body = await bodyOf(c, actionBody);
    return body === undefined
      ? unreadable(c)
      : answer(c, await receiveAction({ ...deps, threads }, personOf(c, deps.newId), body));
  });

  app.post("/name", limited, async (c) => {
    const body = await bodyOf(c, nameBody);
    return body === undefined ? unreadable(c) : c.json({ name: rename(c, body.name) });
  });

  /** Undefined for ids that are none, that are not ours, and that nobody has written to: all the same from outside. */
  async function rowsOf(c: Context): Promise<{ session: SessionId; all: readonly WebMessage[] } | undefined> {
    const thread = toWebSession(c.req.param("id") ?? "");
    if (thread === undefined) return undefined;
    const all = await messages.list(thread.session);
    return all.length === 0 ? undefined : { session: thread.session, all };
  }

  function trouble(c: Context, error: unknown): Response | Promise<Response> {
    const known = toBobbinError(error);
    const isStore = known.code === "store_unavailable" || known.code === "store_full";
    const ours = isStore ? known : new BobbinError("panic", known.message, { cause: known });
    deps.log.error("a request failed", { path: c.req.path, method: c.req.method, error: known });
    if (isStore) c.header("Retry-After", "5");
    const status = isStore ? 503 : 500;
    if (c.req.method === "POST") return c.json({ error: sentenceFor(ours) }, status);
    const again = isStore ? { againAfter: 5 } : {};
    return page(c, problemPage("This did not work", sentenceFor(ours), again), status);
  }

  return app;
}

function page(c: Context, markup: ReturnType<typeof chatPage>, status: 200 | 403 | 404 | 500 | 503 = 200) {
  c.header("Cache-Control", "no-store");
  return c.html(markup, status);
}

function unknownThread(c: Context): Response | Promise<Response> {
  return page(
    c,
    problemPage("No such thread", "It may have been on another bot, or its address is not whole."),
    404,
  );
}

function unreadable(c: Context): Response {
  return c.json(
    { error: "The browser sent something that the bot does not understand. Reload the page." },
    400,
  );
}

function answer(c: Context, received: Received): Response {
  switch (received.kind) {
    case "stored": {
      const { session, notice, details, fill } = received;
      return c.json({
        thread: session,
        path: threadPath(session),
        ...(notice === undefined ? {} : { notice }),
        ...(details === undefined ? {} : { details: htmlOf(details) }),
        ...(fill === undefined ? {} : { fill }),
      });
    }
    case "unknown_thread":
      return c.json({ error: "There is no such thread." }, 404);
    case "refused":
      return c.json({ error: received.why }, 400);
    default:
      return received satisfies never;
  }
}

function openThread(session: SessionId, all: readonly WebMessage[], shown: number): OpenThread {
  const rows = all.filter((row) => !row.deleted);
  const firstText = rows.find((row) => row.from === "person")?.page.markdown;
  return {
    session,
    label: labelOf({ firstText }),
    rows: rows.slice(-shown),
    earlier: Math.max(0, rows.length - shown),
    revision: all.reduce((newest, row) => Math.max(newest, row.revision), 0),
  };
}

/** The browser's own memory of what it got, else what the page was made with. */
function sinceOf(c: Context): number {
  const since = Number(c.req.header("last-event-id") ?? c.req.query("since") ?? 0);
  return Number.isSafeInteger(since) && since > 0 ? since : 0;
}

async function bodyOf<S extends z.ZodType>(c: Context, schema: S): Promise<z.infer<S> | undefined> {
  const json: unknown = await c.req.json().catch(() => undefined);
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}
