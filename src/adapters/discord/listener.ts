/** What the gateway tells, to whom it concerns: messages to the reader, commands to their answer, channels to what is known of them. */

import { GatewayDispatchEvents as Events, type GatewayDispatchPayload } from "discord-api-types/v10";
import { knownOf, type Channels } from "./channels.ts";
import type { KeepReaction } from "./keep-reaction.ts";
import type { MissedChanges } from "./missed-changes.ts";
import type { Reader } from "./reader.ts";
import type { Receive } from "./receive.ts";
import { isOnShard } from "./snowflake.ts";
import type { TakeReaction } from "./reaction.ts";
import type { TakeInteraction } from "./take-interaction.ts";

export interface ListenerDeps {
  readonly channels: Channels;
  readonly reader: Reader;
  readonly receive: Receive;
  readonly changes: MissedChanges;
  readonly takeInteraction: TakeInteraction;
  readonly takeReaction: TakeReaction;
  readonly keepReaction: KeepReaction;
}

export interface Listener {
  heard(packet: GatewayDispatchPayload): void;
  /** Resolves when the answers to commands that are under way are given, and what people reacted with is stored. */
  settled(): Promise<void>;
}

export function createListener(deps: ListenerDeps): Listener {
  const { channels, reader, receive, changes, takeInteraction, takeReaction, keepReaction } = deps;
  const answering = new Set<Promise<void>>();

  function waitFor(work: Promise<void>): void {
    const answer: Promise<void> = work.finally(() => answering.delete(answer));
    answering.add(answer);
  }

  function leave(guild: string): void {
    channels.forgetGuild(guild);
    reader.left(guild);
  }

  function heard(packet: GatewayDispatchPayload): void {
    switch (packet.t) {
      case Events.Ready: {
        const direct = reader.enter();
        changes.look(direct.map(({ channel, seen }) => ({ guild: undefined, channel, newest: seen })));
        const { guilds, shard = [0, 1] } = packet.d;
        const present = new Set(guilds.map(({ id }) => id));
        // Left while nobody listened.
        for (const guild of reader.guilds()) if (isOnShard(guild, shard) && !present.has(guild)) leave(guild);
        return;
      }
      case Events.GuildCreate:
        if (!("unavailable" in packet.d && packet.d.unavailable === true)) {
          const guild = packet.d.id;
          const told = channels.keepGuild(packet.d);
          reader.guild(guild, told, Date.parse(packet.d.joined_at));
          changes.look(
            told.flatMap(({ id, kind, newest }) =>
              kind === "thread" ? [{ guild, channel: id, newest: newest ?? id }] : [],
            ),
          );
        }
        return;
      case Events.GuildDelete:
        if (packet.d.unavailable === true) reader.away(packet.d.id);
        else leave(packet.d.id);
        return;
      case Events.GuildRoleCreate:
      case Events.GuildRoleUpdate:
        channels.keepRoles(packet.d.guild_id, [packet.d.role]);
        return;
      case Events.ChannelCreate:
      case Events.ThreadCreate: {
        const channel = knownOf(packet.d, packet.d.guild_id);
        channels.keep(channel);
        // A thread is also told of when the bot is added to it.
        if (packet.t === Events.ChannelCreate || packet.d.newly_created === true) reader.made(channel);
        return;
      }
      case Events.ChannelUpdate:
        channels.keep(knownOf(packet.d, packet.d.guild_id));
        return;
      case Events.ThreadUpdate:
        // Who asks for it again is told by Discord.
        if (packet.d.thread_metadata?.archived === true) channels.forget(packet.d.id);
        else channels.keep(knownOf(packet.d, packet.d.guild_id));
        return;
      case Events.ThreadListSync:
        for (const thread of packet.d.threads) channels.keep(knownOf(thread, packet.d.guild_id));
        return;
      case Events.ChannelDelete:
      case Events.ThreadDelete:
        channels.forget(packet.d.id);
        return;
      case Events.MessageCreate:
        reader.message(packet.d, packet.d.guild_id);
        return;
      case Events.MessageUpdate:
        reader.change(packet.d.channel_id, () => receive.update(packet.d, packet.d.guild_id));
        return;
      case Events.MessageDelete:
        reader.change(packet.d.channel_id, () => receive.remove(packet.d));
        return;
      case Events.MessageDeleteBulk: {
        const { ids, ...place } = packet.d;
        for (const id of ids) reader.change(place.channel_id, () => receive.remove({ ...place, id }));
        return;
      }
      case Events.InteractionCreate:
        waitFor(takeInteraction(packet.d));
        return;
      case Events.MessageReactionAdd:
        waitFor(takeReaction(packet.d));
        waitFor(keepReaction(packet));
        return;
      case Events.MessageReactionRemove:
      case Events.MessageReactionRemoveAll:
      case Events.MessageReactionRemoveEmoji:
        waitFor(keepReaction(packet));
        return;
      default:
    }
  }

  return { heard, settled: async () => void (await Promise.allSettled(answering)) };
}
