/** What was said in Slack, by anyone: read by the page, with names, within what this workspace lets an app read. */

import { orAborted } from "../../core/agent/abort.ts";
import type { OpenConversation, Reading, Said } from "../../core/ports/conversation.ts";
import type { Log } from "../../core/ports/log.ts";
import { threadOf } from "../../core/thread.ts";
import type { SlackAnswer, SlackApi, SlackData } from "./api.ts";
import { actionIdOf } from "./format.ts";
import { appOf, type SlackBot } from "./identity.ts";
import { parseWritten, peopleOf } from "./parse.ts";
import { fieldsOf, listOf, textOf, timeOf } from "./payload.ts";
import type { SlackPeople } from "./people.ts";
import { readText, type NameOf } from "./text.ts";

export interface SlackConversationDeps {
  readonly api: SlackApi;
  readonly people: SlackPeople;
  readonly log: Log;
}

export interface SlackConversationOptions {
  readonly bot: SlackBot;
  /** Pages of a thread that are read at most, since Slack gives the oldest first. Default 10, of 200 messages each. */
  readonly mostPages?: number;
}

const PAGE = 200;
/** All that Slack gives to an app that is distributed outside of its Marketplace: so much, once a minute. */
const RESTRICTED_PAGE = 15;
const RESTRICTED_WAIT_MS = 30_000;
/** Subtypes of messages that somebody wrote; everything else is told by the system. */
const WRITTEN: ReadonlySet<string> = new Set(["bot_message", "file_share", "me_message", "thread_broadcast"]);

export function createSlackConversation(
  deps: SlackConversationDeps,
  options: SlackConversationOptions,
): OpenConversation {
  const { api, people } = deps;
  const { bot, mostPages = 10 } = options;
  /** Learned from short pages and long waits. */
  let isRestricted = false;

  async function ask(method: string, args: SlackData, signal: AbortSignal): Promise<SlackAnswer> {
    signal.throwIfAborted();
    const answer = await unlessAborted(api.call(method, args), signal);
    if (answer.kind === "rate_limited" && answer.afterMs >= RESTRICTED_WAIT_MS) learn();
    return answer;
  }

  function learn(): void {
    if (!isRestricted) deps.log.info("Slack lets this app read little at a time", { space: bot.space });
    isRestricted = true;
  }

  /** The whole thread as far as it can be read, from its root on. */
  async function readThread(
    place: {
      readonly channel: string;
      readonly ts: string;
      readonly latest?: string;
      readonly oldest?: string;
    },
    signal: AbortSignal,
  ): Promise<{ readonly messages: readonly SlackData[]; readonly isPartial: boolean }> {
    const messages = new Map<string, SlackData>();
    let cursor = "";
    for (let pages = 0; pages < mostPages; pages++) {
      const limit = isRestricted ? RESTRICTED_PAGE : PAGE;
      const args = { ...place, limit, ...(cursor === "" ? {} : { cursor }) };
      const answer = await ask("conversations.replies", args, signal);
      if (answer.kind !== "ok") {
        if (pages > 0) return { messages: [...messages.values()], isPartial: true };
        throw unreadable(answer);
      }
      const page = listOf(answer.data["messages"]).map(fieldsOf);
      // The root stands on every page.
      for (const message of page) messages.set(textOf(message["ts"]) ?? "", message);
      cursor = textOf(fieldsOf(answer.data["response_metadata"])["next_cursor"]) ?? "";
      if (cursor === "") return { messages: [...messages.values()], isPartial: false };
      if (page.length <= RESTRICTED_PAGE + 1 && limit > RESTRICTED_PAGE) learn();
      if (isRestricted) break;
    }
    return { messages: [...messages.values()], isPartial: true };
  }

  async function readChannel(
    place: { readonly channel: string; readonly latest?: string },
    limit: number,
    signal: AbortSignal,
  ): Promise<{ readonly messages: readonly SlackData[]; readonly isPartial: boolean }> {
    const answer = await ask("conversations.history", { ...place, limit: Math.min(limit, 999) }, signal);
    if (answer.kind !== "ok") throw unreadable(answer);
    const messages = listOf(answer.data["messages"]).map(fieldsOf);
    return { messages: messages.toReversed(), isPartial: answer.data["has_more"] === true };
  }

  return {
    async read(session, { where, limit, beforeId }, signal): Promise<Reading> {
      const { channel, root = "" } = threadOf(session);
      const before = beforeId === undefined ? {} : { latest: beforeId };
      const { messages, isPartial } =
        where === "thread"
          ? await readThread({ channel, ts: root, ...before }, signal)
          : await readChannel({ channel, ...before }, limit, signal);
      const written = messages.filter(
        (message) => isWritten(message) && isBefore(message, beforeId) && !isUnderWay(message, bot),
      );
      const kept = newest(written, limit, where === "thread" ? root : undefined);
      await unlessAborted(people.learn(peopleOf(kept)), signal);
      return {
        messages: kept.map((message) => saidBy(message, bot, people.nameOf)),
        isPartial: isPartial || kept.length < written.length,
      };
    },
    async after(session, { id, message: after }, limit, signal) {
      const { channel, root = "", space } = threadOf(session);
      const { messages } = await readThread({ channel, ts: root, oldest: after }, signal);
      const later = messages.filter(({ ts }) => (textOf(ts) ?? "") > after).slice(-limit);
      await unlessAborted(people.learn(peopleOf(later)), signal);
      const reading = { bot, nameOf: people.nameOf, factsOf: people.factsOf, app: appOf(id), space, channel };
      return later.flatMap((message) => parseWritten(message, reading) ?? []);
    },
  };
}

