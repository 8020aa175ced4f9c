/** One reply of a model, put together from the chunks of one try. A new try starts with a new one. */

import type { BobbinError } from "../../core/errors.ts";
import type { ModelEvent, ModelRecord } from "../../core/ports/model.ts";
import type { ImagePart } from "../../core/part.ts";
import { CallPieces } from "./calls.ts";
import { cutOff, failureOfObject, garbage } from "./failures.ts";
import { listOf, objectOf, parseJson, textOf, type JsonObject } from "./json.ts";
import { ReasoningDetails, type BesideCalls } from "./reasoning.ts";
import { splitThinking, type SplitText } from "./think-tags.ts";

type Done = Extract<ModelEvent, { kind: "done" }>;

export interface ReplyOptions {
  /** Begins the ids of calls that come without one. */
  readonly idPrefix: string;
  /** The key, which no error may carry. */
  readonly secret: string;
  /** As the model's record has them. */
  readonly beginsThinking?: boolean | undefined;
  readonly replays?: ModelRecord["replays"] | undefined;
}

/** Never throws: what is wrong with the stream stands in `failure`. Events are pushed to `out` as they come. */
export class Reply {
  readonly #options: ReplyOptions;
  readonly #out: ModelEvent[];
  readonly #calls: CallPieces;
  readonly #reasoning = new ReasoningDetails();
  readonly #images: ImagePart[] = [];
  readonly #split: SplitText;
  #text = "";
  /** The thinking, where the provider wants it back as text. */
  #thought = "";
  #finish: string | undefined;
  #sawDone = false;
  #sawDelta = false;
  #ended = false;

  /** What the stream said went wrong. */
  failure: BobbinError | undefined;
  /** As reported last: some servers count along in every chunk. */
  usage: JsonObject | undefined;
  model: string | undefined;
  provider: string | undefined;
  /** Grows with each chunk that brought something; keep-alive chunks do not count. */
  progress = 0;

