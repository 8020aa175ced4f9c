/** What Discord says of a person in a server now: asked each time, since a sign-in hangs on it. */

import {
  PermissionFlagsBits as Bits,
  Routes,
  type APIGuild,
  type APIGuildMember,
} from "discord-api-types/v10";
import { BobbinError } from "../../core/errors.ts";
import type { Author } from "../../core/inbound.ts";
import type { PeopleNow } from "../../core/ports/people-now.ts";
import type { DiscordApi } from "./api.ts";
import { authorOf } from "./author.ts";
import { DIRECT } from "./identity.ts";

export function createDiscordPeopleNow({ api }: { readonly api: DiscordApi }): PeopleNow {
  /** Undefined where Discord says that it is not there. */
  async function ask(route: `/${string}`): Promise<unknown> {
    const answer = await api.call("GET", route);
    if (answer.kind === "ok") return answer.data;
    if (answer.kind === "refused") return undefined;
    const sentence = `Discord does not say who somebody is: ${answer.kind}`;
    throw new BobbinError("platform_unavailable", sentence, { retryable: true });
  }

  return {
    async look({ space, person }): Promise<Author | undefined> {
      // Nobody has a role in a conversation with the bot alone: there only a list makes an admin.
      if (space === DIRECT)
        return { id: person, name: person, kind: "member", roles: [], isPlatformAdmin: false };
      const member = (await ask(Routes.guildMember(space, person))) as APIGuildMember | undefined;
      if (member === undefined) return undefined;
      const guild = (await ask(Routes.guild(space))) as APIGuild | undefined;
      if (guild === undefined) return undefined;
      const permissions = permissionsOf(guild, member, person);
      const { user, nick, roles } = member;
      return authorOf(
        user,
        { roles, permissions: `${permissions}`, ...(nick == null ? {} : { nick }) },
        space,
      );
    },
  };
}

/** Of the server as a whole: what a channel adds or takes makes nobody its admin. */
function permissionsOf(
  { id, owner_id: owner, roles }: Pick<APIGuild, "id" | "owner_id" | "roles">,
  member: Pick<APIGuildMember, "roles">,
  person: string,
): bigint {
  if (owner === person) return Bits.Administrator;
  const held = new Set([id, ...member.roles]);
  return roles
    .filter((role) => held.has(role.id))
    .reduce((bits, role) => bits | BigInt(role.permissions), 0n);
}
