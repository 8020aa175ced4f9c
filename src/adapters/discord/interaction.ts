/** Clicks and slash commands: taken with the first breath, since Discord waits three seconds, and answered when it is done. */

import {
  ApplicationCommandType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  RESTJSONErrorCodes,
  Routes,
  type APIInteraction,
} from "discord-api-types/v10";
import type { Command } from "../../core/command/command.ts";
import type { Commands } from "../../core/command/commands.ts";
import { parseCommand } from "../../core/command/parse.ts";
import type { Where } from "../../core/inbound.ts";
import type { RunId } from "../../core/ids.ts";
import type { Log } from "../../core/ports/log.ts";
import { sessionIn, discordInboundId, type DiscordBot } from "./identity.ts";
import type { DiscordApi } from "./api.ts";
import { kindOf } from "./channels.ts";
import { formatPage, readCustomId } from "./format.ts";
import { authorOf } from "./author.ts";
import { timeOf } from "./snowflake.ts";

export interface InteractionDeps {
  readonly api: DiscordApi;
  readonly commands: Commands;
  readonly log: Log;
}

/** Never rejects. */
export type TakeInteraction = (interaction: APIInteraction) => Promise<void>;

export interface Asked {
  readonly command: Command;
  /** The one whose button it was. */
  readonly run?: RunId;
}

/** What the interaction asks for; undefined for one that is not ours. Pure. */
export function askedBy(interaction: APIInteraction): Asked | undefined {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      if (interaction.data.type !== ApplicationCommandType.ChatInput) return undefined;
      const command = parseCommand(interaction.data.name, { slash: "optional" });
      return command && { command };
    }
    case InteractionType.MessageComponent: {
      const clicked = readCustomId(interaction.data.custom_id);
      return clicked && { command: { name: clicked.action }, run: clicked.value as RunId };
    }
    default:
      return undefined;
  }
}

function whereOf({ guild_id: guild, channel }: APIInteraction): Where {
  if (guild === undefined) return { isDirect: true };
  const parent =
    channel !== undefined && kindOf(channel.type) === "thread" && "parent_id" in channel
      ? channel.parent_id
      : undefined;
  return typeof parent === "string" ? { parent } : {};
}

export function createTakeInteraction(deps: InteractionDeps, bot: DiscordBot): TakeInteraction {
  const { api, commands, log } = deps;

  async function answerOf(interaction: APIInteraction, { command, run }: Asked): Promise<string> {
    const person = interaction.member?.user ?? interaction.user;
    const channel = interaction.channel?.id;
    if (person === undefined || channel === undefined) return "That cannot be done here.";
    const guild = interaction.guild_id;
    const session = sessionIn(guild, channel);
    const author = authorOf(person, interaction.member, guild);
    const where = whereOf(interaction);
    try {
      const { text } = await commands.run(command, {
        session,
        author,
        where,
        id: discordInboundId(bot.app, { guild, channel }, "command", interaction.id),
        at: timeOf(interaction.id),
        ...(run === undefined ? {} : { run }),
      });
      return text;
    } catch (error) {
      log.error("a command could not be done", { command: command.name, error });
      return "That could not be done now. Please try again.";
    }
  }

  return async (interaction) => {
    const asked = askedBy(interaction);
    if (asked === undefined) return;
    try {
      const deferred = await api.answer(
        "POST",
        Routes.interactionCallback(interaction.id, interaction.token),
        {
          type: InteractionResponseType.DeferredChannelMessageWithSource,
          data: { flags: MessageFlags.Ephemeral },
        },
      );
      // Another process had it first, and answers.
      if (
        deferred.kind === "refused" &&
        deferred.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged
      )
        return;
      if (deferred.kind !== "ok") log.warn("an interaction could not be taken in time", { ...deferred });
      const text = await answerOf(interaction, asked);
      const page = formatPage({ markdown: text, buttons: [] });
      const content = page.kind === "message" ? page.content : "Done.";
      const told = await api.answer("PATCH", Routes.webhookMessage(bot.app, interaction.token, "@original"), {
        content,
        allowed_mentions: { parse: [] },
      });
      if (told.kind !== "ok") log.warn("the answer to a command could not be shown", { ...told });
    } catch (error) {
      log.error("an interaction went wrong", { error });
    }
  };
}
