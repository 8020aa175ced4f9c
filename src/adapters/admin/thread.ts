/** One thread: its transcript, live while one looks, any request to the model as it was sent, and any text as a whole. */

import type { Context, Hono } from "hono";
import type { Hash } from "../../core/ids.ts";
import type { Audit, AuditKind } from "../../core/ports/audit.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import type { Overview, OverviewMaker, Overviews } from "../../core/ports/overviews.ts";
import type { Review } from "../../core/ports/review.ts";
import type { Reviews } from "../../core/ports/reviews.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import { threadOf, toSessionId, type SessionId } from "../../core/thread.ts";
import type { Channels } from "../../core/admin/channels.ts";
import { needsReason } from "../../core/admin/needs-reason.ts";
import { aroundOf } from "./around.ts";
import type { SendExport } from "./export/exporter.ts";
import { routeThreadExport } from "./export.ts";
import { threadExport } from "./pages/export.ts";
import { routeErase, type EraseDeps, type WithStored } from "./erase.ts";
import { streamPage, type LiveDeps } from "./live.ts";
import { lifeCycleMarkup, nameOfThread } from "./pages/erase.ts";
import { page, problemPage } from "./pages/layout.ts";
import { reviewMarkup } from "./pages/refusals.ts";
import { reasonBody, remarksMarkup } from "./pages/remarks.ts";
import { requestBody } from "./pages/request.ts";
import { threadPathOf } from "./pages/paths.ts";
import { requestName } from "./pages/thread-run.ts";
import { threadBody, threadContent, type ThreadSide, type ThreadView } from "./pages/thread.ts";
import { wholeBody } from "./pages/whole.ts";
import { routeRemarks, type RemarkDeps, type WithThread } from "./remarks.ts";
import { isOf } from "./reviews.ts";
import { shown } from "./shown.ts";
import { lostIn, pageOf, problem } from "./typed.ts";
import type { AdminContext, AdminEnv } from "./viewer.ts";

export interface ThreadDeps extends LiveDeps, RemarkDeps, EraseDeps {
  readonly overviews: Overviews;
  readonly review: Review;
  readonly audit: Audit;
  readonly hash: Hash;
  readonly makeOverview: OverviewMaker["make"];
  /** The body that a request is sent as. */
  readonly bodyOf: (request: ModelRequest) => string;
  readonly sendExport: SendExport;
  readonly channels: Channels;
  readonly reviews: Reviews;
}

/** Runs on one page. */
const SHOWN = 20;

