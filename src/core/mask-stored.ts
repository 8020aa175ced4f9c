/**
 * Masks what becomes history: each message of a person before it is stored, and each round before it is committed, so that neither the
 * model, nor a transcript, nor a search, nor an export ever has the secret. A secret that somebody splits over messages is found where the
 * second half comes; what stood before it is remembered by this process alone, for a while.
 */

import type { EntryBody } from "./entry.ts";
import type { Inbound, MessageInbound } from "./inbound.ts";
import { keepNewest } from "./keep-newest.ts";
import { without, type SecretsIn } from "./mask.ts";
import type { ImagePart, Part, Picture } from "./part.ts";
import type { Inbox } from "./ports/inbox.ts";
import type { RunEnding, RunStore } from "./ports/run-store.ts";
import type { PageContent } from "./ports/surface.ts";
import type { WebInbox } from "./ports/web-messages.ts";
import type { ModelCallRecord, RoundRecord } from "./round.ts";
import { headOf, tailOf } from "./text.ts";

/** A private key of a usual size; a longer one is masked from its beginning on anyway. */
const REMEMBERED = 8_000;
/** In signs; no word has so many. */
const SHORTEST_KEY = 40;
/** Conversations, the newest. */
const MOST = 2_000;

export interface StoredMask {
  /** Of what stands by itself. */
  text(text: string): string;
  /** Of what goes on from what came before under the same key; both are one text to the eye of whoever reads them together. */
  following(key: string, text: string): string;
  /** Of the end of a text that is masked already, and ended where nobody meant it to. */
  brokenOff(text: string): string;
}

/** @param brokenOff as of `SecretsInTalk.maskPart`. Default nothing is masked by it. */
export function createStoredMask(
  find: SecretsIn,
  brokenOff: (text: string) => string = (text) => text,
): StoredMask {
  const before = new Map<string, string>();
  const text = (given: string): string => without(given, find(given));
  return {
    text,
    brokenOff,
    following(key, given) {
      const tail = before.get(key) ?? "";
      keepNewest(before, key, tailOf(tail + given, REMEMBERED), MOST);
      if (tail === "" || isWhole(tail, find)) return text(given);
      const border = tail.length;
      const both = tail + given;
      const spans = find(both)
        .filter(
          ({ start, end }) => end > border && !isWordBehindHeader(both.slice(start, end), border - start),
        )
        .map(({ start, end }) => ({ start: Math.max(0, start - border), end: end - border }));
      // What is one only without what came before, such as a word that begins there.
      return text(without(given, spans));
    },
  };
}

/** Whether it ends with a secret that does not go on: what follows it is something else. Of a private key the end is known. */
function isWhole(tail: string, find: SecretsIn): boolean {
  if (tail.lastIndexOf("-----BEGIN ") > tail.lastIndexOf("-----END ")) return false;
  return find(tail).at(-1)?.end === tail.length;
}

/** Whether what begins at `at` is no key, although it stands behind the first line of one, such as of one that somebody asks about. */
function isWordBehindHeader(found: string, at: number): boolean {
  const header = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.exec(found)?.[0];
  if (header === undefined || header.length > at || found.includes("-----END ")) return false;
  return found.slice(header.length).replaceAll(/[^A-Za-z0-9+/=]/g, "").length < SHORTEST_KEY;
}

/** Messages, changes, notes and what commands were given. */
export function maskedInbox(inbox: Inbox, mask: StoredMask): Inbox {
  return { ...inbox, put: (inbound, admission) => inbox.put(maskedInbound(inbound, mask), admission) };
}

/** The same where a message of the web chat is its row too. */
export function maskedArrivals(arrivals: WebInbox, mask: StoredMask): WebInbox {
  return {
    put(message, inbound, admission) {
      const page = maskedPage(message.page, mask);
      const masked = maskedInbound(inbound, mask) as MessageInbound;
      return arrivals.put({ ...message, page }, masked, admission);
    },
  };
}

/** Rounds and ends of runs, with the results of tools in full. */
export function maskedStore(store: RunStore, mask: StoredMask): RunStore {
  return {
    ...store,
    commitRound: (fence, round, frozen) =>
      store.commitRound(fence, maskedRound(round, fence.session, mask), frozen),
    async end(fence, ending, frozen) {
      const masked = maskedEnding(ending, fence.session, mask);
      const ended = await store.end(fence, masked, frozen);
      const { round } = masked;
      return ended.kind === "ended" && round !== undefined ? { ...ended, entries: round.entries } : ended;
    },
  };
}

/** The same value with every text in it masked: for what is made of a person's or a model's words and of names that are none. */
export function maskedDeep<T>(value: T, mask: Pick<StoredMask, "text">): T {
  if (typeof value === "string") return mask.text(value) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => maskedDeep(each, mask)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [mask.text(key), maskedDeep<unknown>(each, mask)]),
  ) as T;
}

/** JSON text stays JSON, and as it is to the byte where nothing is masked in it. */
function maskedJson(json: string, mask: Pick<StoredMask, "text">): string {
  const byValue = maskedValues(json, mask);
  // A name and its value together may say what neither says alone, such as a header and what it holds.
  const asText = mask.text(byValue);
  return asText === byValue || isJson(asText) ? asText : byValue;
}

