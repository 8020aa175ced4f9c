/**
 * The gallery: fixed replies as each place shows them, side by side, for whoever works on how replies look. For development only:
 * nothing in it is real, and nothing can be done with it.
 */

import { html, raw } from "hono/html";
import type { PageContent } from "../../../core/ports/surface.ts";
import { render } from "../../../core/reply/render.ts";
import type { PageSize } from "../../../core/reply/split.ts";
import { sessionIdOf } from "../../../core/thread.ts";
import { layout } from "../pages/layout.ts";
import type { Markup } from "../pages/markup.ts";
import { messageMarkup } from "../pages/message.ts";
import { discordView } from "./discord-view.ts";
import { SAMPLE_IMAGE } from "./sample-image.ts";
import { GALLERY, type GalleryItem } from "./documents.ts";
import { slackNotification, slackView } from "./slack-view.ts";

/** How a platform gets replies, from its own adapter. */
export interface GalleryPlace {
  readonly limits: PageSize;
  /** What would be sent for the page; undefined where it cannot be sent. */
  payloadOf(page: PageContent): unknown;
}

export interface GalleryPlaces {
  readonly slack: GalleryPlace;
  readonly discord: GalleryPlace;
}

const SESSION = sessionIdOf({ platform: "web", space: "local", channel: "gallery", root: "t1" });
const AT = Date.UTC(2026, 0, 15, 9, 30);
/** As the surface of the web chat has it. */
const WEB_LIMITS: PageSize = { pageSize: 12_000, mostPages: 5, measure: (markdown) => markdown.length };

/** All of it, or one item; undefined where there is no such item. */
export function galleryPage(places: GalleryPlaces, only?: string): Markup | undefined {
  const sections = GALLERY.map(({ title, items }) => ({
    title,
    items: items.filter(({ id }) => only === undefined || id === only),
  })).filter(({ items }) => items.length > 0);
  if (sections.length === 0) return undefined;
  return layout(
    { title: "Gallery", styles: ["gallery"] },
    html`<body class="gallery">
      <main>
        <header>
          <h1><a href="/gallery">Gallery</a></h1>
          <p>Fixed replies as Slack, Discord and the web chat show them, from what would really be sent.</p>
        </header>
        ${sections.map(
          ({ title, items }) =>
            html`<section>
              <h2>${title}</h2>
              ${items.map((item) => itemMarkup(places, item))}
            </section>`,
        )}
      </main>
    </body>`,
  );
}

function itemMarkup(places: GalleryPlaces, item: GalleryItem): Markup {
  const { id, title } = item;
  const pagesWithin = (limits: PageSize): readonly PageContent[] =>
    "page" in item ? [item.page] : render(item.document, limits, item.view);
  const slack = pagesWithin(places.slack.limits);
  const discord = pagesWithin(places.discord.limits);
  const web = pagesWithin(WEB_LIMITS);
  return html`<article class="g-item" id="${id}">
    <h3><a href="/gallery/${id}">${title}</a></h3>
    <div class="g-places">
      ${column("Slack", "slack", slack, (page) => slackMessage(places.slack.payloadOf(page)))}
      ${column("Discord", "discord", discord, (page) => discordMessage(places.discord.payloadOf(page)))}
      ${column("Web chat", "web", web, (page, index) => webMessage(page, `${id}-${index}`))}
    </div>
  </article>`;
}

function column(
  name: string,
  className: string,
  pages: readonly PageContent[],
  show: (page: PageContent, index: number) => Markup,
): Markup {
  const count = pages.length === 1 ? "" : ` · ${pages.length} messages`;
  return html`<div class="g-place g-${className}">
    <p class="g-name">${name}${count}</p>
    ${pages.map((page, index) => show(page, index))}
  </div>`;
}

function slackMessage(payload: unknown): Markup {
  if (payload === undefined) return cannotBeSent();
  return html`<div class="s-post">
    <span class="g-face" aria-hidden="true"></span>
    <div>
      <p class="g-speaker">Bobbin <span>APP</span></p>
      ${raw(slackView(payload))}
      <details class="g-text">
        <summary>Notification</summary>
        <pre>${slackNotification(payload)}</pre>
      </details>
    </div>
  </div>`;
}

function discordMessage(payload: unknown): Markup {
  if (payload === undefined) return cannotBeSent();
  return html`<div class="d-post">
    <span class="g-face" aria-hidden="true"></span>
    <div>
      <p class="g-speaker">Bobbin <span>APP</span></p>
      ${raw(discordView(payload))}
    </div>
  </div>`;
}

function cannotBeSent(): Markup {
  return html`<p class="g-unknown">Cannot be sent: too long or blank</p>`;
}

function webMessage(page: PageContent, id: string): Markup {
  return messageMarkup(
    {
      id,
      session: SESSION,
      from: "bot",
      speaker: "Bobbin",
      page,
      at: AT,
      revision: 1,
      deleted: false,
    },
    SAMPLE_IMAGE,
  );
}
