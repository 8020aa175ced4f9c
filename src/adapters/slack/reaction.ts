/** Emoji that people give to messages in Slack, and take back. Pure. */

import type { SlackBot } from "./identity.ts";
import { fieldsOf, textOf, timeOf, type Payload } from "./payload.ts";

export interface SlackReaction {
  readonly kind: "given" | "taken";
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  /** Its name, without colons. */
  readonly emoji: string;
  /** When it was done, ms since 1970; absent where Slack does not say. */
  readonly at?: number;
  /** To a message of the bot's. */
  readonly isToBot: boolean;
}

const KINDS: ReadonlyMap<unknown, SlackReaction["kind"]> = new Map([
  ["reaction_added", "given"],
  ["reaction_removed", "taken"],
]);

/** @returns nothing for what is no reaction to a message, and for one of the bot itself. */
export function reactionIn(envelope: Payload, bot: SlackBot): SlackReaction | undefined {
  const event = fieldsOf(envelope["event"]);
  const kind = KINDS.get(event["type"]);
  if (kind === undefined || event["user"] === bot.user) return undefined;
  const item = fieldsOf(event["item"]);
  const [user, channel, ts] = [event["user"], item["channel"], item["ts"]].map(textOf);
  const emoji = textOf(event["reaction"]);
  if (item["type"] !== "message") return undefined;
  if (user === undefined || channel === undefined || ts === undefined || emoji === undefined)
    return undefined;
  const at = timeOf(textOf(event["event_ts"]));
  const isToBot = event["item_user"] === bot.user;
  return { kind, user, channel, ts, emoji, ...(at === undefined ? {} : { at }), isToBot };
}
