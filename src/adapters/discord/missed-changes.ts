/**
 * What was changed or taken back while nobody listened. Discord tells of neither later, but a history shows how things stand: each
 * message that is stored is compared with it, and what differs goes the way of the event that was missed, under the identity that it
 * would have had. So looking twice, or at what was heard after all, changes nothing.
 */

import { Routes, type APIMessage } from "discord-api-types/v10";
import { pause } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Transcripts } from "../../core/ports/transcripts.ts";
import type { Part } from "../../core/part.ts";
import type { SessionId } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import { isOfMessage, sessionIn } from "./identity.ts";
import { starterOr } from "./parse.ts";
import type { Reader } from "./reader.ts";
import type { Receive } from "./receive.ts";
import { isAfter, snowflakeAt } from "./snowflake.ts";

export interface MissedChangesDeps {
  readonly api: DiscordApi;
  readonly reader: Pick<Reader, "inTurn">;
  readonly receive: Pick<Receive, "update" | "remove">;
  readonly transcripts: Pick<Transcripts, "status" | "inbounds">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A thread of a server, or a direct conversation. */
export interface Place {
  readonly guild: string | undefined;
  readonly channel: string;
  readonly newest: string;
}

export interface MissedChanges {
  /** After the gateway was entered anew. The newest places are looked at, one after the other; a later look takes the place of one that goes on. Never throws. */
  look(places: readonly Place[]): void;
}

/** All that Discord gives at once. */
const PAGE = "100";
/** Each costs one request; what lies longer ago is hardly worked on. */
const MOST_PLACES = 50;
const LONGEST_AGO_MS = 86_400_000;
/** Of one place, where Discord takes no question for a while. */
const MOST_TRIES = 5;

export function createMissedChanges(deps: MissedChangesDeps): MissedChanges {
  const { api, reader, receive, transcripts, clock, log } = deps;
  const never = new AbortController().signal;
  let last: Promise<void> = Promise.resolve();
  let looks = 0;

  /** The messages as they are stored, each with the newest that is known of it. */
  async function storedOf(session: SessionId): Promise<ReadonlyMap<string, readonly Part[]>> {
    const stored = new Map<string, readonly Part[]>();
    for (const { inbound, fate } of await transcripts.inbounds(session)) {
      if (fate === "refused") continue;
      if (inbound.kind === "delete") stored.delete(inbound.message);
      else if (inbound.kind === "edit" && stored.has(inbound.message))
        stored.set(inbound.message, inbound.parts);
      else if (inbound.kind === "message" && fate !== "cancelled" && isOfMessage(inbound.id, inbound.message))
        stored.set(inbound.message, inbound.parts);
    }
    return stored;
  }

  /** @returns how long to wait where Discord takes no question just now, ms. */
  async function compare({ guild, channel }: Place): Promise<number | undefined> {
    const session = sessionIn(guild, channel);
    if ((await transcripts.status(session)) === undefined) return undefined;
    const answer = await api.call("GET", Routes.channelMessages(channel), { query: { limit: PAGE } });
    if (answer.kind === "rate_limited") return answer.afterMs;
    if (answer.kind !== "ok") {
      log.info("it could not be seen what was changed on Discord meanwhile", { session, kind: answer.kind });
      return undefined;
    }
    const messages = answer.data as readonly APIMessage[];
    const [newest, oldest] = [messages.at(0), messages.at(-1)];
    // Without the permission to read what was said before there is nothing, and no refusal.
    if (newest === undefined || oldest === undefined) return undefined;
    const shown = new Map(messages.map(starterOr).map((message) => [message.id, message]));
    for (const [id, parts] of await storedOf(session)) {
      const message = shown.get(id);
      if (message !== undefined) {
        if (message.edited_timestamp !== null) await receive.update(message, guild, parts);
      } else if (isAfter(id, oldest.id) && isAfter(newest.id, id)) {
        await receive.remove({
          id,
          channel_id: channel,
          ...(guild === undefined ? {} : { guild_id: guild }),
        });
      }
    }
    return undefined;
  }

  /** The channel's line goes on while Discord lets us wait. */
  async function lookAt(place: Place, isNewest: () => boolean): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES && isNewest(); tries++) {
      let waitMs: number | undefined;
      await reader.inTurn(place.channel, async () => {
        waitMs = await compare(place);
      });
      if (waitMs === undefined) return;
      await pause(clock, waitMs, never);
    }
  }

  return {
    look(places) {
      const look = ++looks;
      const since = snowflakeAt(clock.now() - LONGEST_AGO_MS);
      const newest = places
        .filter((place) => isAfter(place.newest, since))
        .sort((a, b) => (isAfter(a.newest, b.newest) ? -1 : 1))
        .slice(0, MOST_PLACES);
      for (const place of newest) last = last.then(() => lookAt(place, () => look === looks));
    },
  };
}
