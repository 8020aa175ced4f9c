/** What Discord says of a channel or thread now: whether it is for some people only. */

import {
  ChannelType,
  OverwriteType,
  PermissionFlagsBits as Bits,
  Routes,
  type APIChannel,
} from "discord-api-types/v10";
import type { ChannelsNow } from "../../core/ports/channel-privacy.ts";
import type { DiscordApi } from "./api.ts";
import { DIRECT } from "./identity.ts";

export function createDiscordChannelsNow({ api }: { readonly api: DiscordApi }): ChannelsNow {
  /** Undefined where Discord says that the bot cannot see it; rejects where it does not say. */
  async function ask(channel: string): Promise<APIChannel | undefined> {
    const answer = await api.call("GET", Routes.channel(channel));
    if (answer.kind === "ok") return answer.data as APIChannel;
    if (answer.kind === "refused") return undefined;
    throw new Error(`Discord does not say what ${channel} is: ${answer.kind}`);
  }

  return {
    async isPrivate({ space, channel }) {
      // A direct conversation is told by its space.
      if (space === DIRECT) return false;
      const found = await ask(channel);
      if (found === undefined || found.type === ChannelType.PrivateThread) return true;
      const isThread =
        found.type === ChannelType.PublicThread || found.type === ChannelType.AnnouncementThread;
      if (!isThread || found.parent_id == null) return hidesFromEveryone(found, space);
      // A thread is seen by those who see its channel.
      const parent = await ask(found.parent_id);
      return parent === undefined || hidesFromEveryone(parent, space);
    },
  };
}

/** The role of everybody has the server's own id. */
function hidesFromEveryone(channel: APIChannel, guild: string): boolean {
  const overwrites = "permission_overwrites" in channel ? (channel.permission_overwrites ?? []) : [];
  return overwrites.some(
    ({ id, type, deny }) =>
      id === guild && type === OverwriteType.Role && (BigInt(deny) & Bits.ViewChannel) === Bits.ViewChannel,
  );
}
