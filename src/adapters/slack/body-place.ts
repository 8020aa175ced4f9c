/**
 * Where that lies which a body of Slack's is about: each kind of event and interaction has channel and thread in another place. Which
 * install it is for is not told here. Pure.
 */

import { chosenIn } from "./choices.ts";
import { submittedIn } from "./goal-form.ts";
import { readSlackAddress } from "./message-link.ts";
import { fieldsOf, listOf, textOf, type Payload } from "./payload.ts";

export interface BodyPlace {
  readonly channel: string;
  /** Of the thread; where Slack tells none, the message itself, below which one may hang. */
  readonly root: string;
}

const ADDRESS = /https?:\/\/[^\s<>|]+/g;

/** Undefined for what is about no thread, as a message at the top of a channel that is new. */
export function placeIn(body: Payload): BodyPlace | undefined {
  const [channel, root] = (isEvent(body) ? ofEvent(body) : ofInteraction(body)).map(textOf);
  return channel === undefined || root === undefined ? undefined : { channel, root };
}

/** Who wrote the message that was clicked on, or given an emoji, where that may have been a bot. */
export function authorIn(body: Payload): string | undefined {
  if (isEvent(body)) return textOf(fieldsOf(body["event"])["item_user"]);
  const { bot_id: bot, user } = fieldsOf(body["message"]);
  return textOf(bot) === undefined ? undefined : textOf(user);
}

/** What stands in the message that an event is about, now and before. */
export function wordsIn(body: Payload): string {
  const event = fieldsOf(body["event"]);
  const versions = [event, fieldsOf(event["message"]), fieldsOf(event["previous_message"])];
  return versions.flatMap(({ text }) => textOf(text) ?? []).join("\n");
}

export function isEvent(body: Payload): boolean {
  return body["type"] === "event_callback";
}

type Place = readonly [channel: unknown, root: unknown];
const NOWHERE: Place = [undefined, undefined];

function ofEvent(body: Payload): Place {
  const event = fieldsOf(body["event"]);
  if ("item" in event) {
    const { channel, ts } = fieldsOf(event["item"]);
    return [channel, ts];
  }
  const { channel, message, previous_message: before } = event;
  if (message === undefined && before === undefined) return [channel, event["thread_ts"]];
  const { thread_ts: root, ts } = fieldsOf(message ?? before);
  return [channel, root ?? ts];
}

function ofInteraction(body: Payload): Place {
  if (textOf(body["command"]) !== undefined) return ofSlash(body);
  const form = submittedIn(body)?.place;
  if (form !== undefined) return [form.channel, form.root];
  const container = fieldsOf(body["container"]);
  const message = fieldsOf(body["message"]);
  const channel = container["channel_id"] ?? fieldsOf(body["channel"])["id"];
  const chosen = chosenIn(fieldsOf(listOf(body["actions"])[0]));
  const thread = chosen?.root ?? container["thread_ts"] ?? message["thread_ts"];
  return [channel, thread ?? container["message_ts"] ?? message["ts"]];
}

/** A message that is named by its address. Of another channel than the one where it is named nobody knows whether they may see it. */
function ofSlash(body: Payload): Place {
  for (const address of textOf(body["text"])?.match(ADDRESS) ?? []) {
    const place = readSlackAddress(address.replaceAll("&amp;", "&")).find(
      ([at]) => at === body["channel_id"],
    );
    if (place !== undefined) return [place[0], place[1]];
  }
  return NOWHERE;
}
