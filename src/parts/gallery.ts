/** The gallery of replies, for whoever works on how they look: what the surfaces of the platforms would send. */

import * as discord from "../adapters/discord/format.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import * as slack from "../adapters/slack/format.ts";
import type { PageFile } from "../core/ports/surface.ts";
import type { GalleryPlaces } from "../adapters/web/gallery/page.ts";

/** A file is no message that is formatted: both platforms show a box of their own. */
const fileOf = ({ name, title, text, picture }: PageFile) => ({
  file: { name, title, size: picture?.bytes ?? text.length, isImage: picture !== undefined },
});

/** Nothing where it is not asked for. */
export function galleryOf({ gallery }: Pick<Settings, "gallery">): { readonly gallery?: GalleryPlaces } {
  if (!gallery) return {};
  const sent = <M extends { readonly kind: string }>(message: M): M | undefined =>
    message.kind === "message" ? message : undefined;
  return {
    gallery: {
      slack: {
        limits: {
          pageSize: slack.PAGE_SIZE,
          footerSize: slack.FOOTER_SIZE,
          measure: slack.measure,
          mostPages: 5,
        },
        payloadOf: (page) => (page.file === undefined ? sent(slack.formatPage(page)) : fileOf(page.file)),
      },
      discord: {
        limits: {
          pageSize: discord.PAGE_SIZE,
          footerSize: discord.FOOTER_SIZE,
          measure: discord.measure,
          mostPages: 5,
        },
        payloadOf: (page) => (page.file === undefined ? sent(discord.formatPage(page)) : fileOf(page.file)),
      },
    },
  };
}