export function routeThread(app: Hono<AdminEnv>, deps: ThreadDeps): void {
  const { overviews, review, audit } = deps;

  const named: WithThread = async (c, work) => {
    const overview = await find(c);
    return overview === undefined ? unknown(c) : work(overview);
  };
  /** Also one that never began because its first message was refused: there is no page of it, but it is stored. */
  const stored: WithStored = async (c, work) => {
    const session = toSessionId(c.req.param("id") ?? "");
    const isRefused =
      session !== undefined && isOf(session, c.get("viewer").who) && (await deps.reviews.hasRefusal(session));
    return isRefused && (await overviewOf(c.get("viewer").who, session)) === undefined
      ? work(session, "A thread that never began", "/admin/refusals")
      : named(c, (overview) =>
          work(overview.session, nameOfThread(overview), threadPathOf(overview.session)),
        );
  };
  const mayOpen = async (c: AdminContext, overview: Overview): Promise<boolean> =>
    !needsReason(overview) || deps.remarks.hasReason(c.get("viewer").entered.id, overview.session);
  /** One that was not written for everybody is opened only by who says why. */
  const opened: WithThread = (c, work) =>
    named(c, async (overview) => {
      if (await mayOpen(c, overview)) return work(overview);
      const around = aroundOf(c);
      const asked = { csrf: around.csrf, next: pageOf(c), lost: await lostIn(c) };
      return shown(c, page(around, "threads", "Why?", reasonBody(overview, asked)), 403);
    });
  routeRemarks(app, deps, { opened, stored });
  routeThreadExport(app, opened, deps.sendExport);
  routeErase(app, deps, stored);

  app.get("/threads/:id", (c) =>
    withThread(c, "view", async (overview) => {
      const view = await viewOf(c, overview, await beforeIn(c, overview.session));
      return shown(c, page(aroundOf(c), "threads", overview.label, threadBody(view)));
    }),
  );

  app.get("/threads/:id/live", (c) =>
    withThread(
      c,
      "view",
      async ({ session }) =>
        streamPage(c, deps, {
          state: () => review.state(session),
          // A channel may have been made private since the page was opened.
          content: async () => {
            const overview = await overviewOf(c.get("viewer").who, session);
            if (overview === undefined || !(await mayOpen(c, overview))) return undefined;
            return String(await threadContent(await viewOf(c, overview, undefined)));
          },
        }),
      "live",
    ),
  );

  app.get("/threads/:id/calls/:call", (c) =>
    withThread(
      c,
      "view_request",
      async (overview) => {
        const stored = await review.request(overview.session, c.req.param("call"));
        if (stored === undefined) return unknown(c);
        if (stored === "forgotten") {
          const sentence = "This request is older than requests are kept here, so it cannot be built again.";
          return shown(c, problemPage("Not kept", sentence), 404);
        }
        const body = deps.bodyOf(stored.request);
        if (c.req.query("raw") !== undefined) return raw(c, body, `request-${stored.call.id}.json`);
        const isSame = stored.bodyHash === undefined ? undefined : deps.hash(body) === stored.bodyHash;
        const erased = await deps.erasures.ofThread(overview.session);
        const wasErased = erased.some(({ at }) => at >= stored.call.startedAt);
        const view = { overview, call: stored.call, body, isSame: wasErased ? ("erased" as const) : isSame };
        return shown(c, page(aroundOf(c), "threads", requestName(stored.call), requestBody(view)));
      },
      c.req.param("call"),
    ),
  );

  app.get("/threads/:id/results/:run/:round/:call", (c) => {
    const { run, round, call } = c.req.param();
    return withThread(
      c,
      "view",
      async ({ session }) => {
        const n = Number(round);
        const text =
          Number.isSafeInteger(n) && Math.abs(n) < 2 ** 31
            ? await review.result(session, run, n, call)
            : undefined;
        if (text === undefined) return unknown(c);
        return shown(
          c,
          page(aroundOf(c), "threads", "A tool's result", wholeBody(session, "A tool's result", text)),
        );
      },
      `result ${call}`,
    );
  });

  app.get("/threads/:id/entries/:epoch/:seq", (c) => {
    const [epoch, seq] = [Number(c.req.param("epoch")), Number(c.req.param("seq"))];
    return withThread(
      c,
      "view",
      async ({ session }) => {
        const isNumber =
          Number.isSafeInteger(epoch) && Number.isSafeInteger(seq) && Math.abs(epoch) < 2 ** 31;
        const found = isNumber ? await review.entry(session, epoch, seq) : undefined;
        if (found === undefined) return unknown(c);
        const text = JSON.stringify(found.entry.body, undefined, 2);
        return shown(
          c,
          page(aroundOf(c), "threads", "An entry", wholeBody(session, `Entry ${epoch}.${seq}`, text)),
        );
      },
      `entry ${epoch}.${seq}`,
    );
  });

  /** @param before where it ends; undefined for what is newest. */
  async function viewOf(
    c: AdminContext,
    overview: Overview,
    before: number | undefined,
  ): Promise<ThreadView> {
    const isEarlier = before !== undefined;
    const { session } = overview;
    const [thread, goals, erased] = await Promise.all([
      review.thread(session, { limit: SHOWN, ...(before === undefined ? {} : { before }) }),
      review.goals(session),
      deps.erasures.ofThread(session),
    ]);
    const csrf = c.get("csrf");
    const { who, role } = c.get("viewer");
    const lifeCycle = lifeCycleMarkup(threadPathOf(session), erased, role);
    const others = (await deps.reviews.people(who)).filter(({ person }) => person !== who.person);
    const reviewed = reviewMarkup(session, overview.review, others, csrf);
    const remarks = remarksMarkup(session, await deps.remarks.list(session), others, csrf);
    const taken = threadExport(session, csrf);
    return { overview, thread, goals, remarks, taken, reviewed, lifeCycle, side: sideIn(c), isEarlier };
  }

  /** Where the page ends; undefined for the newest one. */
  async function beforeIn(c: AdminContext, session: SessionId): Promise<number | undefined> {
    const before = Number(c.req.query("before") ?? Number.NaN);
    if (Number.isSafeInteger(before) && before > 0) return before;
    const [, epoch, seq] = /^(\d{1,9})-(\d{1,15})$/.exec(c.req.query("at") ?? "") ?? [];
    return epoch === undefined ? undefined : review.beforeOf(session, Number(epoch), Number(seq), SHOWN / 2);
  }

  /** Undefined for an id that is none, that is unknown, and that is of another space: all the same from outside. */
  async function find(c: AdminContext): Promise<Overview | undefined> {
    const { who } = c.get("viewer");
    const session = toSessionId(c.req.param("id") ?? "");
    const found = session === undefined ? undefined : await overviewOf(who, session);
    if (found === undefined)
      await audit.write({ who, kind: "refused", about: `no such thread: ${c.req.path}` });
    return found;
  }

  /** One that began a moment ago has none yet. */
  async function overviewOf(who: Person, session: SessionId): Promise<Overview | undefined> {
    if (!isOf(session, who)) return undefined;
    const { platform, space, channel } = threadOf(session);
    await deps.channels.look({ platform, space, channel });
    const found = await overviews.get(who, session);
    if (found !== undefined) return found;
    await deps.makeOverview(session);
    return overviews.get(who, session);
  }

  /** Written down before it is shown. */
  async function withThread(
    c: AdminContext,
    kind: AuditKind,
    show: (overview: Overview) => Promise<Response>,
    about?: string,
  ): Promise<Response> {
    return opened(c, async (overview) => {
      const { who } = c.get("viewer");
      const { session } = overview;
      await audit.write({ who, kind, session, ...(about === undefined ? {} : { about }) });
      const answer = await show(overview);
      // The line before says what was asked.
      if (answer.status === 404)
        await audit.write({ who, kind: "refused", session, about: `not there: ${about ?? c.req.path}` });
      return answer;
    });
  }
}

function sideIn(c: Context): ThreadSide {
  const side = c.req.query("side");
  return side === "people" || side === "model" ? side : "both";
}

async function unknown(c: Context): Promise<Response> {
  return problem(c, "No such thread", "It is not one of this space, or its address is not whole.", 404);
}

function raw(c: Context, body: string, name: string): Response {
  c.header("Cache-Control", "no-store, private");
  c.header("Content-Disposition", `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}"`);
  return c.body(body, 200, { "Content-Type": "application/octet-stream" });
}
