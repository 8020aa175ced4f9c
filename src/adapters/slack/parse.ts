/**
 * An event of Slack's becomes an Inbound, a command, or nothing for a reason. Pure. What is decided here is what the message
 * itself says; whether a session lies in its thread is decided where it is stored.
 */

import { isAside } from "../../core/aside.ts";
import type { Command } from "../../core/command/command.ts";
import { parseCommand } from "../../core/command/parse.ts";
import type { Author, DeleteInbound, EditInbound, MessageInbound, Where } from "../../core/inbound.ts";
import type { InboundId } from "../../core/ids.ts";
import type { SessionId } from "../../core/thread.ts";
import { authorOf, teamIn, type AuthorReading } from "./author.ts";
import type { HomeOpened } from "./home.ts";
import { isDirectChannel, sessionAt, slackInboundId, type SlackBot } from "./identity.ts";
import { linkedIn } from "./message-link.ts";
import { partsOf } from "./message-parts.ts";
import { fieldsOf, listOf, textOf, timeOf, type Payload } from "./payload.ts";
import type { FactsOf } from "./people.ts";
import { addresseeOf, mentionsIn, readText, withoutMentions, type NameOf } from "./text.ts";

/** Where a person stands, for an answer that only they see. */
export interface AskedAt {
  readonly channel: string;
  readonly user: string;
  /** Root of the thread they asked in; absent where they asked in the channel itself. */
  readonly thread?: string;
}

/** A command with everything it needs but the name of who asks. */
export interface Asked {
  readonly command: Command;
  readonly session: SessionId;
  readonly author: Author;
  readonly where?: Where;
  readonly id: InboundId;
  /** ms since 1970. */
  readonly at: number;
  /** Absent where Slack does not say when it was asked for, and `at` is when it came. */
  readonly hasPlatformTime?: true;
  /** Absent where Slack itself shows what comes of it. */
  readonly answerAt?: AskedAt;
}

export type Nothing =
  | "own"
  | "other_bot"
  /** Joins, topics, pins and whatever else is no word of a person. */
  | "system"
  | "not_for_bot"
  | "to_another"
  | "aside"
  /** A link's preview came, or a count changed. */
  | "unchanged"
  | "unknown"
  | "malformed";

export type Parsed =
  | {
      readonly kind: "inbound";
      readonly inbound: MessageInbound | EditInbound | DeleteInbound;
      /** Where a person has asked directly. */
      readonly answerAt?: AskedAt;
    }
  | { readonly kind: "command"; readonly asked: Asked }
  /** Somebody looks at the Home tab. */
  | { readonly kind: "home"; readonly opened: HomeOpened }
  | { readonly kind: "nothing"; readonly why: Nothing };

/** The events that are read here; the manifest asks for these, for `message` in each kind of place. */
export const EVENTS = [
  "app_mention",
  "message",
  "agent_session_stopped",
  "app_home_opened",
  "reaction_added",
  "reaction_removed",
] as const;

const SPOKEN: ReadonlySet<string | undefined> = new Set([
  undefined,
  "file_share",
  "thread_broadcast",
  "me_message",
]);
/** Slack's own voices. */
const SYSTEM_USERS: ReadonlySet<string> = new Set(["USLACKBOT", "USLACK"]);

/** What the parts of an event are read with. */
export interface Reading extends AuthorReading {
  readonly app: string;
  readonly space: string;
  readonly channel: string;
  /** People of several companies are in the channel. */
  readonly isShared?: boolean;
}

/**
 * @param envelope an `event_callback` as Slack sends it.
 * @param bot of the install that it is for, which stands in the envelope only: the event itself names the workspace of whoever wrote.
 */
