/** What every page of the chat has around it. */

import { html } from "hono/html";
import type { Markup } from "./markup.ts";

export interface PageFrame {
  readonly title: string;
  /** Absent on pages that do nothing by themselves. */
  readonly script?: "chat";
  /** Seconds after which the browser asks for the page again; for pages that only say what is missing. */
  readonly againAfter?: number;
  /** Besides those of all pages. */
  readonly styles?: readonly string[];
}

/** All pages share them; the later ones build on the earlier. */
const STYLES = ["base", "button", "frame", "thread", "prose", "composer", "plain"];

export function layout(frame: PageFrame, body: Markup): Markup {
  const again =
    frame.againAfter === undefined ? "" : html`<meta http-equiv="refresh" content="${frame.againAfter}" />`;
  const script =
    frame.script === undefined ? "" : html`<script type="module" src="/assets/${frame.script}.js"></script>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="light dark" />
        <title>${frame.title}</title>
        ${again}
        <link rel="icon" href="/assets/bobbin.svg" type="image/svg+xml" />
        ${[...STYLES, ...(frame.styles ?? [])].map((name) => html`<link rel="stylesheet" href="/assets/${name}.css" />`)}
        ${script}
      </head>
      ${body}
    </html>`;
}

/** One sentence, where a page cannot be shown. */
export function problemPage(
  title: string,
  sentence: string,
  options: { readonly againAfter?: number } = {},
): Markup {
  return layout(
    { title, ...options },
    html`<body class="problem">
      <main>
        <img src="/assets/bobbin.svg" alt="" width="40" height="40" />
        <h1>${title}</h1>
        <p>${sentence}</p>
        <p><a href="/">Go to your threads</a></p>
      </main>
    </body>`,
  );
}
