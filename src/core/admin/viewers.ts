/**
 * Who looks at a page: the browser's sign-in, what the platform says of the person now, and which role the configuration gives them.
 * All three are asked on each request; the platform's word counts for a minute.
 */

import { isSecret } from "./secret.ts";
import type { Access } from "../access/access.ts";
import type { Author } from "../inbound.ts";
import type { Hash } from "../ids.ts";
import { keepNewest } from "../keep-newest.ts";
import type { Clock } from "../ports/clock.ts";
import type { Entered, Person, SignIns } from "../ports/sign-ins.ts";
import type { PeopleNow } from "../ports/people-now.ts";

export type AdminRole = "admin" | "reviewer";

export interface Viewer {
  readonly entered: Entered;
  readonly who: Person;
  readonly role: AdminRole;
}

export type Viewing =
  | { readonly kind: "in"; readonly viewer: Viewer }
  /** Nobody is signed in. */
  | { readonly kind: "out" }
  /** Was let in once, and has no role any more. */
  | { readonly kind: "refused"; readonly who: Person }
  /** The platform does not say now whether they still are what they were. */
  | { readonly kind: "unknown"; readonly who: Person };

export interface Viewers {
  /**
   * Rejects when the store cannot be asked.
   * @param secret of the browser's cookie. @param isUse somebody looks now; else a page that stands open only asks. Default true.
   */
  of(secret: string | undefined, isUse?: boolean): Promise<Viewing>;
  /** Which role somebody has now; undefined for none. Rejects when the platform cannot be asked. */
  roleOf(who: Person): Promise<AdminRole | undefined>;
}

export interface ViewersDeps {
  readonly signIns: Pick<SignIns, "find">;
  readonly peopleNow: PeopleNow;
  readonly access: Pick<Access, "roleOf" | "ofSpace">;
  readonly clock: Clock;
  readonly hash: Hash;
}

export interface ViewersOptions {
  /** How long the platform's word counts, ms. Default 60,000. */
  readonly believedMs?: number;
  /** How long a browser may do nothing before it is out, ms. Default 1 hour. */
  readonly idleMs?: number;
}

/** How long a browser stays in at most, ms. */
export const STAY_MS = 8 * 3_600_000;
const MOST_KEPT = 1_000;

export function createViewers(deps: ViewersDeps, options: ViewersOptions = {}): Viewers {
  const { signIns, peopleNow, access, clock, hash } = deps;
  const { believedMs = 60_000, idleMs = 3_600_000 } = options;
  const believed = new Map<string, { readonly until: number; readonly said: Promise<Author | undefined> }>();

  function look(who: Person): Promise<Author | undefined> {
    const key = `${who.platform}:${who.space}:${who.person}`;
    const before = believed.get(key);
    if (before !== undefined && before.until > clock.ticks()) return before.said;
    const said = peopleNow.look(who);
    keepNewest(believed, key, { until: clock.ticks() + believedMs, said }, MOST_KEPT);
    // A question that failed is asked again by whoever comes next.
    said.catch(() => {
      if (believed.get(key)?.said === said) believed.delete(key);
    });
    return said;
  }

  async function roleOf(who: Person): Promise<AdminRole | undefined> {
    const author = await look(who);
    if (author === undefined || !access.ofSpace(who.platform, who.space)) return undefined;
    return access.roleOf(author, who);
  }

  return {
    roleOf,
    async of(secret, isUse = true) {
      // What cannot be one costs nothing.
      if (secret === undefined || !isSecret(secret)) return { kind: "out" };
      const entered = await signIns.find(hash(secret), idleMs, isUse);
      if (entered === undefined) return { kind: "out" };
      const { who } = entered;
      const role = await roleOf(who).catch(() => "unknown" as const);
      if (role === "unknown") return { kind: "unknown", who };
      return role === undefined ? { kind: "refused", who } : { kind: "in", viewer: { entered, who, role } };
    },
  };
}
