/** The tool calls of one reply, put together from their pieces. Servers disagree about how a piece names its call. */

import type { ToolCall } from "../../core/entry.ts";
import { listOf, objectOf, parseJson, textOf, type JsonObject } from "./json.ts";

interface OpenCall {
  readonly id: string;
  /** As the server named it, where it did. */
  wireId: string | undefined;
  readonly index: number | undefined;
  name: string;
  arguments: string;
  /** What came beside it (`extra_content`). */
  extra: JsonObject | null;
}

/** A call whose server never gave it a name: no tool is called this, so the model reads which ones there are. */
const NAMELESS = "unnamed_tool";

export class CallPieces {
  readonly #idPrefix: string;
  readonly #onInput: (call: string, name: string, text: string) => void;
  readonly #calls: OpenCall[] = [];

  /** @param idPrefix begins the id of each call that comes without one; the same reply gets the same ids. */
  constructor(idPrefix: string, onInput: (call: string, name: string, text: string) => void) {
    this.#idPrefix = idPrefix;
    this.#onInput = onInput;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Takes the `tool_calls` of a delta or a whole message. */
  push(pieces: unknown): void {
    for (const each of listOf(pieces)) {
      const piece = objectOf(each);
      if (piece === undefined) continue;
      const call = this.#piece(piece["index"], piece["id"], objectOf(piece["function"]) ?? piece);
      call.extra = objectOf(piece["extra_content"]) ?? call.extra;
    }
  }

  /** Takes the `function_call` of servers from before there were several. */
  pushSingle(call: unknown): void {
    const single = objectOf(call);
    if (single !== undefined) this.#piece(0, undefined, single);
  }

  /** Whether each call's arguments are whole; a blank text stands for none. */
  areWhole(): boolean {
    return this.#calls.every(isWhole);
  }

  lastIsWhole(): boolean {
    const last = this.#calls.at(-1);
    // Cut right behind the name, blank arguments do not stand for none.
    return last === undefined || (last.arguments.trim() !== "" && isWhole(last));
  }

  all(): readonly ToolCall[] {
    return this.#real().map((call) => ({
      id: call.id,
      name: call.name === "" ? NAMELESS : call.name,
      arguments: call.arguments.trim() === "" ? "{}" : call.arguments,
    }));
  }

  /** What came beside each of `all`. */
  extras(): readonly (JsonObject | null)[] {
    return this.#real().map((call) => call.extra);
  }

  #real(): readonly OpenCall[] {
    return this.#calls.filter((call) => call.name !== "" || call.arguments.trim() !== "");
  }

  #piece(index: unknown, wireId: unknown, body: JsonObject): OpenCall {
    // An empty id or name is how some servers continue a call.
    const id = textOf(wireId);
    const name = textOf(body["name"]);
    const slot = typeof index === "number" ? index : undefined;
    const call = this.#find(slot, id, name) ?? this.#open(slot, id);
    call.wireId ??= id;
    if (call.name === "") call.name = name ?? "";
    else if (name !== undefined && name !== call.name && call.arguments === "") call.name += name;
    const text = body["arguments"];
    if (typeof text === "string") {
      call.arguments += text;
      if (text !== "") this.#onInput(call.id, call.name, text);
    } else if (text !== undefined && text !== null) {
      // An object is whole each time it comes; only the first is new.
      const isNew = call.arguments === "";
      call.arguments = JSON.stringify(text);
      if (isNew) this.#onInput(call.id, call.name, call.arguments);
    }
    return call;
  }

  #find(index: number | undefined, id: string | undefined, name: string | undefined): OpenCall | undefined {
    if (index !== undefined) {
      const call = this.#calls.findLast((each) => each.index === index);
      // Another id and a name in the same place: a server that counts every call as the first.
      const isOther =
        call?.wireId !== undefined && id !== undefined && id !== call.wireId && name !== undefined;
      return isOther ? this.#calls.find((each) => each.wireId === id) : call;
    }
    if (id !== undefined) return this.#calls.find((call) => call.wireId === id);
    const last = this.#calls.at(-1);
    if (name === undefined || last === undefined) return last;
    return name === last.name && !isWhole(last) ? last : undefined;
  }

  #open(index: number | undefined, wireId: string | undefined): OpenCall {
    const id = wireId ?? `${this.#idPrefix}${this.#calls.length + 1}`;
    const isTaken = this.#calls.some((call) => call.id === id);
    const call: OpenCall = {
      id: isTaken ? `${id}_${this.#calls.length + 1}` : id,
      wireId,
      index,
      name: "",
      arguments: "",
      extra: null,
    };
    this.#calls.push(call);
    return call;
  }
}

function isWhole(call: OpenCall): boolean {
  return call.arguments.trim() === "" || parseJson(call.arguments) !== undefined;
}
