/** Who looks, for the pages behind the sign-in: the cookie, the check of each request, and the token of each form. */

import { timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { STAY_MS, type Viewer, type Viewers } from "../../core/admin/viewers.ts";
import type { Hash } from "../../core/ids.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import { isAskedByPage } from "./pages/paths.ts";
import { shown } from "./shown.ts";
import { signInPage, type SignInChoices } from "./pages/sign-in.ts";
import { lostIn, pageOf, problem } from "./typed.ts";

/** What the HTTP server gives with each request. */
export interface AdminEnv {
  Bindings: { closing?: AbortSignal; incoming?: { socket: { remoteAddress?: string } } };
  Variables: { viewer: Viewer; csrf: string };
}

export type AdminContext = Context<AdminEnv>;

export interface CookieOptions {
  /** People come over https. */
  readonly isSecure: boolean;
}

export const cookieName = ({ isSecure }: CookieOptions): string =>
  isSecure ? "__Host-bobbin_admin" : "bobbin_admin";

export function letIn(c: Context, secret: string, options: CookieOptions): void {
  setCookie(c, cookieName(options), secret, {
    httpOnly: true,
    sameSite: "Lax",
    path: "/",
    secure: options.isSecure,
    maxAge: STAY_MS / 1000,
  });
}

export function letOut(c: Context, options: CookieOptions): void {
  deleteCookie(c, cookieName(options), { path: "/", secure: options.isSecure });
}

export interface ViewerDeps {
  readonly viewers: Viewers;
  readonly audit: Audit;
  readonly hash: Hash;
}

/**
 * Lets on only who has a role in their space now, and forms only with the token that their page was made with. What is sent to
 * somebody else is never kept by a browser.
 */
export function onlyViewers(
  deps: ViewerDeps,
  options: CookieOptions & { readonly choices: (c: Context) => SignInChoices },
): MiddlewareHandler<AdminEnv> {
  const { viewers, audit, hash } = deps;

  async function refused(c: AdminContext, who: Person, why: string): Promise<Response> {
    await audit.write({ who, kind: "refused", about: `${why}: ${c.req.method} ${c.req.path}` });
    const sentence = "You have no role on these pages any more. An admin of the space can give you one.";
    return problem(c, "No access", sentence, 403);
  }

  return async function viewer(c, next) {
    const secret = getCookie(c, cookieName(options));
    // A page that stands open connects again by itself, and keeps nobody in by that.
    const viewing = await viewers.of(secret, !isAskedByPage(c.req.path));
    switch (viewing.kind) {
      case "out": {
        const around = { wanted: pageOf(c), lost: await lostIn(c) };
        return shown(c, signInPage({ ...options.choices(c), ...around }), 401);
      }
      case "refused":
        return refused(c, viewing.who, "no role");
      case "unknown": {
        const sentence = "Whether you still are an admin could not be learnt. Try again in a minute.";
        return problem(c, "Not now", sentence, 503);
      }
      case "in":
        break;
      default:
        return viewing satisfies never;
    }
    const csrf = hash(`csrf ${secret ?? ""}`);
    if (c.req.method !== "GET" && c.req.method !== "HEAD") {
      const given = (await c.req.parseBody().catch((): Record<string, unknown> => ({})))["csrf"];
      if (typeof given !== "string" || !isSame(given, csrf)) {
        await audit.write({
          who: viewing.viewer.who,
          kind: "refused",
          about: `no token: ${c.req.method} ${c.req.path}`,
        });
        const sentence = "The page was open for too long. Go back, load it again, and try once more.";
        return problem(c, "Not done", sentence, 403);
      }
    }
    c.set("viewer", viewing.viewer);
    c.set("csrf", csrf);
    await next();
    return undefined;
  };
}

/** For what reviewers may not see: on the page of a role that has more. */
export function onlyAdmins({ audit }: Pick<ViewerDeps, "audit">): MiddlewareHandler<AdminEnv> {
  return async function admin(c, next) {
    const { who, role } = c.get("viewer");
    if (role === "admin") {
      await next();
      return undefined;
    }
    await audit.write({ who, kind: "refused", about: `only admins: ${c.req.method} ${c.req.path}` });
    return problem(c, "For admins", "Only admins of the space may see this page.", 403);
  };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