/** Each text by itself, since in JSON an escape may stand where a secret begins. */
function maskedValues(json: string, mask: Pick<StoredMask, "text">): string {
  try {
    const value: unknown = JSON.parse(json);
    const masked = JSON.stringify(maskedDeep(value, mask));
    return masked === JSON.stringify(value) ? json : masked;
  } catch {
    // No JSON, or nested deeper than anybody means it.
    return mask.text(json);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function maskedInbound(inbound: Inbound, mask: StoredMask): Inbound {
  switch (inbound.kind) {
    case "message": {
      const key = `${inbound.session} ${inbound.author.id}`;
      return {
        ...inbound,
        parts: inbound.parts.map((part) => maskedPart(part, (text) => mask.following(key, text), mask)),
      };
    }
    case "edit":
      return { ...inbound, parts: inbound.parts.map((part) => maskedPart(part, mask.text, mask)) };
    case "note":
      return { ...inbound, text: mask.text(inbound.text) };
    case "command":
      return { ...inbound, command: maskedDeep(inbound.command, mask) };
    case "delete":
      return inbound;
    default:
      return inbound satisfies never;
  }
}

/** The bytes of an image stay: they are no text. */
function maskedPart(part: Part, said: (text: string) => string, mask: StoredMask): Part {
  switch (part.kind) {
    case "text":
      return { ...part, text: said(part.text) };
    case "note":
      return { ...part, text: mask.text(part.text) };
    case "file":
      return { ...part, name: mask.text(part.name) };
    case "image":
      return part.name === undefined ? part : { ...part, name: mask.text(part.name) };
    default:
      return part satisfies never;
  }
}

function maskedPage(page: PageContent, mask: StoredMask): PageContent {
  return { ...page, markdown: mask.text(page.markdown) };
}

function maskedRound(round: RoundRecord, session: string, mask: StoredMask): RoundRecord {
  return {
    ...round,
    entries: round.entries.map((entry) => maskedEntry(entry, session, mask)),
    results: round.results.map((result) => ({ ...result, content: mask.text(result.content) })),
    modelCalls: round.modelCalls.map((call) => maskedCall(call, mask)),
  };
}

function maskedEnding(ending: RunEnding, session: string, mask: StoredMask): RunEnding {
  const { error, round, note, modelCalls, turn } = ending;
  const masked = round === undefined ? undefined : maskedRound(round, session, mask);
  return {
    ...ending,
    modelCalls: modelCalls.map((call) => maskedCall(call, mask)),
    ...(error === undefined ? {} : { error: { ...error, message: mask.text(error.message) } }),
    ...(masked === undefined ? {} : { round: masked }),
    ...(note === undefined ? {} : { note: mask.text(note) }),
    ...(turn === undefined ? {} : { turn: { ...turn, said: maskedSaid(turn.said, masked, mask) } }),
  };
}

/** A secret that the beginning of the words cuts in two is found in the whole of them. */
function maskedSaid(said: string, round: RoundRecord | undefined, mask: StoredMask): string {
  const last = round?.entries.findLast((body) => body.kind === "assistant" && body.text !== "");
  return last?.kind === "assistant" ? headOf(last.text, said.length) : mask.text(said);
}

/** What was sent beside the conversation is stored without the secret, and then is not rebuilt to the byte. */
function maskedCall(call: ModelCallRecord, mask: StoredMask): ModelCallRecord {
  return { ...call, params: maskedJson(call.params, mask) };
}

interface WithImages {
  readonly images?: readonly ImagePart[];
  readonly pictures?: readonly Picture[];
}

/** What an image is called, what it shows, and the type that somebody claims for it are texts; its bytes are none. */
function maskedImages({ images, pictures }: WithImages, mask: StoredMask): WithImages {
  return {
    ...(images === undefined
      ? {}
      : { images: images.map(({ data, ...words }) => ({ ...maskedDeep(words, mask), data })) }),
    ...(pictures === undefined
      ? {}
      : {
          pictures: pictures.map(({ hash, ...words }) => ({
            ...maskedDeep(words, mask),
            ...(hash === undefined ? {} : { hash }),
          })),
        }),
  };
}

/** What a provider demands back unread stays as it is: it is shown to nobody. */
function maskedEntry(body: EntryBody, session: string, mask: StoredMask): EntryBody {
  switch (body.kind) {
    case "user":
      return { ...body, parts: body.parts.map((part) => maskedPart(part, mask.text, mask)) };
    case "assistant": {
      const text = body.text === "" ? "" : mask.following(`${session} bot`, body.text);
      return {
        ...body,
        ...maskedImages(body, mask),
        text: body.interrupted === true || body.cut === true ? mask.brokenOff(text) : text,
        calls: body.calls.map((call) => {
          const masked = maskedJson(call.arguments, mask);
          return masked === call.arguments ? call : { ...call, arguments: masked, isMasked: true };
        }),
      };
    }
    case "tool": {
      const { offer } = body;
      const masked = { ...body, ...maskedImages(body, mask), content: mask.text(body.content) };
      return offer === undefined
        ? masked
        : { ...masked, offer: { ...offer, markdown: mask.text(offer.markdown) } };
    }
    case "note":
    case "summary":
      return { ...body, text: mask.text(body.text) };
    default:
      return body satisfies never;
  }
}