  constructor(out: ModelEvent[], options: ReplyOptions) {
    this.#out = out;
    this.#options = options;
    this.#split = splitThinking(
      {
        text: (text) => {
          this.#text += text;
          out.push({ kind: "text", text });
        },
        thinking: (text) => out.push({ kind: "thinking", text }),
        drop: () => this.#drop(),
      },
      options.beginsThinking === true,
    );
    this.#calls = new CallPieces(options.idPrefix, (call, name, text) => {
      out.push({ kind: "tool_input", call, name, text });
    });
  }

  /** The reply itself has ended; at most its usage and the end mark are still to come. */
  get isFinished(): boolean {
    return this.failure === undefined && this.#finish !== undefined;
  }

  /** Nothing that could still come would change anything. */
  get isOver(): boolean {
    return this.#sawDone || this.failure !== undefined;
  }

  /** The data of one server-sent event. What is no JSON object (blank, a wrapped comment) is skipped. */
  event(data: string, name: string): void {
    if (this.isOver) return;
    const text = data.trim();
    if (name === "error") {
      const told = parseJson(text);
      return this.#fail(failureOfObject(errorIn(told) ?? objectOf(told) ?? text, this.#options.secret));
    }
    if (text === "[DONE]") {
      this.#sawDone = true;
      return;
    }
    if (!text.startsWith("{")) return;
    const chunk = objectOf(parseJson(text));
    if (chunk === undefined) this.#fail(garbage("the provider's stream has an event that is no JSON"));
    else this.chunk(chunk);
  }

  /** The last event before the bytes ended: half of one is a cut and no garbage. */
  lastEvent(data: string, name: string): void {
    const text = data.trim();
    if (text.startsWith("{") && parseJson(text) === undefined) return;
    this.event(data, name);
  }

  /** A whole answer in one JSON body, from a server that does not stream. */
  whole(body: string): void {
    const answer = objectOf(parseJson(body));
    if (answer === undefined) return this.#fail(garbage("the provider's answer is no JSON"));
    this.chunk(answer);
    if (this.isOver) return;
    if (!this.#sawDelta) return this.#fail(garbage("the provider's answer has no reply in it"));
    this.#finish ??= "stop";
    this.#sawDone = true;
  }

  chunk(chunk: JsonObject): void {
    const before = this.#out.length + this.#calls.count;
    const choice = objectOf(listOf(chunk["choices"])[0]);
    this.model ??= textOf(chunk["model"]);
    this.provider ??= textOf(chunk["provider"]);
    const usage = objectOf(chunk["usage"]);
    if (usage !== undefined) this.usage = usage;
    if (choice !== undefined) this.#choice(choice);
    const error = errorIn(chunk) ?? errorIn(choice);
    if (error !== undefined) this.#fail(failureOfObject(error, this.#options.secret));
    else if (choice?.["finish_reason"] === "error") this.#fail(failureOfObject({}, this.#options.secret));
    const isNew = this.#out.length + this.#calls.count > before;
    if (isNew || usage !== undefined || this.#finish !== undefined) this.progress++;
  }

  /** No more bytes: what was held back is delivered, and a stream that did not end is a cut one. May be called twice. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.failure !== undefined) return;
    this.#split.end();
    if (this.#finish !== undefined) return;
    // Some servers give no reason, only the end mark: then the reply has to be whole by itself.
    const hasReply = this.#text.trim() !== "" || this.#calls.count > 0 || this.#images.length > 0;
    if (!this.#sawDone || !hasReply || !this.#calls.areWhole()) this.failure = cutOff();
  }

  /** Only after `end`, and where there is no `failure`. */
  done(): Done {
    const calls = this.#calls.all();
    const finish = finishOf(this.#finish);
    const reasoning = this.#reasoning.toText(calls.length === 0 ? {} : this.#besideCalls());
    return {
      kind: "done",
      text: this.#text,
      calls,
      images: this.#images,
      ...(reasoning !== undefined && { reasoning }),
      finish,
      // Whatever cut the reply may have cut the call that it ends with.
      ...(finish !== "end" && calls.length > 0 && !this.#calls.lastIsWhole() && { cutCall: true as const }),
    };
  }

  #besideCalls(): BesideCalls {
    const { replays } = this.#options;
    const extras = replays === "extra_content" ? this.#calls.extras() : [];
    return {
      ...(this.#thought !== "" && { reasoning_content: this.#thought }),
      ...(extras.some((extra) => extra !== null) && { extra_content: extras }),
    };
  }

  #choice(choice: JsonObject): void {
    const delta = objectOf(choice["delta"]) ?? (this.#sawDelta ? undefined : objectOf(choice["message"]));
    if (delta !== undefined) this.#delta(delta);
    const reason = textOf(choice["finish_reason"]);
    if (reason !== undefined) this.#finish = reason;
  }

  #delta(delta: JsonObject): void {
    this.#sawDelta = true;
    this.#thinking(delta);
    const content = delta["content"];
    if (typeof content === "string") this.#split.push(content);
    else for (const part of listOf(content)) this.#part(objectOf(part));
    const refusal = textOf(delta["refusal"]);
    if (refusal !== undefined) this.#split.push(refusal);
    for (const image of listOf(delta["images"])) this.#image(objectOf(image));
    if (delta["tool_calls"] != null) this.#calls.push(delta["tool_calls"]);
    if (delta["function_call"] != null) this.#calls.pushSingle(delta["function_call"]);
  }

  /** The same thinking may stand in several fields at once; it is told once. */
  #thinking(delta: JsonObject): void {
    const details =
      delta["reasoning_details"] == null ? "" : this.#reasoning.push(delta["reasoning_details"]);
    const text = textOf(delta["reasoning_content"]) ?? textOf(delta["reasoning"]) ?? details;
    if (text === "") return;
    this.#split.isApart();
    if (this.#options.replays === "reasoning_content") this.#thought += text;
    this.#out.push({ kind: "thinking", text });
  }

  /** The text that was told of the reply so far was thinking, and is void; its images are told again. */
  #drop(): void {
    if (this.#text === "") return;
    this.#text = "";
    this.#out.push({ kind: "again", why: "the text so far was the model's thinking" });
    for (const image of this.#images) this.#out.push({ kind: "image", image });
  }

  #part(part: JsonObject | undefined): void {
    if (part === undefined) return;
    const text = textOf(part["text"]);
    if (part["type"] === "image_url") this.#image(part);
    else if (part["type"] === "thinking") {
      for (const piece of listOf(part["thinking"])) {
        const thought = textOf(objectOf(piece)?.["text"]);
        if (thought !== undefined) this.#out.push({ kind: "thinking", text: thought });
      }
    } else if (text !== undefined) this.#split.push(text);
  }

  /** Only images whose bytes are here: an address would be fetched by whoever shows it. */
  #image(part: JsonObject | undefined): void {
    const url = textOf(objectOf(part?.["image_url"])?.["url"]);
    const match = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/.exec(url ?? "");
    if (match?.[1] === undefined || match[2] === undefined) return;
    const image: ImagePart = { kind: "image", mimeType: match[1], data: match[2] };
    this.#images.push(image);
    this.#out.push({ kind: "image", image });
  }

  #fail(error: BobbinError): void {
    // After the reply has ended, trouble with what follows it takes nothing back.
    if (this.#finish === undefined || this.#finish === "error") this.failure ??= error;
  }
}

/** An error in a chunk or choice: as an object, as a text, or as the chunk itself. */
function errorIn(value: unknown): unknown {
  const object = objectOf(value);
  if (object === undefined) return undefined;
  if (object["error"] != null && object["error"] !== "") return object["error"];
  return object["object"] === "error" ? object : undefined;
}

function finishOf(reason: string | undefined): Done["finish"] {
  if (reason === "length" || reason === "max_tokens") return "length";
  return reason === "content_filter" ? "filtered" : "end";
}