export function parseEvent(
  envelope: Payload,
  bot: SlackBot,
  nameOf: NameOf,
  factsOf: FactsOf = () => undefined,
): Parsed {
  const event = fieldsOf(envelope["event"]);
  const app = textOf(envelope["api_app_id"]);
  const channel = textOf(event["channel"]);
  if (app === undefined || channel === undefined) return nothing("malformed");
  const isShared = envelope["is_ext_shared_channel"] === true;
  const { space } = bot;
  const reading: Reading = { bot, nameOf, factsOf, app, space, channel, isShared };
  switch (event["type"] as (typeof EVENTS)[number]) {
    case "app_mention":
      return parseMessage(event, reading);
    case "message":
      switch (event["subtype"]) {
        case "message_changed":
          return parseChange(event, reading);
        case "message_deleted":
          return parseDelete(event, reading);
        default:
          return parseMessage(event, reading);
      }
    case "agent_session_stopped":
      return parseStopped(event, reading, textOf(envelope["event_id"]));
    case "app_home_opened":
      return parseHome(event, textOf(envelope["context_team_id"]) ?? textOf(envelope["team_id"]));
    // Read by themselves (`reaction`): they are for those who review and for goals that wait, and no messages.
    case "reaction_added":
    case "reaction_removed":
    default:
      return nothing("unknown");
  }
}

/** Each is a question to Slack, all are asked at once, and a message has room for hundreds: whoever else it mentions keeps their id. */
const MOST_MENTIONED = 20;
/**
 * Whose names are asked for at once, authors and mentioned: Slack answers some hundred such questions a minute, and one too many closes
 * the way to those that say who may do what. Those of the newest messages come first; authors all have theirs.
 */
const MOST_TOGETHER = 50;

/** Ids of those whose names the event needs: who wrote, and who is mentioned. */
export function peopleIn(envelope: Payload): readonly string[] {
  const event = fieldsOf(envelope["event"]);
  return peopleOf(["message" in event ? fieldsOf(event["message"]) : event]);
}

/** The same of messages that are read together, oldest first. */
export function peopleOf(messages: readonly Payload[]): readonly string[] {
  const authors = new Set(messages.flatMap(({ user }) => textOf(user) ?? []));
  const mentioned = messages
    .toReversed()
    .flatMap(({ text }) => mentionsIn(textOf(text) ?? "").slice(0, MOST_MENTIONED));
  return [...authors.union(new Set(mentioned))].slice(0, Math.max(authors.size, MOST_TOGETHER));
}

function parseMessage(message: Payload, reading: Reading): Parsed {
  const { bot, nameOf, channel } = reading;
  const isMentioned = message["type"] === "app_mention" || mentions(message, bot.user);
  const refused = refusal(message, reading);
  // Whether another bot is heard that calls ours is no question of what Slack's message is.
  const isBots = refused === "other_bot" && isMentioned;
  if (refused !== undefined && !isBots) return nothing(refused);
  const found = addressOf(message, reading);
  if (found === undefined) return nothing("malformed");
  const { ts, at, session, author } = found;
  const text = textOf(message["text"]) ?? "";
  const isDirect = isDirectMessage(message, channel);
  const where = whereOf(isDirect);
  const thread = textOf(message["thread_ts"]);
  const answerAt = { channel, user: author.id, ...(thread === undefined ? {} : { thread }) };

  const command =
    (isMentioned || isDirect) && !isBots
      ? parseCommand(readText(withoutMentions(text, bot.user), nameOf), {
          slash: isMentioned ? "optional" : "direct",
        })
      : undefined;
  if (command !== undefined) {
    const id = slackInboundId(reading, "command", ts);
    // An id is one of the thread where it was asked, an address of its own.
    const linked = linkedIn(command, reading);
    const asked = {
      command: linked?.command ?? command,
      session: linked?.session ?? session,
      author,
      ...where,
      id,
      at,
      hasPlatformTime: true as const,
      answerAt,
    };
    return { kind: "command", asked };
  }

  const addressed = isDirect || isMentioned;
  const others = forOthers(message, addressed);
  if (others !== undefined) return nothing(others);
  const parts = partsOf(message, bot.user, nameOf);
  const id = slackInboundId(reading, "message", ts);
  return {
    kind: "inbound",
    inbound: { v: 1, kind: "message", id, session, author, at, addressed, ...where, message: ts, parts },
    ...(addressed && !isBots ? { answerAt } : {}),
  };
}

