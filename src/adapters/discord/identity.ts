/** Who the bot is on Discord, and what the ids of things are made of. */

import { inboundIdOf, type Inbound } from "../../core/inbound.ts";
import type { InboundId } from "../../core/ids.ts";
import { sessionIdOf, type SessionId, type Thread } from "../../core/thread.ts";

export interface DiscordBot {
  /** The application's id; for an old one it differs from the user's. */
  readonly app: string;
  /** The bot's user id, as it is mentioned. */
  readonly user: string;
  /** As people see it. */
  readonly name: string;
}

/** The space of direct messages, which belong to no guild. */
export const DIRECT = "dm";

/** @param channel the thread's id, or the direct channel's. */
export function sessionIn(guild: string | undefined, channel: string): SessionId {
  return sessionIdOf({ platform: "discord", space: guild ?? DIRECT, channel });
}

/** Whether it is what a message says, and not what somebody asked about one. */
export function isOfMessage(id: InboundId, message: string): boolean {
  return id.endsWith(`/message/${message}`);
}

/** @param channel where it stands, which is not the thread for a message that begins one. */
export function discordInboundId(
  app: string,
  place: { readonly guild: string | undefined; readonly channel: string },
  kind: Inbound["kind"],
  id: string,
): InboundId {
  return inboundIdOf(
    { platform: "discord", space: place.guild ?? DIRECT, channel: place.channel },
    app,
    kind,
    id,
  );
}

/** Of any platform's addresses those of Discord's. */
export function isDirectAddress({ platform, space }: Thread): boolean {
  return platform === "discord" && space === DIRECT;
}
