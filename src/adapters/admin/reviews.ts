/** Looking through what happened: refusals, who looks through a thread, and that somebody has. */

import type { Hono } from "hono";
import type { Channels } from "../../core/admin/channels.ts";
import type { Viewers } from "../../core/admin/viewers.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Overviews } from "../../core/ports/overviews.ts";
import type { Remarks } from "../../core/ports/remarks.ts";
import type { Reviews } from "../../core/ports/reviews.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import { threadOf, toSessionId, type SessionId } from "../../core/thread.ts";
import { aroundOf } from "./around.ts";
import { page, problemPage } from "./pages/layout.ts";
import { refusalsBody } from "./pages/refusals.ts";
import { shown } from "./shown.ts";
import { pageOf } from "./typed.ts";
import type { AdminContext, AdminEnv } from "./viewer.ts";

export interface ReviewDeps {
  readonly reviews: Reviews;
  readonly overviews: Overviews;
  readonly remarks: Remarks;
  readonly channels: Channels;
  readonly viewers: Viewers;
  readonly audit: Audit;
}

const SHOWN = 100;

export function routeReviews(app: Hono<AdminEnv>, deps: ReviewDeps): void {
  const { reviews, overviews, remarks, channels, audit } = deps;

  app.get("/refusals", async (c) => {
    const { who, entered } = c.get("viewer");
    await audit.write({ who, kind: "list", about: "refusals" });
    await channels.learn(who);
    const before = Number(c.req.query("before") ?? Number.NaN);
    const isUnreviewed = c.req.query("all") === undefined;
    const found = await reviews.refusals(who, {
      limit: SHOWN + 1,
      isUnreviewed,
      ...(Number.isSafeInteger(before) && before > 0 ? { before } : {}),
    });
    const opened = await remarks.reasonsOf(entered.id);
    const around = aroundOf(c);
    const view = {
      refusals: found.slice(0, SHOWN),
      hasMore: found.length > SHOWN,
      isUnreviewed,
      opened,
      csrf: around.csrf,
      role: around.role,
      path: pageOf(c),
    };
    return shown(c, page(around, "threads", "Refusals", refusalsBody(view)));
  });

  app.post("/threads/:id/review/assign", async (c) =>
    withSession(c, async (session) => {
      const { who } = c.get("viewer");
      const to = await reviewerIn(c, deps.viewers, reviews);
      if (to === undefined) return noReviewer(c);
      await audit.write({ who, kind: "review", session, about: `given to ${to.person}` });
      await reviews.assign(session, to);
      return back(c);
    }),
  );

  app.post("/threads/:id/review/done", async (c) =>
    withSession(c, async (session) => {
      const { who } = c.get("viewer");
      await audit.write({ who, kind: "review", session, about: "reviewed" });
      await reviews.done(session, who);
      return back(c);
    }),
  );

  /** Of the viewer's space, also one that never began because its first message was refused. Nothing of it is shown. */
  async function withSession(
    c: AdminContext,
    work: (session: SessionId) => Promise<Response>,
  ): Promise<Response> {
    const { who } = c.get("viewer");
    const session = toSessionId(c.req.param("id") ?? "");
    const isOwn = session !== undefined && isOf(session, who);
    if (isOwn && ((await overviews.get(who, session)) !== undefined || (await reviews.hasRefusal(session))))
      return work(session);
    await audit.write({ who, kind: "refused", about: `no such thread: ${c.req.path}` });
    return shown(
      c,
      problemPage("No such thread", "It is not one of this space, or its address is not whole."),
      404,
    );
  }
}

export function isOf(session: SessionId, { platform, space }: Pick<Person, "platform" | "space">): boolean {
  const thread = threadOf(session);
  return thread.platform === platform && thread.space === space;
}

/** Whom the form names, where they have a role in the space now; who sends it where it names nobody. */
export async function reviewerIn(
  c: AdminContext,
  viewers: Pick<Viewers, "roleOf">,
  reviews: Pick<Reviews, "people">,
): Promise<Person | undefined> {
  const { who } = c.get("viewer");
  const given = (await c.req.parseBody())["to"];
  if (typeof given !== "string" || given === "" || given === who.person) return who;
  const known = (await reviews.people(who)).find(({ person }) => person === given);
  if (known === undefined) return undefined;
  const { platform, space } = who;
  const to: Person = { platform, space, ...known };
  return (await viewers.roleOf(to).catch(() => undefined)) === undefined ? undefined : to;
}

export function noReviewer(c: AdminContext): Response | Promise<Response> {
  return shown(c, problemPage("Not done", "They have no role on these pages now, or were never here."), 400);
}

/** To the page that the form stands on. */
function back(c: AdminContext): Response {
  const { pathname, search } = URL.parse(c.req.header("referer") ?? "") ?? {
    pathname: "/admin/",
    search: "",
  };
  return c.redirect(pathname.startsWith("/admin/") ? `${pathname}${search}` : "/admin/", 303);
}
