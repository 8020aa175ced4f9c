/** Server-sent events from bytes. Knows the event stream format and nothing of what the events say. */

import { BobbinError } from "../../core/errors.ts";

/** A line that never ends is no answer. Images travel in one line, so it has to be large. */
const LINE_BYTES = 32 * 1024 * 1024;

const LF = 10;
const CR = 13;

/**
 * Calls `onEvent` for each event that has data, in order, whatever the pieces are that the bytes come in.
 * Lines end with LF, CR or CRLF; comments, unknown fields and a byte order mark are skipped.
 */
export class SseReader {
  readonly #onEvent: (data: string, event: string) => void;
  /** Bytes of the line that has not ended yet. */
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  /** The last byte was a CR that ended a line: an LF right behind it belongs to it. */
  #afterCr = false;
  #atStart = true;
  #data: string | undefined;
  #event = "";

  constructor(onEvent: (data: string, event: string) => void) {
    this.#onEvent = onEvent;
  }

  /** @throws BobbinError `model_garbage` when a line is longer than 32 MiB. */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const start = this.#afterCr && bytes[0] === LF ? 1 : 0;
    this.#afterCr = false;
    const end = endOfLines(bytes, start);
    if (end > start) {
      this.#afterCr = bytes[end - 1] === CR;
      // A line end is never inside of a character, so whole lines are decoded without keeping a decoder's state.
      const lines = this.#take(bytes.subarray(start, end));
      this.#lines(lines.includes("\r") ? lines.replaceAll(/\r\n?/g, "\n") : lines);
    }
    const kept = Math.max(start, end);
    if (kept < bytes.length) this.#keep(bytes.subarray(kept));
  }

  /** The bytes are over. An event that lacks only its line ends is still delivered: servers forget the last ones. */
  end(): void {
    if (this.#restBytes > 0) this.#lines(`${this.#take(new Uint8Array())}\n`);
    this.#dispatch();
  }

  #keep(bytes: Uint8Array): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
    if (this.#restBytes > LINE_BYTES) {
      throw new BobbinError("model_garbage", "a line of the stream is too long", {
        facts: { bytes: this.#restBytes },
      });
    }
  }

  #take(bytes: Uint8Array): string {
    let whole = bytes;
    if (this.#restBytes > 0) {
      whole = Buffer.concat([...this.#rest, bytes]);
      this.#rest = [];
      this.#restBytes = 0;
    }
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("utf8");
    if (!this.#atStart) return text;
    this.#atStart = false;
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  #lines(text: string): void {
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      if (from === to) this.#dispatch();
      else this.#line(text.slice(from, to));
      from = to + 1;
    }
  }

  #line(line: string): void {
    if (line.startsWith("data:")) {
      const value = line.charAt(5) === " " ? line.slice(6) : line.slice(5);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (line === "data") {
      this.#data = this.#data === undefined ? "" : `${this.#data}\n`;
    } else if (line.startsWith("event:")) {
      this.#event = line.slice(6).trim();
    }
  }

  #dispatch(): void {
    const data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#event = "";
    if (data !== undefined) this.#onEvent(data, event);
  }
}

/** Index behind the last line end, or 0 when there is none. */
function endOfLines(bytes: Uint8Array, from: number): number {
  for (let i = bytes.length - 1; i >= from; i--) {
    const byte = bytes[i];
    if (byte === LF || byte === CR) return i + 1;
  }
  return 0;
}
