/** Reactions to what the bot wrote in Slack. Pure. */

import type { SlackBot } from "./identity.ts";
import { fieldsOf, textOf, type Payload } from "./payload.ts";

export interface SlackReaction {
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  readonly emoji: string;
}

/** @returns nothing for what is no reaction of a person's to a message of this bot's. */
export function reactionIn(envelope: Payload, bot: SlackBot): SlackReaction | undefined {
  const { type, user, reaction, item, item_user: author } = fieldsOf(envelope["event"]);
  if (type !== "reaction_added" || author !== bot.user || user === bot.user) return undefined;
  const { type: what, channel, ts } = fieldsOf(item);
  const found = { user: textOf(user), channel: textOf(channel), ts: textOf(ts), emoji: textOf(reaction) };
  if (what !== "message" || Object.values(found).includes(undefined)) return undefined;
  return found as SlackReaction;
}
