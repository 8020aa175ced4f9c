/** What can be given to a command, while somebody types it. Asked anew with each letter, answered at once or not at all. */

import { InteractionResponseType, Routes, type APIInteraction } from "discord-api-types/v10";
import type { Commands } from "../../core/command/commands.ts";
import type { Log } from "../../core/ports/log.ts";
import { headOf } from "../../core/text.ts";
import { threadOf } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import type { Typing } from "./interaction.ts";

export type Suggest = (interaction: Pick<APIInteraction, "id" | "token">, typing: Typing) => Promise<void>;

/** Discord shows no more, and takes none that is longer. */
const MOST = 25;
const LONGEST = 100;

export function createSuggest(deps: {
  readonly api: DiscordApi;
  readonly commands: Pick<Commands, "choices" | "refusal">;
  readonly log: Log;
}): Suggest {
  const { api, commands, log } = deps;

  async function choicesFor({ name, typed, request }: Typing): Promise<readonly object[]> {
    const { session, author, where } = request;
    if (commands.refusal(name, author, threadOf(session), where) !== undefined) return [];
    const words = typed.trim().toLowerCase();
    return (await commands.choices(name, session))
      .filter(({ value }) => value.length <= LONGEST && value.toLowerCase().includes(words))
      .slice(0, MOST)
      .map(({ value, label, isCurrent }) => ({
        name: headOf(isCurrent ? `${label}: in use` : label, LONGEST),
        value,
      }));
  }

  return async ({ id, token }, typing) => {
    const choices = await choicesFor(typing).catch((error: unknown) => {
      log.warn("what can be given to a command is not known now", { command: typing.name, error });
      return [];
    });
    const body = { type: InteractionResponseType.ApplicationCommandAutocompleteResult, data: { choices } };
    const told = await api.answer("POST", Routes.interactionCallback(id, token), body, token);
    if (told.kind !== "ok") log.debug("suggestions could not be shown", { ...told });
  };
}