/** Why what a person wrote is for others and not for the bot; undefined where it is for the bot. */
function forOthers(message: Payload, addressed: boolean): Nothing | undefined {
  const text = textOf(message["text"]) ?? "";
  if (isAside(text)) return "aside";
  if (addressed) return undefined;
  // No session can lie below a message that nobody has answered yet.
  if (isRoot(message)) return "not_for_bot";
  return addresseeOf(text) === undefined ? undefined : "to_another";
}

function whereOf(isDirect: boolean): { readonly where?: Where } {
  return isDirect ? { where: { isDirect } } : {};
}

/** A message as Slack gives it where a thread is read; undefined where it was not for the bot, or was a command. */
export function parseWritten(message: Payload, reading: Reading): MessageInbound | undefined {
  const parsed = parseMessage(message, reading);
  return parsed.kind === "inbound" && parsed.inbound.kind === "message" ? parsed.inbound : undefined;
}

function parseChange(event: Payload, reading: Reading): Parsed {
  const { bot, nameOf } = reading;
  const message = fieldsOf(event["message"]);
  const before = fieldsOf(event["previous_message"]);
  // A root that has replies is not deleted but emptied.
  if (message["subtype"] === "tombstone") {
    return parseDelete({ ...event, deleted_ts: message["ts"], previous_message: before }, reading);
  }
  const refused = refusal(message, reading);
  if (refused !== undefined) return nothing(refused);
  const found = addressOf(message, reading);
  const changedAt = textOf(event["ts"]);
  if (found === undefined || changedAt === undefined) return nothing("malformed");
  if (sameWords(message, before)) return nothing("unchanged");
  if (
    ![message, before].some((version) =>
      mayBeStored({ ...version, channel_type: event["channel_type"] }, reading),
    )
  )
    return nothing("not_for_bot");
  const { ts, session, author } = found;
  const isDirect = isDirectMessage(event, reading.channel);
  const isOthers = forOthers(message, isDirect || mentions(message, bot.user)) !== undefined;
  const edited = textOf(fieldsOf(message["edited"])["ts"]) ?? changedAt;
  const id = slackInboundId(reading, "edit", `${ts}-${edited}`);
  const parts = partsOf(message, bot.user, nameOf);
  const at = timeOf(changedAt) ?? found.at;
  return {
    kind: "inbound",
    inbound: {
      v: 1,
      kind: "edit",
      id,
      session,
      author,
      at,
      addressed: false,
      ...whereOf(isDirect),
      message: ts,
      parts,
      ...(isOthers ? { isAside: true } : {}),
    },
  };
}

function parseDelete(event: Payload, reading: Reading): Parsed {
  const before = fieldsOf(event["previous_message"]);
  const refused = refusal(before, reading);
  if (refused !== undefined) return nothing(refused);
  const found = addressOf({ ...before, ts: event["deleted_ts"] }, reading);
  if (found === undefined) return nothing("malformed");
  if (!mayBeStored({ ...before, channel_type: event["channel_type"] }, reading))
    return nothing("not_for_bot");
  const { ts, session, author } = found;
  const id = slackInboundId(reading, "delete", ts);
  const at = timeOf(textOf(event["ts"]) ?? textOf(event["event_ts"])) ?? found.at;
  return {
    kind: "inbound",
    inbound: { v: 1, kind: "delete", id, session, author, at, addressed: false, message: ts },
  };
}

/** Somebody pressed Slack's own Stop. */
function parseStopped(event: Payload, reading: Reading, eventId: string | undefined): Parsed {
  const session = sessionAt(reading.space, reading.channel, textOf(event["thread_ts"]));
  const user = textOf(event["user"]);
  if (session === undefined || user === undefined || eventId === undefined) return nothing("malformed");
  const author = authorOf(user, reading);
  const where = whereOf(isDirectMessage(event, reading.channel));
  const id = slackInboundId(reading, "command", eventId);
  const at = timeOf(textOf(event["event_ts"])) ?? 0;
  const command = { name: "stop" } as const;
  return { kind: "command", asked: { command, session, author, ...where, id, at, hasPlatformTime: true } };
}

