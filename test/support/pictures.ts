// Images for tests: bytes that begin as each type does, and that no two of them share.
import type { ImagePart } from "../../src/core/part.ts";

const BEGINNINGS = {
  "image/png": [0x89, ...Buffer.from("PNG\r\n\u001a\n\u0000\u0000\u0000\rIHDR")],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0],
  "image/gif": [...Buffer.from("GIF89a")],
  "image/webp": [...Buffer.from("RIFF\u0010\u0000\u0000\u0000WEBP")],
} as const;

export function bytesOf(text: string, type: keyof typeof BEGINNINGS = "image/png"): Buffer {
  return Buffer.concat([Buffer.from(BEGINNINGS[type]), Buffer.from(text)]);
}

export function imageOf(text: string, name?: string, type: keyof typeof BEGINNINGS = "image/png"): ImagePart {
  const data = bytesOf(text, type).toString("base64");
  return { kind: "image", mimeType: type, data, ...(name === undefined ? {} : { name }) };
}

/** What a PNG of ours was made of. */
export function wordsIn(bytes: Uint8Array): string {
  return Buffer.from(bytes).subarray(BEGINNINGS["image/png"].length).toString();
}