/** The root, which says what a thread is about, and then the newest. */
function newest(
  messages: readonly SlackData[],
  limit: number,
  root: string | undefined,
): readonly SlackData[] {
  if (messages.length <= limit) return messages;
  const [first] = messages;
  if (first === undefined || first["ts"] !== root || limit < 2) return messages.slice(-limit);
  return [first, ...messages.slice(1 - limit)];
}

function isWritten(message: SlackData): boolean {
  const subtype = textOf(message["subtype"]);
  return timeOf(textOf(message["ts"])) !== undefined && (subtype === undefined || WRITTEN.has(subtype));
}

/** A reply of the bot's that can still be stopped is nothing that was said. */
function isUnderWay(message: SlackData, bot: SlackBot): boolean {
  if (message["bot_id"] !== bot.bot) return false;
  const elements = listOf(message["blocks"]).flatMap((block) => listOf(fieldsOf(block)["elements"]));
  return elements.some((element) => fieldsOf(element)["action_id"] === actionIdOf("stop"));
}

/** Slack gives the root of a thread whatever was asked for. Ids have one form, and sort as text. */
function isBefore(message: SlackData, beforeId: string | undefined): boolean {
  return beforeId === undefined || (textOf(message["ts"]) ?? "") < beforeId;
}

function saidBy(message: SlackData, bot: SlackBot, nameOf: NameOf): Said {
  const ts = textOf(message["ts"]) ?? "";
  const files = listOf(message["files"]).map((file) => `[file ${textOf(fieldsOf(file)["name"]) ?? "file"}]`);
  const text = readText(textOf(message["text"]) ?? "", nameOf).trim();
  const isBot = textOf(message["bot_id"]) !== undefined || message["subtype"] === "bot_message";
  const [author, root] = [textOf(message["user"]), textOf(message["thread_ts"])];
  return {
    id: ts,
    speaker: speakerOf(message, bot, nameOf),
    isBot,
    ...(isOwn(message, bot) ? { isOwn: true } : {}),
    ...(author === undefined ? {} : { author }),
    ...(root === undefined ? {} : { root }),
    text: [...(text === "" ? [] : [text]), ...files].join("\n"),
    at: timeOf(ts) ?? 0,
  };
}

function isOwn(message: SlackData, bot: SlackBot): boolean {
  return message["user"] === bot.user || message["bot_id"] === bot.bot;
}

function speakerOf(message: SlackData, bot: SlackBot, nameOf: NameOf): string {
  const user = textOf(message["user"]);
  if (isOwn(message, bot)) return bot.name;
  const name =
    textOf(fieldsOf(message["bot_profile"])["name"]) ??
    textOf(message["username"]) ??
    (user === undefined ? undefined : (nameOf(user) ?? user)) ??
    "somebody";
  // In a channel that companies share, people of another one are no colleagues.
  const team = textOf(message["user_team"]) ?? textOf(message["team"]);
  const isExternal = team?.startsWith("T") === true && bot.space.startsWith("T") && team !== bot.space;
  return isExternal ? `${name} (of another company)` : name;
}

function unreadable(answer: Exclude<SlackAnswer, { readonly kind: "ok" }>): Error {
  return new Error(
    `Slack did not let this be read: ${answer.kind === "refused" ? answer.code : answer.kind}`,
  );
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const raced = await orAborted(work, signal);
  if (raced.kind === "value") return raced.value;
  throw raced.kind === "threw" ? raced.error : signal.reason;
}
