/** Whether a goal may go on in a Discord thread: its owner is in the server, and nobody has closed or deleted the thread. */

import { Routes, type APIGuildMember, type APIThreadChannel } from "discord-api-types/v10";
import type { Author } from "../../core/inbound.ts";
import { keepNewest } from "../../core/keep-newest.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Standing, StandingOf } from "../../core/ports/standings.ts";
import type { ThreadPlaces } from "../../core/ports/thread-places.ts";
import { threadOf, type SessionId } from "../../core/thread.ts";
import type { DiscordApi } from "./api.ts";
import { authorOf } from "./author.ts";
import { DIRECT } from "./identity.ts";
import { isForbidden, isUnknownChannel, isUnknownMember } from "./refusals.ts";
import { timeOf } from "./snowflake.ts";

export interface DiscordStandingOptions {
  /** How long a member's roles are believed, ms. Default 60,000. */
  readonly keptMs?: number;
  /** Members that are kept; the ones learned first go first. Default 2,000. */
  readonly most?: number;
}

interface Kept {
  readonly value: Author | "left";
  readonly until: number;
}

export function createDiscordStanding(
  deps: {
    readonly api: DiscordApi;
    readonly places: Pick<ThreadPlaces, "hasShown">;
    readonly clock: Clock;
  },
  options: DiscordStandingOptions = {},
): StandingOf {
  const { api, places, clock } = deps;
  const { keptMs = 60_000, most = 2_000 } = options;
  const members = new Map<string, Kept>();

  const wasThere = (session: SessionId): Promise<boolean> => places.hasShown(session).catch(() => false);

  /** Each time anew: whoever closes a thread means the next turn. */
  async function thread(session: SessionId, hasBegun: boolean): Promise<"there" | "archived" | "gone"> {
    const { channel } = threadOf(session);
    const answer = await api.call("GET", Routes.channel(channel));
    if (answer.kind === "ok") return closing(answer.data as Partial<APIThreadChannel>);
    // A thread that the goal itself is to begin is not there yet, also after a turn where none could be opened.
    if (isUnknownChannel(answer)) return hasBegun && (await wasThere(session)) ? "gone" : "there";
    return isForbidden(answer) ? "gone" : "there";
  }

  async function member(guild: string, owner: Author): Promise<Author | "left"> {
    const key = `${guild} ${owner.id}`;
    const before = members.get(key);
    if (before !== undefined && before.until > clock.ticks()) return before.value;
    const answer = await api.call("GET", Routes.guildMember(guild, owner.id));
    let value = before?.value ?? owner;
    if (answer.kind === "ok") {
      const found = answer.data as APIGuildMember;
      const { nick = null, roles, user } = found;
      value = authorOf(user, { nick, roles }, guild);
    } else if (isUnknownMember(answer)) value = "left";
    keepNewest(members, key, { value, until: clock.ticks() + keptMs }, most);
    return value;
  }

  return async (session, { owner, turns }): Promise<Standing> => {
    const { space } = threadOf(session);
    if (space === DIRECT) return { kind: "fine", owner: { ...owner, kind: "member", roles: [] } };
    const closed = await thread(session, turns > 0);
    if (closed !== "there") return { kind: closed };
    const found = await member(space, owner);
    return found === "left" ? { kind: "owner_left" } : { kind: "fine", owner: found };
  };
}

/**
 * A thread in which nothing happened for long Discord closes by itself: nobody meant the goal, which may have waited for just that long.
 * Where it was closed sooner a person did so.
 */
function closing({
  thread_metadata: thread,
  last_message_id: last,
}: Partial<APIThreadChannel>): "there" | "archived" | "gone" {
  if (thread === undefined || !thread.archived) return "there";
  if (thread.locked === true) return "gone";
  const { archive_timestamp: at, auto_archive_duration: minutes } = thread;
  const quietMs = last == null ? 0 : Date.parse(at) - timeOf(last);
  return quietMs >= minutes * 60_000 ? "there" : "archived";
}