/** The tab with messages is opened with the same event. */
function parseHome(event: Payload, team: string | undefined): Parsed {
  const user = textOf(event["user"]);
  if (user === undefined) return nothing("malformed");
  if (event["tab"] !== "home") return nothing("not_for_bot");
  const hash = textOf(fieldsOf(event["view"])["hash"]);
  return {
    kind: "home",
    opened: { user, ...(hash === undefined ? {} : { hash }), ...(team === undefined ? {} : { team }) },
  };
}

/** Whether what was said may have been for the bot: channel talk that was not costs no look into the store. */
function mayBeStored(message: Payload, { bot, channel }: Reading): boolean {
  return isDirectMessage(message, channel) || !isRoot(message) || mentions(message, bot.user);
}

/** Whose message is none that a person wrote to be read, and why. */
function refusal(message: Payload, { bot, app }: Reading): Nothing | undefined {
  const user = textOf(message["user"]);
  if (user === bot.user || message["bot_id"] === bot.bot) return "own";
  // In a channel that companies share, our own app may be there as the other one's bot too.
  if (textOf(message["bot_id"]) !== undefined && message["app_id"] === app) return "own";
  // Today's bots post without a subtype; only their id tells.
  if (textOf(message["bot_id"]) !== undefined || message["subtype"] === "bot_message") return "other_bot";
  if (!SPOKEN.has(textOf(message["subtype"])) || message["hidden"] === true) return "system";
  if (user === undefined || SYSTEM_USERS.has(user)) return "system";
  return undefined;
}

function addressOf(
  message: Payload,
  reading: Reading,
): { readonly ts: string; at: number; session: SessionId; author: Author } | undefined {
  const ts = textOf(message["ts"]);
  const bot = textOf(message["bot_id"]);
  const user = textOf(message["user"]) ?? bot;
  const at = timeOf(ts);
  const session = sessionAt(reading.space, reading.channel, textOf(message["thread_ts"]) ?? ts);
  if (ts === undefined || user === undefined || at === undefined || session === undefined) return undefined;
  const name = textOf(fieldsOf(message["bot_profile"])["name"]) ?? textOf(message["username"]);
  const known = authorOf(user, reading, {
    name,
    team: teamIn(message, reading.bot),
    isShared: reading.isShared === true,
  });
  return { ts, at, session, author: bot === undefined ? known : { ...known, kind: "bot" } };
}

function isRoot(message: Payload): boolean {
  const thread = textOf(message["thread_ts"]);
  return thread === undefined || thread === message["ts"];
}

/** A conversation of one person with the bot alone: all of it is for the bot. */
function isDirectMessage(event: Payload, channel: string): boolean {
  return event["channel_type"] === "im" || isDirectChannel(channel);
}

function sameWords(message: Payload, before: Payload): boolean {
  const files = (of: Payload): string =>
    listOf(of["files"])
      .map((file) => textOf(fieldsOf(file)["id"]))
      .join();
  return (
    (textOf(message["text"]) ?? "") === (textOf(before["text"]) ?? "") && files(message) === files(before)
  );
}

/** In the text, or only in the blocks, as where a text was too long to be repeated. */
function mentions(message: Payload, user: string): boolean {
  return (
    mentionsIn(textOf(message["text"]) ?? "").includes(user) || mentionsInBlocks(message["blocks"], user, 0)
  );
}

const DEEPEST_BLOCK = 8;

function mentionsInBlocks(value: unknown, user: string, depth: number): boolean {
  if (depth > DEEPEST_BLOCK) return false;
  if (Array.isArray(value)) return value.some((item) => mentionsInBlocks(item, user, depth));
  const block = fieldsOf(value);
  if (block["type"] === "user") return block["user_id"] === user;
  return mentionsInBlocks(block["elements"] ?? [], user, depth + 1);
}

function nothing(why: Nothing): Parsed {
  return { kind: "nothing", why };
}
