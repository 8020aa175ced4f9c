/** Whoever sits at the machine that the bot runs on: the web chat's own admin, and its door to the admin pages, which needs no link. */

import type { Door } from "../../core/admin/door.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import type { ChannelsNow } from "../../core/ports/channel-privacy.ts";
import type { PeopleNow } from "../../core/ports/people-now.ts";
import { threadPath } from "./pages/thread-list.ts";

export const OWNER: Person = { platform: "web", space: "local", person: "owner", name: "Owner" };

/** Nobody else ever comes in for the web chat. */
export function createWebPeopleNow(): PeopleNow {
  return {
    look: ({ space, person }) =>
      Promise.resolve(
        space === OWNER.space && person === OWNER.person
          ? { id: person, name: OWNER.name, kind: "member", roles: [], isPlatformAdmin: true }
          : undefined,
      ),
  };
}

/** Whoever may look at the web chat sees all of it. */
export const WEB_CHANNELS_NOW: ChannelsNow = { isPrivate: () => Promise.resolve(false) };

const LINK = /\/threads\/(web%3A[A-Za-z0-9%._-]+)/;

/** The address of a thread's page, as admins look for it. */
export function readWebAddress(address: string): readonly (readonly string[])[] {
  const [, id] = LINK.exec(address) ?? [];
  return id === undefined ? [] : [[id.replaceAll("%3A", ":")]];
}

/** What it says stands in the thread for all to read, so there is no secret in it: the page itself asks who comes. */
export function createWebDoor(): Door {
  return {
    open: ({ session }) =>
      Promise.resolve(
        session === undefined
          ? "[Open the admin pages](/admin/)."
          : `[Open the transcript of this thread](${threadPath(session)}/transcript).`,
      ),
  };
}
