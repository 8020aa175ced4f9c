/** The web chat: the local place to try the bot, with the same intake and commands as everywhere. */

import type { Settings } from "../adapters/settings/settings.ts";
import { createWebChat, type WebChatDeps } from "../adapters/web/connection.ts";
import { createCommands, type CommandDeps } from "../core/command/commands.ts";
import { galleryOf } from "./gallery.ts";
import { hostsOf } from "./places.ts";

export function openWebChat(
  deps: CommandDeps & Omit<WebChatDeps, "commands">,
  settings: Settings,
): ReturnType<typeof createWebChat> {
  return createWebChat(
    { ...deps, commands: createCommands(deps), ...galleryOf(settings) },
    { allowedHosts: hostsOf(settings) },
  );
}
