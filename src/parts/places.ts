/** Where threads are: each session is shown, and read back, on its own platform. */

import { createConversation } from "../adapters/postgres/conversation.ts";
import { createResets } from "../adapters/postgres/resets.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { createWebSurface, type WebSurfaceDeps } from "../adapters/web/surface.ts";
import { sinceReset } from "../core/context/since-reset.ts";
import { BobbinError } from "../core/errors.ts";
import type { Conversation, OpenConversation } from "../core/ports/conversation.ts";
import type { Surface } from "../core/ports/surface.ts";
import { threadOf, type SessionId } from "../core/thread.ts";
import type { Slack } from "./slack.ts";

export interface Places {
  /** @throws BobbinError where the session's platform is not configured in this process. */
  surfaceOf(session: SessionId): Surface;
  readonly conversation: Conversation;
  /** What was said in a thread where the bot was not there yet; undefined where every thread begins with the bot. */
  beginningOf(session: SessionId): OpenConversation | undefined;
}

/** Where nobody said, it is there until a platform is configured. */
export function isWebChatOn(
  settings: Pick<Settings, "webChat" | "slackBotToken" | "slackClientId" | "discordToken">,
): boolean {
  const { webChat, slackBotToken, slackClientId, discordToken } = settings;
  const hasPlatform = [slackBotToken, slackClientId, discordToken].some((token) => token !== undefined);
  return webChat ?? !hasPlatform;
}

export function openPlaces(
  deps: WebSurfaceDeps & { readonly sql: Sql },
  slack: Slack | undefined,
  botName: string,
): Places {
  const webConversation = createConversation(deps.sql);
  const slackConversation = slack && sinceReset(slack.conversation, createResets(deps.sql));
  const missing = (session: SessionId): BobbinError =>
    new BobbinError("platform_unavailable", `${threadOf(session).platform} is not configured here`);
  return {
    surfaceOf(session) {
      switch (threadOf(session).platform) {
        case "web":
          return createWebSurface(deps, session, { botName });
        case "slack":
          if (slack === undefined) throw missing(session);
          return slack.surfaceOf(session);
        case "discord":
          throw missing(session);
      }
    },
    conversation: {
      async read(session, options, signal) {
        const { platform } = threadOf(session);
        const conversation = platform === "slack" ? slackConversation : webConversation;
        if (conversation === undefined) throw missing(session);
        return conversation.read(session, options, signal);
      },
    },
    beginningOf: (session) => (threadOf(session).platform === "slack" ? slack?.conversation : undefined),
  };
}
