/** One message of a thread, as the page and the event stream both show it. */

import { html, raw } from "hono/html";
import type { Button, ButtonAction, PageContent } from "../../../core/ports/surface.ts";
import type { WebMessage } from "../../../core/ports/web-messages.ts";
import { withinItself } from "../../../core/reply/steering-signs.ts";
import { isBlank } from "../../../core/text.ts";
import { htmlOf } from "../format.ts";
import type { Markup } from "./markup.ts";
import { threadPath } from "./thread-list.ts";

/** `running`: it can still grow. `trouble`: it ended in a way that nobody wanted. */
type MessageState = "running" | "trouble" | "settled";

function stateOf(row: WebMessage): MessageState {
  if (row.page.status !== undefined || row.page.buttons.some((button) => button.action === "stop"))
    return "running";
  return row.page.isTrouble ? "trouble" : "settled";
}

/** @param pictureAt where an image of a page is, for one that is not stored. */
export function messageMarkup(row: WebMessage, pictureAt?: string): Markup {
  const { page } = row;
  const isPerson = row.from === "person";
  const time = new Date(row.at).toISOString();
  return html`<article
    class="message from-${row.from}${page.isCard ? " card" : ""}${page.isCard && page.buttons.length > 0 ? " pinned" : ""}"
    id="m-${row.id}"
    data-id="${row.id}"
    data-at="${row.at}"
    data-state="${stateOf(row)}"
  >
    <span class="knot" aria-hidden="true"></span>
    <header>
      <bdi class="speaker">${withinItself(row.speaker)}</bdi>
      <time datetime="${time}">${time.slice(0, 16).replace("T", " ")} UTC</time>
    </header>
    ${isPerson ? personBody(page.markdown) : botBody(page.markdown)} ${stepList(page)}
    ${fileOf(row, pictureAt)} ${foot(page)}
  </article>`;
}

function stepList({ steps = [] }: PageContent): Markup | "" {
  if (steps.length === 0) return "";
  return html`<ul class="steps" aria-label="Steps">
    ${steps.map(({ line }) => html`<li dir="auto">${line}</li>`)}
  </ul>`;
}

function foot({ status, footer, buttons }: PageContent): Markup | "" {
  if (status === undefined && footer === undefined && buttons.length === 0) return "";
  const now = html`<span class="status"><span class="spin" aria-hidden="true"></span>${status}</span>`;
  return html`<footer>
    ${status === undefined ? "" : now} ${footer === undefined ? "" : html`<span>${footer}</span>`}
    ${buttons.filter(({ action }) => signOf(action) === undefined).map(button)} ${thumbs(buttons)}
  </footer>`;
}

function fileOf({ session, id, page }: WebMessage, pictureAt: string | undefined): Markup | "" {
  if (page.file === undefined) return "";
  const address = `${threadPath(session)}/files/${encodeURIComponent(id)}`;
  if (page.file.picture !== undefined) {
    const at = pictureAt ?? address;
    return html`<figure class="picture">
      <a href="${at}"><img src="${at}" alt="${page.file.text || "Image without a description"}" /></a>
      ${page.file.text === "" ? "" : html`<figcaption dir="auto">${page.file.text}</figcaption>`}
    </figure>`;
  }
  const kilobytes = Math.max(1, Math.round(page.file.text.length / 1_000));
  return html`<p class="file">
    <a href="${address}" download="${page.file.name}">${page.file.title}</a>
    <span>Markdown, ${kilobytes} kB</span>
  </p>`;
}

/** What a person wrote is shown as written, but for what would turn it around. */
function personBody(text: string): Markup {
  return html`<div class="body plain" dir="auto">${withinItself(text)}</div>`;
}

function botBody(markdown: string): Markup {
  return isBlank(markdown) ? html`` : html`<div class="body prose" dir="auto">${raw(htmlOf(markdown))}</div>`;
}

/** Never parted from each other at the end of a line. */
function thumbs(buttons: readonly Button[]): Markup | "" {
  const signs = buttons.filter(({ action }) => signOf(action) !== undefined);
  return signs.length === 0 ? "" : html`<span class="thumbs">${signs.map(button)}</span>`;
}

/** Small, since they stand below each answer; read out they are words. */
function signOf(action: ButtonAction): Markup | undefined {
  if (action !== "good" && action !== "bad") return undefined;
  return html`<svg class="thumb ${action}" viewBox="0 0 16 16" aria-hidden="true">
    <path
      d="M5 7.25v6.25H2.5V7.25zM5 7.25l2.75-5c1.25 0 1.9.9 1.65 2L9 6.25h3.6c.9 0 1.5.8 1.3 1.65l-1 4.4c-.15.7-.75 1.2-1.45 1.2H5"
    />
  </svg>`;
}

function button({ action, label, value, style, confirm = "" }: Button): Markup {
  const sign = signOf(action);
  return html`<button
    type="button"
    class="act ${sign === undefined ? "" : "sign"} ${style ?? ""}"
    title="${sign === undefined ? "" : label}"
    aria-label="${label}"
    data-action="${action}"
    data-value="${value}"
    data-confirm="${confirm}"
  >
    ${sign ?? label}
  </button>`;
}
