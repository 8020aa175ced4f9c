/** Keeps what people give to messages of a thread on Discord, and what is taken back of it. */

import {
  GatewayDispatchEvents as Events,
  type APIEmoji,
  type GatewayDispatchPayload,
} from "discord-api-types/v10";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { ReactionBook } from "../../core/ports/reactions.ts";
import { DIRECT, discordInboundId, type DiscordBot } from "./identity.ts";
import { nameOf } from "./message-parts.ts";

export type ReactionPacket = Extract<
  GatewayDispatchPayload,
  {
    readonly t:
      | Events.MessageReactionAdd
      | Events.MessageReactionRemove
      | Events.MessageReactionRemoveAll
      | Events.MessageReactionRemoveEmoji;
  }
>;

/** Never rejects: Discord sends nothing again. */
export type KeepReaction = (packet: ReactionPacket) => Promise<void>;

export function createKeepReaction(
  deps: { readonly reactions: ReactionBook; readonly clock: Clock; readonly log: Log },
  bot: Pick<DiscordBot, "app" | "user">,
): KeepReaction {
  const { reactions, clock, log } = deps;
  /** What is done to a message is stored in the order in which it was told: all at once may be taken back. */
  const lines = new Map<string, Promise<void>>();
  let last = 0;

  /** Discord says of none when it was. */
  function arrival(): number {
    last = Math.max(clock.now(), last + 1);
    return last;
  }

  async function keep(packet: ReactionPacket, at: number): Promise<void> {
    const { channel_id: channel, message_id: id, guild_id: guild } = packet.d;
    const message = {
      near: { platform: "discord", space: guild ?? DIRECT, channel },
      message: id,
      inbound: discordInboundId(bot.app, { guild, channel }, "message", id),
    } as const;
    switch (packet.t) {
      case Events.MessageReactionAdd: {
        const { user_id: user, member, emoji } = packet.d;
        // In a conversation with the bot alone Discord does not say who it is.
        const named = member === undefined ? {} : { name: nameOf(member.user, member.nick) };
        const person = { id: user, ...named };
        return reactions.put({ ...message, kind: "given", person, ...shownOf(emoji), at });
      }
      case Events.MessageReactionRemove: {
        const { user_id: user, emoji } = packet.d;
        return reactions.put({ ...message, kind: "taken", person: { id: user }, ...shownOf(emoji), at });
      }
      case Events.MessageReactionRemoveAll:
        return reactions.clear(message, at);
      case Events.MessageReactionRemoveEmoji:
        return reactions.clear(message, at, shownOf(packet.d.emoji).emoji);
      default:
        return packet satisfies never;
    }
  }

  return (packet) => {
    if (isOfBot(packet, bot)) return Promise.resolve();
    const { message_id: id } = packet.d;
    const at = arrival();
    const line: Promise<void> = (lines.get(id) ?? Promise.resolve())
      .then(() => keep(packet, at))
      .catch((error: unknown) =>
        log.warn("a reaction could not be stored; the admin pages lack it", {
          channel: packet.d.channel_id,
          error,
        }),
      )
      .finally(() => {
        if (lines.get(id) === line) lines.delete(id);
      });
    lines.set(id, line);
    return line;
  };
}

/** Of ours, and of another one where Discord says so. */
function isOfBot(packet: ReactionPacket, { user }: Pick<DiscordBot, "user">): boolean {
  if (!("user_id" in packet.d)) return false;
  const isOther = "member" in packet.d && packet.d.member?.user.bot === true;
  return packet.d.user_id === user || isOther;
}

/** One of a server's own has an id, and a name that may change or be unknown. */
function shownOf({ id, name }: APIEmoji): { readonly emoji: string; readonly shown: string } {
  if (id === null) return { emoji: name ?? "", shown: name ?? "" };
  return { emoji: id, shown: `:${name ?? id}:` };
}
