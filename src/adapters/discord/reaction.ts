/** Reactions to what the bot wrote on Discord. */

import type { GatewayMessageReactionAddDispatchData } from "discord-api-types/v10";
import type { Log } from "../../core/ports/log.ts";
import type { GoalWakes } from "../../core/run/wake-goal.ts";
import { authorOf } from "./author.ts";
import { DIRECT, type DiscordBot } from "./identity.ts";

/** Never rejects: Discord sends nothing again. */
export type TakeReaction = (reaction: GatewayMessageReactionAddDispatchData) => Promise<void>;

export function createTakeReaction(
  deps: { readonly reacted: GoalWakes["reacted"]; readonly log: Log },
  bot: Pick<DiscordBot, "user">,
): TakeReaction {
  return async (reaction) => {
    const { user_id: id, message_id: message, channel_id: channel, guild_id: guild, member } = reaction;
    if (reaction.message_author_id !== bot.user || id === bot.user || member?.user.bot === true) return;
    // In a conversation with the bot alone Discord does not say who it is.
    const author =
      member === undefined
        ? ({ id, name: id, kind: "member", roles: [], isPlatformAdmin: false } as const)
        : authorOf(member.user, { nick: member.nick ?? null, roles: member.roles }, guild);
    const near = { platform: "discord", space: guild ?? DIRECT, channel } as const;
    const emoji = reaction.emoji.name ?? reaction.emoji.id ?? "an emoji";
    try {
      await deps.reacted({ near, message, author: () => Promise.resolve(author), emoji });
    } catch (error) {
      deps.log.warn("a reaction could not wake a goal; it goes on when its wait is over", { channel, error });
    }
  };
}
