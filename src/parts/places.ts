/** Where threads are: each session is shown, and read back, on its own platform. */

import { createConversation } from "../adapters/postgres/conversation.ts";
import { createErasedWords } from "../adapters/postgres/erased-words.ts";
import { createResets } from "../adapters/postgres/resets.ts";
import type { Sql } from "../adapters/postgres/sql.ts";
import type { Settings } from "../adapters/settings/settings.ts";
import { createWebOpenings } from "../adapters/web/openings.ts";
import { createWebSurface, type WebSurfaceDeps } from "../adapters/web/surface.ts";
import { sinceReset } from "../core/context/since-reset.ts";
import { withoutErased } from "../core/context/without-erased.ts";
import { BobbinError } from "../core/errors.ts";
import type { Conversation, OpenConversation } from "../core/ports/conversation.ts";
import type { Openings } from "../core/ports/openings.ts";
import type { StandingOf } from "../core/ports/standings.ts";
import type { Surface, Voice } from "../core/ports/surface.ts";
import type { Reach } from "../core/run/where-installed.ts";
import { threadOf, type Platform, type SessionId } from "../core/thread.ts";
import type { Discord } from "./discord.ts";
import type { Slack } from "./slack.ts";

export interface Places {
  /** @throws BobbinError where the session's platform is not configured in this process. */
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  /** The same, of new threads. */
  readonly openings: Openings;
  readonly conversation: Conversation;
  /** Whether somebody can be answered there now. Rejects when that cannot be known. */
  reachOf(session: SessionId): Promise<Reach>;
  /** Whether a goal may go on there, as its platform sees it. */
  readonly standingOf: StandingOf;
  /** What was said in a thread where the bot was not there yet; undefined where every thread begins with the bot. */
  beginningOf(session: SessionId): OpenConversation | undefined;
}

/** Where nobody said, it is there until a platform is configured. */
export function isWebChatOn(
  settings: Pick<Settings, "webChat" | "slackBotToken" | "slackClientId" | "discordToken">,
): boolean {
  const { webChat, slackBotToken, slackClientId, discordToken } = settings;
  const hasPlatform = [slackBotToken, slackClientId, discordToken].some((token) => token !== undefined);
  return webChat === undefined ? !hasPlatform : webChat !== "off";
}

/** What a platform gives to those who answer. */
interface Place {
  surfaceOf(session: SessionId, voice?: Voice): Surface;
  readonly openings: Openings;
  readonly conversation: Conversation;
  readonly beginning?: OpenConversation;
  /** Absent where nobody can leave, and nothing is closed. */
  readonly standingOf?: StandingOf;
  /** Absent where it is one place for all. */
  reachOf?(session: SessionId): Promise<Reach>;
}

export function openPlaces(
  deps: WebSurfaceDeps & { readonly sql: Sql },
  platforms: { readonly slack: Slack | undefined; readonly discord: Discord | undefined },
  options: { readonly botName: string; readonly replyPages: number },
): Places {
  const { botName } = options;
  const resets = createResets(deps.sql);
  const erased = createErasedWords(deps.sql);
  const chat = (platform: Slack | Discord | undefined): Place | undefined => {
    if (platform === undefined) return undefined;
    const conversation = withoutErased(platform.conversation, erased);
    return {
      surfaceOf: platform.surfaceOf,
      openings: platform.openings,
      conversation: sinceReset(conversation, resets),
      beginning: conversation,
      standingOf: platform.standingOf,
      reachOf: platform.reachOf,
    };
  };
  const places: Readonly<Record<Platform, Place | undefined>> = {
    web: {
      surfaceOf: (session) => createWebSurface(deps, session, options),
      openings: createWebOpenings(deps, { botName }),
      conversation: createConversation(deps.sql),
    },
    slack: chat(platforms.slack),
    discord: chat(platforms.discord),
  };
  const placeOf = (session: SessionId): Place => {
    const { platform } = threadOf(session);
    const place = places[platform];
    if (place !== undefined) return place;
    throw new BobbinError("platform_unavailable", `${platform} is not configured here`);
  };
  return {
    surfaceOf: (session, voice) => placeOf(session).surfaceOf(session, voice),
    openings: {
      refusal: (beside) => placeOf(beside).openings.refusal(beside),
      open: async (beside, opening, mayBegin) => placeOf(beside).openings.open(beside, opening, mayBegin),
      leave: (beside, key) => placeOf(beside).openings.leave?.(beside, key),
      addressOf: async (session) => placeOf(session).openings.addressOf(session),
    },
    conversation: {
      read: async (session, options, signal) => placeOf(session).conversation.read(session, options, signal),
    },
    reachOf: async (session) => (await places[threadOf(session).platform]?.reachOf?.(session)) ?? "here",
    async standingOf(session, goal) {
      const { owner } = goal;
      const known = await places[threadOf(session).platform]?.standingOf?.(session, goal);
      // Whoever reaches the web chat is an admin of it.
      return known ?? { kind: "fine", owner: { ...owner, kind: "member", roles: [], isPlatformAdmin: true } };
    },
    beginningOf: (session) => places[threadOf(session).platform]?.beginning,
  };
}
