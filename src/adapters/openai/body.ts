/** The bytes of an answer on their way into a reply: a stream of events, or one JSON body from a server that ignores `stream`. */

import { BobbinError } from "../../core/errors.ts";
import { garbage } from "./failures.ts";
import type { Reply } from "./reply.ts";
import { SseReader } from "./sse.ts";

/** A whole answer may carry images, but not for ever. */
const BODY_BYTES = 64 * 1024 * 1024;

/** Told apart by the first byte that says something: no line of an event stream begins with a bracket. */
type Mode =
  | { readonly kind: "unknown" }
  | { readonly kind: "events" }
  | { readonly kind: "json"; readonly pieces: Uint8Array[] }
  | { readonly kind: "page" };

export class BodyReader {
  readonly #reply: Reply;
  readonly #sse: SseReader;
  #mode: Mode = { kind: "unknown" };
  #bytes = 0;
  #isEnding = false;

  constructor(reply: Reply) {
    this.#reply = reply;
    this.#sse = new SseReader((data, name) => {
      if (this.#isEnding) reply.lastEvent(data, name);
      else reply.event(data, name);
    });
  }

  /** Never throws: what is wrong stands in the reply's `failure`. */
  push(bytes: Uint8Array): void {
    if (this.#reply.isOver) return;
    this.#guarded(() => this.#push(bytes));
    if (this.#reply.isOver) this.#reply.end();
  }

  end(): void {
    this.#guarded(() => this.#end());
    this.#reply.end();
  }

  #push(bytes: Uint8Array): void {
    let rest = bytes;
    if (this.#mode.kind === "unknown") {
      rest = withoutLeadingSpace(bytes);
      const first = rest[0];
      if (first === undefined) return;
      this.#mode = modeFor(first);
    }
    switch (this.#mode.kind) {
      case "events":
        return this.#sse.push(rest);
      case "json":
        this.#bytes += rest.length;
        if (this.#bytes > BODY_BYTES) throw garbage("the provider's answer is too long");
        this.#mode.pieces.push(rest);
        this.#reply.progress++;
        return;
      case "page":
        throw garbage("the provider's answer is a page for people");
      case "unknown":
        return;
      default:
        this.#mode satisfies never;
    }
  }

  #end(): void {
    if (this.#reply.isOver) return;
    this.#isEnding = true;
    if (this.#mode.kind === "json") this.#reply.whole(Buffer.concat(this.#mode.pieces).toString("utf8"));
    else this.#sse.end();
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#reply.failure ??=
        thrown instanceof BobbinError ? thrown : garbage("the provider's answer makes no sense");
    }
  }
}

const BRACES = new Set("{[".split("").map((letter) => letter.charCodeAt(0)));
const ANGLE = "<".charCodeAt(0);

function modeFor(first: number): Mode {
  if (BRACES.has(first)) return { kind: "json", pieces: [] };
  return first === ANGLE ? { kind: "page" } : { kind: "events" };
}

/** Proxies keep a connection open with white space before the answer. */
function withoutLeadingSpace(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 10 && byte !== 13 && byte !== 32 && byte !== 9);
  return start === -1 ? bytes.subarray(bytes.length) : bytes.subarray(start);
}
