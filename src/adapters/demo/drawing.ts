/** A drawing of the demo model: a bar for each letter of what was asked, so that no two are alike. A PNG, made here. */

import { crc32, deflateSync } from "node:zlib";
import type { ImagePart } from "../../core/part.ts";

const WIDTH = 480;
const HEIGHT = 240;
const GROUND = [247, 245, 240] as const;
const INK = [
  [74, 104, 184],
  [157, 179, 234],
  [138, 106, 74],
] as const;
const MOST_BARS = 24;

export function drawingOf(text: string): ImagePart {
  const letters = Array.from(text.replaceAll(/\s/g, "")).slice(0, MOST_BARS);
  const bars = letters.map((letter) => 0.15 + (((letter.codePointAt(0) ?? 0) * 37) % 80) / 100);
  const name = `A drawing with a bar for each of ${bars.length} letters`;
  return { kind: "image", mimeType: "image/png", data: png(bars).toString("base64"), name };
}

function png(bars: readonly number[]): Buffer {
  const step = WIDTH / Math.max(1, bars.length);
  const rows = Buffer.alloc(HEIGHT * (1 + WIDTH * 3));
  for (let y = 0, at = 0; y < HEIGHT; y++) {
    rows[at++] = 0;
    for (let x = 0; x < WIDTH; x++) {
      const bar = Math.floor(x / step);
      const isInk = x - bar * step < step * 0.7 && 1 - y / HEIGHT < (bars[bar] ?? 0);
      for (const value of (isInk ? INK[bar % INK.length] : undefined) ?? GROUND) rows[at++] = value;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
