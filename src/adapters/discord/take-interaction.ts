/**
 * Clicks and commands are taken with the first breath, since Discord waits three seconds. What was asked for is stored
 * at the same time, so that whoever dies after that leaves it to another.
 */

import {
  InteractionResponseType,
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
  type APIInteraction,
} from "discord-api-types/v10";
import type { Log } from "../../core/ports/log.ts";
import type { AnswerInteraction } from "./answer-interaction.ts";
import type { DiscordApi } from "./api.ts";
import { discordInboundId, type DiscordBot } from "./identity.ts";
import { askedBy, typingIn, type KnownChannels } from "./interaction.ts";
import type { OwedAnswers } from "./owed-answers.ts";
import type { Suggest } from "./suggest.ts";

/** Never rejects. */
export type TakeInteraction = (interaction: APIInteraction) => Promise<void>;

export function createTakeInteraction(
  deps: {
    readonly api: DiscordApi;
    readonly owed: OwedAnswers;
    readonly channels: KnownChannels;
    readonly answerInteraction: AnswerInteraction;
    readonly suggest: Suggest;
    readonly log: Log;
  },
  bot: DiscordBot,
): TakeInteraction {
  const { api, owed, channels, answerInteraction, suggest, log } = deps;

  return async (interaction) => {
    try {
      const typing = typingIn(interaction, bot);
      if (typing !== undefined) return await suggest(interaction, typing);
      const asked = askedBy(interaction, bot, channels);
      if (asked === undefined) return;
      const { id, token, guild_id: guild, channel } = interaction;
      const deferring = api.answer(
        "POST",
        Routes.interactionCallback(id, token),
        {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: { flags: MessageFlags.Ephemeral },
        },
        token,
      );
      const command = discordInboundId(bot.app, { guild, channel: channel?.id ?? "" }, "command", id);
      const place = { kind: "interaction", id, token, asked } as const;
      const answer = owed.answerTo(command, place, "");
      const owing = owed.owe(answer).then(
        () => true,
        (error: unknown) => {
          log.warn("it could not be stored that somebody waits for an answer", { error });
          return false;
        },
      );
      const deferred = await deferring;
      const isOwed = await owing;
      // Another process had it first, and answers.
      if (
        deferred.kind === "refused" &&
        deferred.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged
      )
        return;
      if (deferred.kind !== "ok") log.warn("an interaction could not be taken in time", { ...deferred });
      if (isOwed) await owed.tell(answer);
      else await answerInteraction(place, false);
    } catch (error) {
      log.error("an interaction went wrong", { error });
    }
  };
}
