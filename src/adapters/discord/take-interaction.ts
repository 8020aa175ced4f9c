/**
 * Clicks and commands are taken with the first breath, since Discord waits three seconds. What was asked for is stored before that, so that
 * whoever dies after it leaves it to another; a store that takes long does not hold it up.
 */

import {
  InteractionResponseType,
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
  type APIInteraction,
} from "discord-api-types/v10";
import type { Commands } from "../../core/command/commands.ts";
import { withTimeLimit } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { threadOf } from "../../core/thread.ts";
import type { Log } from "../../core/ports/log.ts";
import type { AnswerInteraction } from "./answer-interaction.ts";
import type { DiscordApi } from "./api.ts";
import { isFormFor } from "../../core/goal/form.ts";
import { FIELD_UNITS, goalForm } from "./goal-form.ts";
import { discordInboundId, type DiscordBot } from "./identity.ts";
import { askedBy, typingIn, type Asked, type KnownChannels } from "./interaction.ts";
import type { OwedAnswers } from "./owed-answers.ts";
import type { Suggest } from "./suggest.ts";

/** So long what is stored may hold up the first answer, ms: a part of the time that Discord waits. */
const STORE_MS = 1_000;

/** Never rejects. */
export type TakeInteraction = (interaction: APIInteraction) => Promise<void>;

export function createTakeInteraction(
  deps: {
    readonly api: DiscordApi;
    readonly owed: OwedAnswers;
    readonly channels: KnownChannels;
    readonly answerInteraction: AnswerInteraction;
    readonly suggest: Suggest;
    readonly commands: Pick<Commands, "refusal" | "goalForm">;
    readonly clock: Clock;
    readonly log: Log;
  },
  bot: DiscordBot,
): TakeInteraction {
  const { api, owed, channels, answerInteraction, suggest, commands, clock, log } = deps;

  /** A form has to be the first answer, so nothing is owed before. False where it is answered in words instead. */
  async function showForm(
    { id, token }: APIInteraction,
    { request, begun }: Extract<Asked, { readonly kind: "goal_form" }>,
  ): Promise<boolean> {
    const { session, author, where } = request;
    if (commands.refusal("goal", author, threadOf(session), where) !== undefined) return false;
    const known = await commands.goalForm(session, begun);
    if (!isFormFor(known, begun) || known.text.length > FIELD_UNITS) return false;
    const body = { type: InteractionResponseType.Modal, data: goalForm(known) };
    const shown = await api.answer("POST", Routes.interactionCallback(id, token), body, token);
    if (shown.kind !== "ok") log.warn("a form could not be shown", { ...shown });
    return true;
  }

  return async (interaction) => {
    try {
      const typing = typingIn(interaction, bot);
      if (typing !== undefined) return await suggest(interaction, typing);
      const asked = askedBy(interaction, bot, channels);
      if (asked === undefined) return;
      if (asked.kind === "goal_form" && (await showForm(interaction, asked))) return;
      const { id, token, guild_id: guild, channel } = interaction;
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
      await withTimeLimit(clock, STORE_MS, "to store what was asked for", owing).catch(() => undefined);
      const deferred = await api.answer(
        "POST",
        Routes.interactionCallback(id, token),
        {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: { flags: MessageFlags.Ephemeral },
        },
        token,
      );
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
