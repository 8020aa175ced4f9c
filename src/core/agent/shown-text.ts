/** What one try of a reply has shown so far, kept equal to what will be stored. */

import type { RunEvent } from "../events.ts";
import type { ImagePart } from "../part.ts";
import { cleanJson, cleanText } from "../text.ts";

export interface Shown {
  readonly text: string;
  readonly images: readonly ImagePart[];
}

export interface ShownReply {
  /** Since the try began; without `base`. */
  readonly shown: Shown;
  /** Whether anything went out that would be void if the try began anew. */
  readonly isEmpty: boolean;
  text(delta: string): void;
  thinking(delta: string): void;
  toolInput(call: string, name: string, delta: string): void;
  image(image: ImagePart): void;
  /** What the round showed is void; the part before this try is shown again. */
  again(why: string): void;
  /** Shows what the deltas had left out of the whole reply and answers it clean. */
  finish(whole: Shown): Shown;
}

/** @param base what earlier tries of the same reply showed and this one continues. */
export function createShownReply(round: number, base: Shown, emit: (event: RunEvent) => void): ShownReply {
  let text = "";
  let images: ImagePart[] = [];
  let isEmpty = true;
  let halves = new Map<string, string>();

  /** Clean and in whole characters: a high surrogate at the end waits for its other half. */
  const whole = (key: string, delta: string): string => {
    const joined = (halves.get(key) ?? "") + delta;
    const endsInHalf = /[\uD800-\uDBFF]$/.test(joined);
    halves.set(key, endsInHalf ? joined.slice(-1) : "");
    return cleanText(endsInHalf ? joined.slice(0, -1) : joined);
  };
  const showText = (piece: string): void => {
    if (piece === "") return;
    isEmpty = false;
    emit({ kind: "text", text: piece });
  };
  const showImage = (image: ImagePart): void => {
    isEmpty = false;
    emit({ kind: "image", image });
  };
  const shown: ShownReply = {
    get shown() {
      return { text, images };
    },
    get isEmpty() {
      return isEmpty;
    },
    text(delta) {
      const piece = whole("text", delta);
      text += piece;
      showText(piece);
    },
    thinking(delta) {
      const piece = whole("thinking", delta);
      if (piece === "") return;
      isEmpty = false;
      emit({ kind: "thinking", text: piece });
    },
    toolInput(call, name, delta) {
      const piece = whole(`call ${call}`, delta);
      isEmpty = false;
      emit({ kind: "tool_input", call: cleanText(call), name: cleanText(name), text: piece });
    },
    image(image) {
      const clean = cleanJson(image);
      images.push(clean);
      showImage(clean);
    },
    again(why) {
      text = "";
      images = [];
      halves = new Map();
      isEmpty = true;
      emit({ kind: "round", round, state: "again", why: cleanText(why) });
      showText(base.text);
      for (const image of base.images) showImage(image);
    },
    finish(given) {
      const full: Shown = { text: cleanText(given.text), images: cleanJson(given.images) };
      if (!full.text.startsWith(text)) shown.again("the whole reply differs from its pieces");
      showText(full.text.slice(text.length));
      for (const image of full.images.slice(images.length)) showImage(image);
      text = full.text;
      images = [...full.images];
      return full;
    },
  };
  return shown;
}
