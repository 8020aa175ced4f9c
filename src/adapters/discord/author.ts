/** Who has done something on Discord, with what Discord says of them. Pure. */

import { PermissionFlagsBits as Bits, type APIUser } from "discord-api-types/v10";
import type { Author } from "../../core/inbound.ts";
import { nameOf } from "./message-parts.ts";

/** As it comes with a message; with an interaction it has what the person may do as well. Messages out of a history have none. */
export interface Member {
  readonly nick?: string | null;
  readonly roles?: readonly string[];
  readonly permissions?: string;
}

/** Discord has no guests: who can write in a guild is a member of it. Who is an admin is known only of an interaction. */
export function authorOf(user: APIUser, member: Member | undefined, guild: string | undefined): Author {
  const name = nameOf(user, member?.nick);
  if (user.bot === true) return { id: user.id, name, kind: "bot" };
  const person = { id: user.id, name, kind: "member" } as const;
  // Nobody has a role in a conversation with the bot alone.
  if (guild === undefined) return { ...person, roles: [], isPlatformAdmin: false };
  return {
    ...person,
    ...(member?.roles === undefined ? {} : { roles: member.roles }),
    ...(member?.permissions === undefined ? {} : { isPlatformAdmin: isAdmin(member.permissions) }),
  };
}

function isAdmin(permissions: string): boolean {
  return (BigInt(permissions) & (Bits.Administrator | Bits.ManageGuild)) !== 0n;
}
