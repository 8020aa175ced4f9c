/** What every admin page has around it. */

import { html } from "hono/html";
import type { AdminRole } from "../../../core/admin/viewers.ts";
import type { Person } from "../../../core/ports/sign-ins.ts";
import { apart } from "./apart.ts";

export type Markup = ReturnType<typeof html>;

/** What a page knows of who looks at it. */
export interface Around {
  readonly who: Person;
  readonly role: AdminRole;
  /** The token of each form on it. */
  readonly csrf: string;
}

export type Section = "threads" | "usage" | "operations" | "erasures" | "audit" | "browsers";

const SECTIONS: Readonly<Record<Section, { readonly path: string; readonly name: string }>> = {
  threads: { path: "/admin/", name: "Threads" },
  usage: { path: "/admin/usage", name: "Usage" },
  operations: { path: "/admin/operations", name: "Operations" },
  erasures: { path: "/admin/erasures", name: "Erasing" },
  audit: { path: "/admin/audit", name: "Audit log" },
  browsers: { path: "/admin/browsers", name: "Signed in" },
};

/** Of the whole space, people and money included. */
const FOR_ADMINS: ReadonlySet<string> = new Set<Section>(["usage", "operations", "erasures", "audit"]);

export function page(around: Around, section: Section, title: string, body: Markup): Markup {
  const { who, role, csrf } = around;
  const link = ([key, { path, name }]: [string, { readonly path: string; readonly name: string }]): Markup =>
    html`<li><a href="${path}" ${key === section ? html`aria-current="page"` : ""}>${name}</a></li>`;
  const sections = Object.entries(SECTIONS).filter(([key]) => role === "admin" || !FOR_ADMINS.has(key));
  return outer(
    title,
    html`<a class="skip" href="#main">To the content</a>
      <header class="top">
        <a class="mark" href="/admin/"
          ><img src="/admin/assets/bobbin.svg" alt="" width="24" height="24" />Bobbin</a
        >
        <nav aria-label="Pages">
          <ul>
            ${sections.map(link)}
          </ul>
        </nav>
        <div class="me">
          <span class="dim"
            ><span class="role">${role} of</span> <code>${who.platform}:${who.space}</code></span
          >
          ${apart(who.name)}
          <a href="/admin/sign-in">Other space</a>
          <form method="post" action="/admin/out">${token(csrf)}<button class="act">Sign out</button></form>
        </div>
      </header>
      <main id="main">${body}</main>`,
  );
}

export function token(csrf: string): Markup {
  return html`<input type="hidden" name="csrf" value="${csrf}" />`;
}

/** One sentence, where a page cannot be shown. @param more below it. */
export function problemPage(title: string, sentence: string, more: Markup | "" = ""): Markup {
  return lonePage(
    title,
    html`<p>${sentence}</p>
      ${more}
      <p><a href="/admin/">To the threads</a></p>`,
  );
}

export function lonePage(title: string, body: Markup): Markup {
  return outer(
    title,
    html`<main id="main" class="lone">
      <img src="/admin/assets/bobbin.svg" alt="" width="40" height="40" />
      <h1>${title}</h1>
      ${body}
    </main>`,
  );
}

const STYLES = ["base", "button", "admin", "lines", "uPlot.min", "usage", "operations"];

function outer(title: string, body: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Bobbin</title>
        <link rel="icon" href="/admin/assets/bobbin.svg" type="image/svg+xml" />
        ${STYLES.map((name) => html`<link rel="stylesheet" href="/admin/assets/${name}.css" />`)}
        <script type="module" src="/admin/assets/admin.js"></script>
      </head>
      <body class="admin">
        ${body}
      </body>
    </html>`;
}

/** A moment, which the browser shows in the reader's own zone. */
export function moment(at: number): Markup {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
}

/** Where there is nothing to show: why, and what to do next. */
export function nothing(sentence: string): Markup {
  return html`<p class="empty">${sentence}</p>`;
}
