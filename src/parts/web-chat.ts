/** The web chat: the local place to try the bot, with the same intake and commands as everywhere, and who is let in to it. */

import type { Settings } from "../adapters/settings/settings.ts";
import { isLoopback } from "../adapters/http/guard.ts";
import { createWebChat, type WebChatDeps, type WebChatOptions } from "../adapters/web/connection.ts";
import { createCommands, type CommandDeps } from "../core/command/commands.ts";
import { galleryOf } from "./gallery.ts";

export function openWebChat(
  deps: CommandDeps & Omit<WebChatDeps, "commands">,
  settings: Settings,
): ReturnType<typeof createWebChat> {
  return createWebChat(
    { ...deps, commands: createCommands(deps), ...galleryOf(settings) },
    lettingIn(settings),
  );
}

/**
 * It has no sign-in, and `PUBLIC_URL` is set for those of the platforms as well: at that host it is served only where somebody asked for
 * that. A proxy which stands there may pass everything on, under a name of the loopback's: whoever comes through one is not from here.
 */
export function lettingIn({ webChat, publicUrl }: Pick<Settings, "webChat" | "publicUrl">): WebChatOptions {
  if (publicUrl === undefined) return {};
  const { hostname } = new URL(publicUrl);
  if (webChat === "public") return { allowedHosts: [hostname] };
  return isLoopback(hostname) ? {} : { refuses: "forwarded" };
}

/** One sentence for whoever runs the bot; undefined where the web chat is for this machine alone. */
export function publicChatOf({
  webChat,
  publicUrl,
}: Pick<Settings, "webChat" | "publicUrl">): string | undefined {
  return webChat === "public" && publicUrl !== undefined
    ? `The web chat is public, and has no sign-in: whoever gets to ${publicUrl}/ reads and writes all of it, so keep one in front.`
    : undefined;
}
