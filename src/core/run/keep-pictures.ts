/**
 * The bytes of images are kept apart from History, once each: what a run says goes to the store with pictures in the place of its
 * images. The type is what the bytes say, whatever somebody claims.
 */

import { MOST_IMAGE_BYTES } from "../agent/tool-result.ts";
import { onOneLine } from "../context/speaker.ts";
import type { EntryBody } from "../entry.ts";
import type { RunEvent } from "../events.ts";
import type { Hash } from "../ids.ts";
import type { ImagePart, Picture } from "../part.ts";
import type { RunEnding } from "../ports/run-store.ts";
import type { PictureData, RoundRecord } from "../round.ts";

/** What every platform takes from a bot. */
const MOST_BYTES = 8_000_000;
/** Of one round, which is one statement; all together are no more than `MOST_IMAGE_BYTES`. */
const MOST_KEPT = 10;
const ALT_UNITS = 300;
const BASE64 = /^[A-Za-z0-9+/]+$/;
/** How the bytes of each begin, as base64 has them: three bytes are four letters. */
const TYPES: readonly (readonly [mimeType: string, begin: RegExp])[] = [
  ["image/png", /^iVBORw0KGgoAAAANSUhEU/],
  ["image/jpeg", /^\/9j\//],
  ["image/gif", /^R0lGOD[dl]h/],
  // RIFF, four bytes of length, WEBP.
  ["image/webp", /^UklGR.{6}XRUJQ/],
];

interface Kept {
  readonly picture: Picture;
  readonly data?: PictureData;
}

export interface PictureKeeper {
  round(record: RoundRecord): RoundRecord;
  event(event: RunEvent): RunEvent;
  ending(ending: RunEnding): RunEnding;
}

export function createPictureKeeper(hash: Hash): PictureKeeper {
  /** What is shown and what is stored are one image, which is hashed once. */
  const known = new WeakMap<ImagePart, Kept>();

  function keep(image: ImagePart, most = MOST_BYTES): Kept {
    const before = known.get(image);
    if (before !== undefined) return before;
    const kept = keptOf(image, hash, most);
    known.set(image, kept);
    return kept;
  }

  function body(entry: EntryBody): EntryBody {
    if ((entry.kind !== "assistant" && entry.kind !== "tool") || entry.images === undefined) return entry;
    const { images, ...rest } = entry;
    return { ...rest, pictures: images.map((image) => keep(image).picture) };
  }

  function round(record: RoundRecord): RoundRecord {
    const images = record.entries.flatMap((entry) =>
      entry.kind === "assistant" || entry.kind === "tool" ? (entry.images ?? []) : [],
    );
    if (images.length === 0) return record;
    const data = new Map<string, PictureData>();
    let room = MOST_IMAGE_BYTES;
    for (const [index, image] of images.entries()) {
      const { picture, data: bytes } = keep(image, index < MOST_KEPT ? MOST_BYTES : 0);
      if (bytes === undefined || data.has(bytes.hash)) continue;
      if (picture.bytes > room) {
        const { hash: _, ...told } = picture;
        known.set(image, { picture: told });
        continue;
      }
      room -= picture.bytes;
      data.set(bytes.hash, bytes);
    }
    return { ...record, entries: record.entries.map(body), pictures: [...data.values()] };
  }

  return {
    round,
    event: (event) =>
      event.kind === "round" && event.state === "done"
        ? { ...event, entries: event.entries.map(body) }
        : event,
    ending: (ending) => (ending.round === undefined ? ending : { ...ending, round: round(ending.round) }),
  };
}

function keptOf({ mimeType: claimed, data: given, name = "" }: ImagePart, hash: Hash, most: number): Kept {
  const letters = given.length - (/=*$/.exec(given.slice(-2))?.[0].length ?? 0);
  const bytes = Math.floor((letters * 3) / 4);
  const words = onOneLine(name, ALT_UNITS).trim();
  const alt = words === "" ? {} : { alt: words };
  const mimeType = TYPES.find(([, begin]) => begin.test(given))?.[0];
  const whole = bytes > most ? undefined : wholeBase64(given, letters);
  if (mimeType === undefined || whole === undefined)
    return { picture: { mimeType: onOneLine(claimed, 100), bytes, ...alt } };
  const id = hash(whole);
  return { picture: { mimeType, bytes, hash: id, ...alt }, data: { hash: id, mimeType, data: whole } };
}

/** As the store decodes it: many leave out the padding, and some have too much of it. Undefined where it is none. */
function wholeBase64(given: string, letters: number): string | undefined {
  const bare = given.slice(0, letters);
  // One letter alone is less than a byte.
  return letters % 4 === 1 || !BASE64.test(bare) ? undefined : bare.padEnd(Math.ceil(letters / 4) * 4, "=");
}
