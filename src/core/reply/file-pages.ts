/**
 * Pages that are files, before a thread as a place to post: its words go on to the thread, its files to whoever knows how the platform
 * takes them. What is asked here is the same on every platform: where the bytes are, whether it is this message's turn, what stands
 * there already.
 */

import { overlaid } from "../overlaid.ts";
import type { Urgency } from "../ports/pacer.ts";
import type { KnownPost, MayBegin, PageFile, Surface, Written } from "../ports/surface.ts";
import type { Turns } from "./turns.ts";

/** A file as it is sent. */
export interface FileToSend {
  /** The same in each attempt: by it the file is found again. */
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** What an image shows, in words; absent where nobody said. */
  readonly alt?: string;
}

/** How a platform takes files. As of `Surface` none throws, `find` excepted. */
export interface FilePlace {
  /** The budget that the message with the file is of. */
  readonly budget: Parameters<Turns["take"]>[0];
  /** So many pages one answer may fill before it comes as a file; undefined where none can be sent. */
  readonly mostPages: number | undefined;
  /** What can be done before anybody sees it. Answers undefined when it is done, or was. Absent where that is nothing. */
  prepare?(file: FileToSend, mayBegin?: MayBegin): Promise<Written | undefined>;
  /** The message with the file, which takes its turn before. */
  post(key: string, file: FileToSend, mayBegin?: MayBegin): Promise<Written>;
  find(name: string, known: KnownPost): Promise<string | undefined>;
  /** Whether this message is one with the file of that name, or, where no name is given, with any. Undefined: as for `Written`. */
  holds(message: string, name: string | undefined, mayBegin?: MayBegin): Promise<boolean | Written>;
  remove(message: string, mayBegin?: MayBegin, urgency?: Urgency): Promise<Written>;
}

export function withFiles(surface: Surface, place: FilePlace, turns: Turns): Surface {
  async function post(key: string, file: PageFile, mayBegin?: MayBegin, urgency: Urgency = "final") {
    const sent = await fileToSend(file);
    if ("kind" in sent) return sent;
    const hindered = await place.prepare?.(sent, mayBegin);
    if (hindered !== undefined) return hindered;
    const waitMs = await turns.take(place.budget, urgency);
    if (waitMs > 0) return { kind: "later", afterMs: waitMs, isTurn: true } as const;
    return place.post(key, sent, mayBegin);
  }

  return overlaid(surface, {
    limits: overlaid(surface.limits, {
      get mostPages() {
        return place.mostPages;
      },
    }),
    post: (key, page, mayBegin, urgency) =>
      page.file === undefined
        ? surface.post(key, page, mayBegin, urgency)
        : post(key, page.file, mayBegin, urgency),
    async edit(message, page, mayBegin, urgency) {
      const name = page.file?.name;
      const holds = await place.holds(message, name, mayBegin);
      if (typeof holds === "object") return holds;
      if (name === undefined && !holds) return surface.edit(message, page, mayBegin, urgency);
      if (name !== undefined && holds) return { kind: "ok", message };
      // An attempt before wanted something else there.
      const removed = await place.remove(message, mayBegin, urgency);
      return removed.kind === "ok" ? { kind: "gone", what: "frozen" } : removed;
    },
    remove: (message, mayBegin, urgency) => place.remove(message, mayBegin, urgency),
    find(key, known) {
      const name = known?.page?.file?.name ?? known?.file;
      return known === undefined || name === undefined ? surface.find(key, known) : place.find(name, known);
    },
    leave() {
      surface.leave?.();
      turns.leave();
    },
  });
}

async function fileToSend({ name, title, text, picture, bytes }: PageFile): Promise<FileToSend | Written> {
  if (picture === undefined) {
    const mimeType = "text/markdown; charset=utf-8";
    return { name, title, mimeType, bytes: new TextEncoder().encode(text) };
  }
  try {
    const kept = await bytes?.();
    if (kept === undefined) return { kind: "refused", why: "the image is not kept any more" };
    const alt = text === "" ? {} : { alt: text };
    return { name, title, mimeType: picture.mimeType, bytes: kept, ...alt };
  } catch {
    return { kind: "later", afterMs: 1_000 };
  }
}
