/** What all ways in have in common: who has a role there now is let in, with a cookie of this browser alone, and it is written down. */

import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import type { Attempts } from "../../core/admin/attempts.ts";
import { isSecret } from "../../core/admin/secret.ts";
import { STAY_MS, type Viewers } from "../../core/admin/viewers.ts";
import type { Hash, NewId } from "../../core/ids.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Offered, Person, SignIns } from "../../core/ports/sign-ins.ts";
import { problemPage } from "./pages/layout.ts";
import { ownPath, threadPathOf } from "./pages/paths.ts";
import { staleLinkPage } from "./pages/sign-in.ts";
import { shown } from "./shown.ts";
import { cookieName, letIn, type AdminContext, type CookieOptions } from "./viewer.ts";

export interface ComeInDeps {
  readonly signIns: SignIns;
  readonly viewers: Viewers;
  readonly audit: Audit;
  readonly attempts: Attempts;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly newId: NewId;
  readonly newSecret: () => string;
}

export interface ComeIn {
  /** Looks only. */
  offeredBy(link: string): Promise<Offered | undefined>;
  /** Takes the offer. @param next the page that was wanted, where the offer leads to none. */
  byOffer(c: AdminContext, link: string, next: unknown): Promise<Response>;
  /** For who has shown in another way who they are. */
  as(c: AdminContext, who: Person, way: string, next: unknown): Promise<Response>;
  /**
   * Where a link leads to nothing. Only what was tried in vain counts: behind a proxy all have one address, and a link that is good lets in
   * whatever others try.
   */
  stale(c: AdminContext, link: string): Promise<Response>;
  /** An answer where this address has tried too often: only what was in vain is counted. */
  tooOften(c: AdminContext, what: string): Promise<Response | undefined>;
}

export function createComeIn(deps: ComeInDeps, options: CookieOptions): ComeIn {
  const { signIns, viewers, audit, attempts, clock, hash } = deps;

  /** A cookie of our own, and not what the browser came with: nobody prepares one for somebody else. */
  function browserOf(c: Context): {
    readonly secret: string;
    readonly row: Parameters<SignIns["admit"]>[1];
  } {
    const secret = deps.newSecret();
    const browser = c.req.header("user-agent") ?? "";
    return {
      secret,
      row: { hash: hash(secret), id: deps.newId(), browser, until: clock.now() + STAY_MS },
    };
  }

  async function refusalOf(c: Context, who: Person, about: string): Promise<Response | undefined> {
    const role = await viewers.roleOf(who).catch(() => "unknown" as const);
    if (role === "unknown") {
      const sentence = "Whether you are an admin could not be learnt. Try again in a minute.";
      return shown(c, problemPage("Not now", sentence), 503);
    }
    if (role !== undefined) return undefined;
    await audit.write({ who, kind: "sign_in_refused", about });
    const sentence = "You are neither an admin nor a reviewer of this space.";
    return shown(c, problemPage("No access", sentence), 403);
  }

  /** One browser is one person in one space: who it was before is out. */
  async function leaveBefore(c: Context): Promise<void> {
    const before = getCookie(c, cookieName(options));
    if (before === undefined || !isSecret(before)) return;
    const entered = await signIns.find(hash(before), STAY_MS, false);
    if (entered === undefined || !(await signIns.leave(entered.id, entered.who))) return;
    await audit.write({ who: entered.who, kind: "sign_out", about: "this browser came in anew" });
  }

  async function isIn(c: AdminContext, who: Person, about: string, secret: string): Promise<void> {
    await leaveBefore(c);
    await audit.write({ who, kind: "sign_in", about });
    letIn(c, secret, options);
  }

  async function tooOften(c: AdminContext, what: string): Promise<Response | undefined> {
    if (attempts.take(`${what} ${c.env?.incoming?.socket.remoteAddress ?? "unknown"}`)) return undefined;
    c.header("Retry-After", "60");
    return shown(c, problemPage("Too often", "Wait a minute before you try to sign in again."), 429);
  }

  async function offeredBy(link: string): Promise<Offered | undefined> {
    return isSecret(link) ? signIns.offered(hash(link)) : undefined;
  }

  async function stale(c: AdminContext, link: string): Promise<Response> {
    const refused = isSecret(link) ? await tooOften(c, "link") : undefined;
    return refused ?? shown(c, staleLinkPage(), 404);
  }

  return {
    offeredBy,
    stale,
    tooOften,
    async byOffer(c, link, next) {
      const offered = await offeredBy(link);
      if (offered === undefined) return stale(c, link);
      const refused = await refusalOf(c, offered.who, offered.way);
      if (refused !== undefined) return refused;
      const { secret, row } = browserOf(c);
      const entered = await signIns.enter(hash(link), row);
      if (entered === undefined) return stale(c, link);
      await isIn(c, entered.who, `${entered.way}, ${row.browser}`, secret);
      const { session } = entered;
      return c.redirect(session === undefined ? ownPath(next) : threadPathOf(session), 303);
    },
    async as(c, who, way, next) {
      const refused = await refusalOf(c, who, way);
      if (refused !== undefined) return refused;
      const { secret, row } = browserOf(c);
      await signIns.admit(who, row);
      await isIn(c, who, `${way}, ${row.browser}`, secret);
      return c.redirect(ownPath(next), 303);
    },
  };
}
