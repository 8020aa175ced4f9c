/** Coming in and going out: with those of `ways.ts` the only routes that take somebody who is not signed in. */

import type { Context, Hono } from "hono";
import type { Audit } from "../../core/ports/audit.ts";
import type { Person, SignIns } from "../../core/ports/sign-ins.ts";
import type { ComeIn } from "./come-in.ts";
import { problemPage } from "./pages/layout.ts";
import { enterPage, signInPage, type SignInChoices } from "./pages/sign-in.ts";
import { shown } from "./shown.ts";
import { letOut, type AdminEnv, type CookieOptions } from "./viewer.ts";

export interface SignInOptions {
  /** Who comes from the machine itself, where the web chat is on. */
  readonly owner?: Person;
  readonly mayEnterHere: (c: Context) => boolean;
  readonly choices: (c: Context) => SignInChoices;
}

/** Before anything that asks who looks. */
export function routeSignIn(app: Hono<AdminEnv>, comeIn: ComeIn, options: SignInOptions): void {
  // Also for who is in already, and wants to come in elsewhere.
  app.get("/sign-in", (c) => shown(c, signInPage({ ...options.choices(c), wanted: undefined })));

  app.get("/in/:secret", async (c) => {
    const link = c.req.param("secret");
    const offered = await comeIn.offeredBy(link);
    if (offered === undefined) return comeIn.stale(c, link);
    return shown(c, enterPage(offered.who, link));
  });

  app.post("/in/:secret", async (c) => comeIn.byOffer(c, c.req.param("secret"), await nextIn(c)));

  app.post("/here", async (c) => {
    const { owner } = options;
    if (owner === undefined || !options.mayEnterHere(c)) {
      const sentence =
        "Only whoever sits at the machine that the bot runs on comes in this way, and only while PUBLIC_URL is not set: start the bot without it.";
      return shown(c, problemPage("Not from here", sentence), 403);
    }
    return comeIn.as(c, owner, "this machine", await nextIn(c));
  });
}

/** Behind the check of who looks. */
export function routeSignOut(
  app: Hono<AdminEnv>,
  deps: { readonly signIns: SignIns; readonly audit: Audit },
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

async function nextIn(c: Context): Promise<unknown> {
  const { next } = await c.req.parseBody().catch(() => ({ next: undefined }));
  return next;
}
