/** Who writes: a long-lived random id in a cookie that no script can read, and the name that the person chose. */

import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { NewId } from "../../core/ids.ts";
import type { Author } from "../../core/inbound.ts";
import { toName } from "./parse.ts";

const ID = "bobbin_person";
const NAME = "bobbin_name";
const KEPT = { httpOnly: true, sameSite: "Strict", path: "/", maxAge: 400 * 24 * 3600 } as const;

/**
 * Gives the browser an id where it has none. Whoever reaches the web chat is an admin: it listens on the machine that the bot runs
 * on, and has no sign-in that could tell anybody apart.
 */
export function personOf(c: Context, newId: NewId): Author {
  const known = getCookie(c, ID);
  const id = known !== undefined && /^[A-Za-z0-9_-]{8,64}$/.test(known) ? known : newId();
  if (id !== known) setCookie(c, ID, id, KEPT);
  const name = toName(getCookie(c, NAME) ?? "");
  return { id, name, kind: "member", roles: [], isPlatformAdmin: true };
}

/** @returns the name as it will be shown. */
export function rename(c: Context, name: string): string {
  const chosen = toName(name);
  setCookie(c, NAME, chosen, KEPT);
  return chosen;
}
