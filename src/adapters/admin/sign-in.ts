/** Coming in and going out: the only routes that take somebody who is not signed in. */

import type { Context, Hono } from "hono";
import type { Attempts } from "../../core/admin/attempts.ts";
import { isSecret } from "../../core/admin/secret.ts";
import { STAY_MS, type Viewers } from "../../core/admin/viewers.ts";
import type { Hash, NewId } from "../../core/ids.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Person, SignIns } from "../../core/ports/sign-ins.ts";
import type { SessionId } from "../../core/thread.ts";
import { problemPage } from "./pages/layout.ts";
import { threadPathOf } from "./pages/paths.ts";
import { enterPage, staleLinkPage } from "./pages/sign-in.ts";
import { shown } from "./shown.ts";
import { letIn, letOut, type AdminContext, type AdminEnv, type CookieOptions } from "./viewer.ts";

export interface SignInDeps {
  readonly signIns: SignIns;
  readonly viewers: Viewers;
  readonly audit: Audit;
  readonly attempts: Attempts;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly newId: NewId;
  readonly newSecret: () => string;
}

export interface SignInOptions extends CookieOptions {
  /** Who comes from the machine itself, where the web chat is on. */
  readonly owner?: Person;
  readonly mayEnterHere: (c: Context) => boolean;
}

/** Before anything that asks who looks. */
export function routeSignIn(app: Hono<AdminEnv>, deps: SignInDeps, options: SignInOptions): void {
  const { signIns, viewers, audit, attempts, clock, hash } = deps;

  /** Only what was tried in vain counts: behind a proxy all have one address, and a link that is good lets in whatever others try. */
  const stale = (c: AdminContext, link: string): Response | Promise<Response> => {
    if (!isSecret(link) || attempts.take(c.env?.incoming?.socket.remoteAddress ?? "unknown"))
      return shown(c, staleLinkPage(), 404);
    c.header("Retry-After", "60");
    return shown(c, problemPage("Too often", "Wait a minute before you try to sign in again."), 429);
  };

  const offeredBy = async (link: string): ReturnType<SignIns["offered"]> =>
    isSecret(link) ? signIns.offered(hash(link)) : undefined;

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

  async function hasRole(c: Context, who: Person, about: string): Promise<Response | undefined> {
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

  app.get("/in/:secret", async (c) => {
    const secret = c.req.param("secret");
    const offered = await offeredBy(secret);
    if (offered === undefined) return stale(c, secret);
    return shown(c, enterPage(offered.who, secret));
  });

  app.post("/in/:secret", async (c) => {
    const link = c.req.param("secret");
    const offered = await offeredBy(link);
    if (offered === undefined) return stale(c, link);
    const refused = await hasRole(c, offered.who, "link");
    if (refused !== undefined) return refused;
    const { secret, row } = browserOf(c);
    const entered = await signIns.enter(hash(link), row);
    if (entered === undefined) return stale(c, link);
    await audit.write({ who: entered.who, kind: "sign_in", about: `link, ${row.browser}` });
    letIn(c, secret, options);
    return c.redirect(pathOf(entered.session), 303);
  });

  app.post("/here", async (c) => {
    const { owner } = options;
    if (owner === undefined || !options.mayEnterHere(c)) {
      const sentence =
        "Only whoever sits at the machine that the bot runs on comes in this way, and only while PUBLIC_URL is not set: start the bot without it.";
      return shown(c, problemPage("Not from here", sentence), 403);
    }
    const refused = await hasRole(c, owner, "from this machine");
    if (refused !== undefined) return refused;
    const { secret, row } = browserOf(c);
    await signIns.admit(owner, row);
    await audit.write({ who: owner, kind: "sign_in", about: `this machine, ${row.browser}` });
    letIn(c, secret, options);
    const { next } = await c.req.parseBody().catch(() => ({ next: "" }));
    return c.redirect(ownPath(next), 303);
  });
}

/** Behind the check of who looks. */
export function routeSignOut(
  app: Hono<AdminEnv>,
  deps: Pick<SignInDeps, "signIns" | "audit">,
  options: CookieOptions,
): void {
  app.post("/out", async (c) => {
    const { entered, who } = c.get("viewer");
    await deps.audit.write({ who, kind: "sign_out" });
    await deps.signIns.leave(entered.id, who);
    letOut(c, options);
    return c.redirect("/admin/", 303);
  });
}

function pathOf(session: SessionId | undefined): string {
  return session === undefined ? "/admin/" : threadPathOf(session);
}

/** Only to a page of ours: what came with a form may have been made by anybody. */
function ownPath(next: unknown): string {
  return typeof next === "string" && /^\/admin\/[A-Za-z0-9%._~/-]*$/.test(next) && !next.includes("//")
    ? next
    : "/admin/";
}
