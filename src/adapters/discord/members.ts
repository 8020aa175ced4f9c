/** Who somebody is in a server: a message out of a history does not say which roles its author has. */

import { Routes, type APIGuildMember } from "discord-api-types/v10";
import { BobbinError } from "../../core/errors.ts";
import { keepNewest } from "../../core/keep-newest.ts";
import { growingMs, pause } from "../../core/pause.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { DiscordApi } from "./api.ts";
import type { Member } from "./author.ts";
import type { Message } from "./parse.ts";

export interface Members {
  /**
   * With what is known of its author in the guild; as it was where Discord does not tell. Rejects, to be asked again, where Discord does
   * not take the token: who is not known then would be refused where roles are a rule, and for good.
   */
  withMember(message: Message, guild: string | undefined): Promise<Message>;
}

/** Each person once in so long; roles change seldom, and what is missed comes all at once. */
const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 1_000;
const MOST_TRIES = 3;

interface Known {
  readonly until: number;
  readonly member: Promise<Member | undefined>;
}

export function createMembers(deps: { readonly api: DiscordApi; readonly clock: Clock }): Members {
  const { api, clock } = deps;
  const known = new Map<string, Known>();

  async function ask(guild: string, user: string): Promise<Member | undefined> {
    for (let failures = 0; failures < MOST_TRIES; failures++) {
      const answer = await api.call("GET", Routes.guildMember(guild, user));
      if (answer.kind === "ok") {
        const { nick, roles } = answer.data as APIGuildMember;
        return { roles, ...(nick === undefined ? {} : { nick }) };
      }
      // Whoever has left the server is nobody in it.
      if (answer.kind === "refused") return undefined;
      if (answer.kind === "token_refused")
        throw new BobbinError("platform_refused", "Discord does not tell who somebody is", {
          retryable: true,
        });
      await pause(clock, answer.kind === "rate_limited" ? answer.afterMs : growingMs(failures));
    }
    return undefined;
  }

  function of(guild: string, user: string): Promise<Member | undefined> {
    const key = `${guild} ${user}`;
    const before = known.get(key);
    if (before !== undefined && before.until > clock.ticks()) return before.member;
    const member = ask(guild, user);
    keepNewest(known, key, { until: clock.ticks() + KEPT_MS, member }, MOST_KEPT);
    member.catch(() => known.delete(key));
    return member;
  }

  return {
    async withMember(message, guild) {
      const { author, member, webhook_id: hook } = message;
      if (guild === undefined || member !== undefined || hook !== undefined || author.bot === true)
        return message;
      const found = await of(guild, author.id);
      return found === undefined ? message : { ...message, member: found };
    },
  };
}
