/**
 * The admin pages as a Hono app below `/admin`. All but the sign-in stands behind one check of who looks, and whatever names a
 * thread behind one of whether it is of the viewer's space. A page does nothing that is not written down in the audit log first.
 */

import { Hono, type Context } from "hono";
import { createAttempts, type Attempts } from "../../core/admin/attempts.ts";
import { TooBusy } from "../../core/admin/too-busy.ts";
import { BobbinError, sentenceFor, toBobbinError } from "../../core/errors.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import type { Platform } from "../../core/thread.ts";
import { serveAssets } from "../http/assets.ts";
import { limitBody } from "../http/body-limit.ts";
import { guard, isFromHere, isLoopback } from "../http/guard.ts";
import { routeAudit } from "./audit-log.ts";
import { boardPolicy, routeBoard, type BoardDeps } from "./board.ts";
import { routeBrowsers } from "./browsers.ts";
import { createExporter, type ExporterDeps } from "./export/exporter.ts";
import { routeExport } from "./export.ts";
import { routeOperations, type OperationsDeps } from "./operations.ts";
import { problemPage } from "./pages/layout.ts";
import { withFewRefusals } from "./refusals.ts";
import { shown } from "./shown.ts";
import { createComeIn, type ComeInDeps } from "./come-in.ts";
import type { SignInChoices } from "./pages/sign-in.ts";
import { routeSignIn, routeSignOut } from "./sign-in.ts";
import { routeReviews, type ReviewDeps } from "./reviews.ts";
import { routeThread, type ThreadDeps } from "./thread.ts";
import { routeThreads, type ThreadsDeps } from "./threads.ts";
import { problem } from "./typed.ts";
import { routeUsage, type UsageDeps } from "./usage.ts";
import { onlyViewers, type AdminEnv } from "./viewer.ts";
import { routeWays, type WaysDeps } from "./ways.ts";

export interface AdminDeps
  extends
    Omit<ComeInDeps, "attempts">,
    WaysDeps,
    ThreadsDeps,
    Omit<ThreadDeps, "cookie" | "sendExport">,
    UsageDeps,
    Omit<ExporterDeps, "cookie">,
    ReviewDeps,
    BoardDeps,
    Omit<OperationsDeps, "cookie" | "seesBoard"> {
  readonly attempts?: Attempts;
  readonly log: Log;
}

export interface AdminOptions {
  /** Folders of what the pages load; the later ones count. */
  readonly assets: readonly string[];
  /** Host names beside the loopback's that people reach this server by, without port. Default none. */
  readonly allowedHosts?: readonly string[];
  /** People come over https. Default false. */
  readonly isSecure?: boolean;
  /** As whom whoever sits at the machine comes in, where all names are the loopback's. Default nobody does. */
  readonly owner?: Person;
  /** Platforms that are served. */
  readonly platforms: readonly Platform[];
}

/** Bytes of a form. */
const LARGEST_BODY = 64 * 1024;

export function createAdminPages(given: AdminDeps, options: AdminOptions): Hono<AdminEnv> {
  const deps: AdminDeps = { ...given, audit: withFewRefusals(given.audit, given.clock) };
  const { allowedHosts = [], isSecure = false, owner, platforms } = options;
  const comeIn = createComeIn(
    { ...deps, attempts: deps.attempts ?? createAttempts(deps.clock) },
    { isSecure },
  );
  const app = new Hono<AdminEnv>({ strict: false }).basePath("/admin");
  // Where others come by a name of its own a proxy may stand on this machine that does not say for whom it asks.
  const isPublic = allowedHosts.some((host) => !isLoopback(host));
  const mayEnterHere = (c: Context): boolean => owner !== undefined && !isPublic && isFromHere(c);
  const choices = (c: Context): SignInChoices => ({
    mayEnterHere: mayEnterHere(c),
    ways: deps.ways,
    platforms,
  });

  app.onError((error, c) => trouble(c, error));
  app.use("*", guard({ allowedHosts, bodies: "forms", alsoAllowed: boardPolicy }));
  app.use("*", limitBody({ maxSize: LARGEST_BODY }));
  app.get("/assets/:name", serveAssets(...options.assets));
  routeSignIn(app, comeIn, { mayEnterHere, choices, ...(owner === undefined ? {} : { owner }) });
  routeWays(app, deps, comeIn, { isSecure });

  app.use("*", onlyViewers(deps, { isSecure, choices }));
  // No id and no word holds it, and the store takes it nowhere.
  app.use("*", async (c, next) => {
    if (!c.req.url.includes("%00")) return next();
    return shown(c, problemPage("Not found", "There is no such page."), 404);
  });
  routeSignOut(app, deps, { isSecure });
  routeBrowsers(app, deps);
  routeAudit(app, deps);
  routeUsage(app, deps);
  routeBoard(app, deps);
  const seesBoard = (who: Person): boolean => deps.board !== undefined && deps.isOperator(who);
  routeOperations(app, { ...deps, seesBoard, cookie: { isSecure } });
  routeThreads(app, deps);
  routeReviews(app, deps);
  const cookie = { isSecure };
  const exporter = createExporter({ ...deps, cookie });
  routeExport(app, { ...deps, cookie }, exporter);
  routeThread(app, { ...deps, cookie, sendExport: exporter.send });
  app.all("*", (c) => shown(c, problemPage("Not found", "There is no such page."), 404));

  function trouble(c: Context, error: unknown): Response | Promise<Response> {
    if (error instanceof TooBusy) return problem(c, "Not now", error.message, 503);
    const known = toBobbinError(error);
    const isStore = known.code === "store_unavailable" || known.code === "store_full";
    const ours = isStore ? known : new BobbinError("panic", known.message, { cause: known });
    // The path of a sign-in holds its secret.
    const path = c.req.path.replace(/^(\/admin\/in\/).*/, "$1…");
    deps.log.error("an admin page failed", { path, method: c.req.method, error: known });
    return problem(c, "This did not work", sentenceFor(ours), isStore ? 503 : 500);
  }

  return app;
}
