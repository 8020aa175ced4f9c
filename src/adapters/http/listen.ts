/** The one HTTP server of a process: health, and the apps that it is given. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { createHealth, type ReadyCheck } from "./health.ts";

/** An app that answers below a path. Each request brings `closing` in its environment, and the socket. */
export interface Mounted {
  readonly path: string;
  readonly app: { fetch(request: Request, env: Record<string, unknown>): Response | Promise<Response> };
}

/** An app that is asked so often that it takes Node's own request: a third of the processor time of a web request. */
export interface MountedDirectly {
  readonly path: string;
  readonly direct: { answer(request: IncomingMessage, response: ServerResponse): Promise<void> };
}

export interface ListenDeps {
  /** The first whose path fits answers, those that take Node's own request before the others; `/` fits all that is left. */
  readonly apps: readonly (Mounted | MountedDirectly)[];
  readonly checks: readonly ReadyCheck[];
  readonly clock: Clock;
  readonly log: Log;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** How long `close` waits for requests that are under way, ms. Default 2,000. */
  readonly closeMs?: number;
  /** How long a ready check may take, ms. Default 2,000. */
  readonly readyMs?: number;
}

export interface Listening {
  /** With the port that was taken, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Takes no new request, ends event streams, lets others finish for a bounded time. May be called twice. */
  close(): Promise<void>;
}

/** How long who has its answer already may go on sending, ms: a short rest is read away, an endless one is cut off. */
const LINGER_MS = 1_000;

/** Resolves when requests are taken. Rejects with one sentence for people when they cannot be. */
export async function listen(deps: ListenDeps, options: ListenOptions): Promise<Listening> {
  const closing = new AbortController();
  const root = new Hono<{ Bindings: Record<string, unknown> }>();
  root.route("/", createHealth(deps, { limitMs: options.readyMs ?? 2_000 }));
  const direct: MountedDirectly[] = [];
  for (const mounted of deps.apps) {
    const prefix = mounted.path === "/" ? "" : mounted.path.replace(/\/$/, "");
    if ("direct" in mounted) {
      direct.push({ ...mounted, path: prefix });
      continue;
    }
    const { app } = mounted;
    const answer = (request: Request, env: Record<string, unknown>): Response | Promise<Response> =>
      app.fetch(request, { ...env, closing: closing.signal });
    root.all(prefix === "" ? "*" : prefix, (c) => answer(c.req.raw, c.env));
    if (prefix !== "") root.all(`${prefix}/*`, (c) => answer(c.req.raw, c.env));
  }
  root.onError((error, c) => {
    deps.log.error("a request failed", { path: c.req.path, error });
    return c.text("This did not work.", 500);
  });

  const answerWeb = getRequestListener(root.fetch, { hostname: options.host });
  const server = createServer((request, response) => {
    const found = direct.find(({ path }) => isBelow(path, request.url ?? ""));
    const answered = found?.direct.answer(request, response) ?? answerWeb(request, response);
    answered.catch((error: unknown) => {
      deps.log.error("a request failed", { path: request.url?.split("?")[0], error });
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end("This did not work.");
    });
  });
  await opened(server, options);
  server.on("error", (error) => deps.log.error("the HTTP server has a problem", { error }));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;

  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    response.on("finish", () => {
      if (request.complete) return;
      const cancel = deps.clock.after(LINGER_MS, () => request.destroy());
      request.once("close", cancel);
    });
    // A connection whose answer ends after the server began to close would be kept for a next request.
    response.on("close", () => {
      if (closing.signal.aborted) setImmediate(() => server.closeIdleConnections());
    });
  });

  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const ended = new Promise<void>((resolve) => void server.close(() => resolve()));
    closing.abort();
    server.closeIdleConnections();
    const cancel = deps.clock.after(options.closeMs ?? 2_000, () => server.closeAllConnections());
    await ended;
    cancel();
  };
  return { url: `http://${host}:${port}`, port, close: () => (closed ??= close()) };
}

function isBelow(path: string, url: string): boolean {
  return url.startsWith(path) && ["", "/", "?"].includes(url.charAt(path.length));
}

function opened(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      reject(new Error(sentence(error, host, port), { cause: error }));
    };
    server.once("error", failed);
    server.listen(port, host, () => {
      server.off("error", failed);
      resolve();
    });
  });
}

function sentence(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is taken by another program. Set PORT to a free one, or stop that program.`;
    case "EACCES":
      return `Port ${port} may not be used by this user. Set PORT to one above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST is ${host}, which is no address of this machine. Set HOST to 127.0.0.1 or 0.0.0.0.`;
    default:
      return `The HTTP server cannot listen on ${host}:${port} (${error.code ?? error.message}).`;
  }
}
