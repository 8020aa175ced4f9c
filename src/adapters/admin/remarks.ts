/** Flags and notes on a thread: made, taken on and resolved; and the reason for opening one that is somebody's own. */

import type { Hono } from "hono";
import type { Viewers } from "../../core/admin/viewers.ts";
import type { NewId } from "../../core/ids.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Overview } from "../../core/ports/overviews.ts";
import { REMARK_KINDS, type Remarks } from "../../core/ports/remarks.ts";
import type { Reviews } from "../../core/ports/reviews.ts";
import type { WithStored } from "./erase.ts";
import { ownPathWithin, threadPathOf } from "./pages/paths.ts";
import { noReviewer, reviewerIn } from "./reviews.ts";
import { problem, textIn } from "./typed.ts";
import type { AdminContext, AdminEnv } from "./viewer.ts";

export interface RemarkDeps {
  readonly remarks: Remarks;
  readonly audit: Audit;
  readonly newId: NewId;
  readonly reviews: Reviews;
  readonly viewers: Viewers;
}

/** Calls `work` with the thread, where the viewer may see it now. */
export type WithThread = (
  c: AdminContext,
  work: (overview: Overview) => Promise<Response>,
) => Promise<Response>;

export function routeRemarks(
  app: Hono<AdminEnv>,
  { remarks, audit, newId, reviews, viewers }: RemarkDeps,
  /** `opened`: a reason is given where one is needed. `stored`: it is of the viewer's space, also where it never began. */
  threads: { readonly opened: WithThread; readonly stored: WithStored },
): void {
  app.post("/threads/:id/reason", (c) =>
    threads.stored(c, async (session, _, page) => {
      const { who, entered } = c.get("viewer");
      const reason = await textIn(c, "reason");
      if (reason === undefined)
        return unreadable(c, "Say in a few words why you open it, in 4,000 letters at most.");
      await audit.write({ who, kind: "reason", session, about: reason });
      await remarks.giveReason(entered.id, session, reason);
      return c.redirect(ownPathWithin(page, (await c.req.parseBody())["next"]), 303);
    }),
  );

  app.post("/threads/:id/remarks", (c) =>
    threads.opened(c, async ({ session }) => {
      const { who } = c.get("viewer");
      const form = await c.req.parseBody();
      const kind = REMARK_KINDS.find((each) => each === form["kind"]);
      const text = await textIn(c, "text");
      if (kind === undefined || text === undefined)
        return unreadable(c, "Write what it is about, in 4,000 letters at most.");
      const line = await textIn(c, "about");
      const [, epoch, seq] = /^(\d{1,9})[.-](\d{1,15})$/.exec(line ?? "") ?? [];
      if (line !== undefined && epoch === undefined)
        return unreadable(c, "Name the entry by the number that stands above it, such as 1.4, or name none.");
      const about = epoch === undefined ? {} : { about: { epoch: Number(epoch), seq: Number(seq) } };
      const id = newId();
      await audit.write({ who, kind: kind === "note" ? "note" : "flag", session, about: `${kind} ${id}` });
      await remarks.add(session, { id, kind, text, ...about }, who);
      return c.redirect(`${threadPathOf(session)}#remarks`, 303);
    }),
  );

  for (const what of ["assign", "resolve"] as const) {
    app.post(`/threads/:id/remarks/:remark/${what}`, (c) =>
      threads.opened(c, async ({ session }) => {
        const { who } = c.get("viewer");
        const id = c.req.param("remark") ?? "";
        const whom = what === "assign" ? await reviewerIn(c, viewers, reviews) : who;
        if (whom === undefined) return noReviewer(c);
        const to = whom.person === who.person ? "" : ` to ${whom.person}`;
        await audit.write({ who, kind: "flag", session, about: `${what} ${id}${to}` });
        if (!(await remarks[what](session, id, whom))) {
          await audit.write({ who, kind: "refused", session, about: `${what}: no open flag ${id}` });
          return problem(c, "Not found", "There is no such open flag in this thread.", 404);
        }
        return c.redirect(`${threadPathOf(session)}#remarks`, 303);
      }),
    );
  }
}

async function unreadable(c: AdminContext, sentence: string): Promise<Response> {
  return problem(c, "Not done", sentence, 400);
}
