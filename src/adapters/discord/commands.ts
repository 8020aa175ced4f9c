/** Slash commands as Discord knows them: the same list as everywhere, registered only when it is another one than is registered. */

import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Routes,
  type APIApplicationCommand,
} from "discord-api-types/v10";
import { COMMANDS } from "../../core/command/parse.ts";
import { pause, growingMs } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { DiscordApi } from "./api.ts";

interface Wanted {
  readonly name: string;
  readonly type: ApplicationCommandType;
  readonly description: string;
  readonly contexts: readonly InteractionContextType[];
  readonly integration_types: readonly ApplicationIntegrationType[];
}

/** In guilds and in direct messages with the bot; the bot sees no messages where only a person has installed it. */
export const WANTED: readonly Wanted[] = Object.entries(COMMANDS).map(([name, { summary }]) => ({
  name,
  type: ApplicationCommandType.ChatInput,
  description: summary,
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
  integration_types: [ApplicationIntegrationType.GuildInstall],
}));

/** Never rejects: without commands everything else works. Discord takes 200 new ones a day. */
export async function registerCommands(
  deps: { readonly api: DiscordApi; readonly clock: Clock; readonly log: Log },
  app: string,
  signal: AbortSignal,
): Promise<void> {
  const { api, clock, log } = deps;
  for (let failures = 0; failures < 5; failures++) {
    const known = await api.call("GET", Routes.applicationCommands(app));
    if (known.kind === "ok") {
      if (formOf(known.data as readonly APIApplicationCommand[]) === formOf(WANTED)) return;
      const put = await api.call("PUT", Routes.applicationCommands(app), { body: WANTED });
      if (put.kind === "ok") {
        log.info("the commands are registered with Discord", { commands: WANTED.length });
        return;
      }
      if (put.kind === "refused") {
        log.warn("Discord did not take the commands", { ...put });
        return;
      }
    }
    if (!(await pause(clock, known.kind === "rate_limited" ? known.afterMs : growingMs(failures), signal)))
      return;
  }
  log.warn("the commands could not be registered with Discord; they are at the next start");
}

/** The same text for the same list, whatever else Discord keeps with it. */
function formOf(commands: readonly (Wanted | APIApplicationCommand)[]): string {
  const forms = commands.map(({ name, type, description, contexts, integration_types: types }) =>
    JSON.stringify([name, type, description, sorted(contexts), sorted(types)]),
  );
  return forms.sort().join("\n");
}

function sorted(numbers: readonly number[] | null | undefined): readonly number[] {
  return [...(numbers ?? [])].sort((a, b) => a - b);
}
