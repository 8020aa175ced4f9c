/** The images of a reply, below its text: each is a page of its own, which comes when all else is said and never changes. */

import type { RunId } from "../ids.ts";
import type { Picture } from "../part.ts";
import type { PageContent, PageFile } from "../ports/surface.ts";
import type { ReplyDocument } from "./document.ts";

/** More than that nobody looks at, and each is a message. */
const MOST = 10;

export interface PicturePages {
  readonly pages: readonly PageContent[];
  /** How many images cannot be shown. */
  readonly missing: number;
}

/** @param refused names of files that the platform did not take. */
export function picturePages(
  { run, pictures = [] }: Pick<ReplyDocument, "run" | "pictures">,
  refused: ReadonlySet<string> = new Set(),
): PicturePages {
  const files = pictures
    .map((picture, index) => fileOf(run, picture, index))
    .filter(({ name, picture }) => picture?.hash !== undefined && !refused.has(name))
    .slice(0, MOST);
  return {
    pages: files.map((file) => ({ markdown: "", file, buttons: [] })),
    missing: pictures.length - files.length,
  };
}

/** What may stand in the thread of a reply's images, by name. */
export function pictureNames({ run, pictures = [] }: Pick<ReplyDocument, "run" | "pictures">): string[] {
  return pictures.map((picture, index) => fileOf(run, picture, index).name);
}

/** Where there is nothing else to say. */
export function picturesOnly(count: number): string {
  return count === 1 ? "Here is the image." : `Here are ${count} images.`;
}

export function missingNotice(missing: number): string {
  if (missing === 0) return "";
  return missing === 1 ? "An image could not be shown here." : `${missing} images could not be shown here.`;
}

/** The same in each attempt, since the order of what is stored is. */
function fileOf(run: RunId, picture: Picture, index: number): PageFile {
  const name = `image-${run}-${index + 1}.${picture.mimeType.replace(/^image\//, "").replaceAll(/\W/g, "")}`;
  const { alt = "" } = picture;
  return { name, title: alt === "" ? `Image ${index + 1}` : alt, text: alt, picture };
}
