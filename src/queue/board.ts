/**
 * Bull Board over our queues, to look at and nothing else: only what reads is served. Its page is one of our own, since theirs loads
 * fonts from elsewhere and has styles in it; who may see it is asked by whoever mounts it.
 */

import { readFile } from "node:fs/promises";
import { dirname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import type {
  AppControllerRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from "@bull-board/api/typings/app";
import type { Queue } from "bullmq";
import { Hono } from "hono";
import { html, raw } from "hono/html";

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
};

/** @param path below which it answers, without a slash at the end. */
export function createBoard(queues: readonly Queue[], path: string): Hono {
  const ui = dirname(fileURLToPath(import.meta.resolve("@bull-board/ui/package.json")));
  const app = new Hono().basePath(path);
  let config: UIConfig = {};
  let shown: BullBoardQueues = new Map();

  const adapter: IServerAdapter = {
    setQueues: (given) => ((shown = given), adapter),
    setViewsPath: () => adapter,
    setStaticPath: () => adapter,
    setErrorHandler: () => adapter,
    setUIConfig: (given) => ((config = given), adapter),
    setEntryRoute: () => adapter,
    setApiRoutes(routes) {
      for (const route of routes) serve(route);
      return adapter;
    },
  };

  function serve({ method, route, handler }: AppControllerRoute): void {
    // Whatever changes something is not there at all.
    if (![method].flat().every((each) => each === "get")) return;
    for (const each of [route].flat())
      app.get(each, async (c) => {
        const { body, status } = await handler({
          queues: shown,
          uiConfig: config,
          params: c.req.param(),
          query: c.req.query(),
          body: {},
          headers: {},
        });
        c.header("Cache-Control", "no-store, private");
        return c.json(body, (status ?? 200) as 200);
      });
  }

  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false })),
    serverAdapter: adapter,
    options: {
      uiBasePath: ui,
      uiConfig: { boardTitle: "Bobbin's queues", hideRedisDetails: true, showWorkers: false },
    },
  });

  app.get("/static/*", async (c) => {
    const folder = join(ui, "dist", "static");
    const file = normalize(join(folder, c.req.path.slice(`${path}/static/`.length)));
    const type = TYPES[file.split(".").at(-1) ?? ""];
    const isInside = file.startsWith(folder + sep);
    const body = isInside && type !== undefined ? await readFile(file).catch(() => undefined) : undefined;
    if (body === undefined || type === undefined) return c.notFound();
    // Their names hold a hash of what is in them.
    return c.body(body, 200, { "Content-Type": type, "Cache-Control": "private, max-age=3600" });
  });

  let page: Promise<string> | undefined;
  app.get("*", async (c) => {
    c.header("Cache-Control", "no-store, private");
    page ??= pageOf(join(ui, "dist", "index.ejs"), path, config);
    return c.html(await page);
  });
  return app;
}

/** With the scripts and styles that theirs names, and nothing else of it. */
async function pageOf(template: string, path: string, config: UIConfig): Promise<string> {
  const theirs = await readFile(template, "utf8");
  const scripts = [...theirs.matchAll(/<script defer src="(static\/[\w./-]+)"/g)].map(([, file]) => file);
  const styles = [...theirs.matchAll(/<link href="(static\/[\w./-]+\.css)"/g)].map(([, file]) => file);
  // Data, which no browser runs.
  const data = JSON.stringify(config).replaceAll("<", String.raw`\u003c`);
  const page = html`<!doctype html>
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <base href="${path}/" />
        <title>Queues · Bobbin</title>
        <link rel="icon" type="image/svg+xml" id="fav-logo" href="/admin/assets/bobbin.svg" />
        ${styles.map((file) => html`<link href="${file}" rel="stylesheet" />`)}
      </head>
      <body>
        <script id="__UI_CONFIG__" type="application/json">
          ${raw(data)}
        </script>
        <div id="root"></div>
        ${scripts.map((file) => html`<script defer src="${file}"></script>`)}
      </body>
    </html>`;
  return (await page).toString();
}
