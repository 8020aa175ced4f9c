/**
 * What is being done just now: a page that is kept up to date, and Retry for what failed. Figures are of the whole installation, and say
 * nothing of whom; whatever has a name is of the viewer's space. For admins.
 */

import type { Channels } from "../../core/admin/channels.ts";
import type { Hono } from "hono";
import { keepNewest } from "../../core/keep-newest.ts";
import type { AttendanceBook } from "../../core/ports/attendance.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Operations, ParkedRun } from "../../core/ports/operations.ts";
import type { Space } from "../../core/ports/overviews.ts";
import type { Person } from "../../core/ports/sign-ins.ts";
import type { Watched } from "../../core/ports/watched.ts";
import { withTimeLimit } from "../../core/pause.ts";
import { aroundOf } from "./around.ts";
import { streamPage, type LiveDeps } from "./live.ts";
import { page, problemPage } from "./pages/layout.ts";
import {
  operationsBody,
  operationsContent,
  triedAgainBody,
  type OperationsView,
} from "./pages/operations.ts";
import { shown } from "./shown.ts";
import { onlyAdmins, type AdminEnv } from "./viewer.ts";

export interface OperationsDeps extends LiveDeps {
  readonly operations: Operations;
  readonly watched: Watched;
  readonly attendance: Pick<AttendanceBook, "list">;
  /** Whether somebody may see the queues in detail. */
  readonly seesBoard: (who: Person) => boolean;
  /** Gives the thread's own command in the name of who asks, with the rules that it has there. @returns what it answers. */
  retry(who: Person, parked: ParkedRun): Promise<string>;
  readonly audit: Audit;
  readonly channels: Channels;
}

const LOOK_MS = 2_000;
/** So long somebody who looks waits for a server that does not answer, ms. */
const ASK_MS = 1_000;
/** After so long what was asked counts as lost, ms, and is asked again. */
const LOST_MS = 10_000;
/** Spaces of which the newest look is kept. */
const MOST_SPACES = 100;

export function routeOperations(app: Hono<AdminEnv>, deps: OperationsDeps): void {
  const { operations, watched, attendance, audit, clock } = deps;
  const load = asked(() => operations.load());
  const depth = asked(() => watched.depth());
  const there = asked(() => attendance.list());
  const ofSpaces = new Map<string, ReturnType<typeof ofSpace>>();

  /** However many look, each thing is asked once in a while, and not again while it has not answered. Undefined where it does not. */
  function asked<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
    let last: { readonly answer: Promise<T | undefined>; freshUntil: number } | undefined;
    return async () => {
      if (last === undefined || clock.ticks() >= last.freshUntil) {
        const mine = { answer: ask().catch(() => undefined), freshUntil: clock.ticks() + LOST_MS };
        const over = (): void => void (mine.freshUntil = clock.ticks() + LOOK_MS / 2);
        mine.answer.then(over, over);
        last = mine;
      }
      return withTimeLimit(clock, ASK_MS, "a look at the operations", last.answer).catch(() => undefined);
    };
  }

  function ofSpace(space: Space) {
    return {
      budgets: asked(() => watched.budgets(space)),
      work: asked(async () => {
        const work = await operations.of(space);
        const sessions = work.runs.map(({ session }) => session);
        const leases = await withTimeLimit(clock, ASK_MS / 2, "the leases", watched.leases(sessions)).catch(
          () => undefined,
        );
        return { ...work, leases };
      }),
    };
  }

  async function viewOf(who: Person, csrf: string): Promise<OperationsView> {
    const { platform, space } = who;
    const key = `${platform}:${space}`;
    const kept = ofSpaces.get(key) ?? ofSpace({ platform, space });
    keepNewest(ofSpaces, key, kept, MOST_SPACES);
    const [all, queues, processes, work, budgets] = await Promise.all([
      load(),
      depth(),
      there(),
      kept.work(),
      kept.budgets(),
    ]);
    return {
      space: key,
      csrf,

      seesBoard: deps.seesBoard(who),
      load: all,
      queues,
      processes,
      work,
      budgets,
    };
  }

  app.get("/operations", onlyAdmins(deps), async (c) => {
    const { who } = c.get("viewer");
    await audit.write({ who, kind: "operations" });
    await deps.channels.learn(who);
    const view = await viewOf(who, c.get("csrf"));
    return shown(c, page(aroundOf(c), "operations", "Operations", operationsBody(view)));
  });

  app.get("/operations/live", onlyAdmins(deps), async (c) => {
    const { who } = c.get("viewer");
    await audit.write({ who, kind: "operations", about: "live" });
    let last = "";
    return streamPage(c, deps, {
      lookMs: LOOK_MS,
      state: async () => (last = String(await operationsContent(await viewOf(who, c.get("csrf"))))),
      content: async () => last,
    });
  });

  app.post("/operations/retry", onlyAdmins(deps), async (c) => {
    const { who } = c.get("viewer");
    const { run } = await c.req.parseBody();
    const parked = typeof run === "string" && run !== "" ? await operations.parked(who, run) : undefined;
    if (parked === undefined) {
      const sentence = "It is not one of this space, or something newer happened in its thread.";
      return shown(c, problemPage("Nothing to try again", sentence), 404);
    }
    await audit.write({ who, kind: "retry", session: parked.session, about: parked.run });
    const answer = await deps.retry(who, parked);
    return shown(c, page(aroundOf(c), "operations", "Retry", triedAgainBody(parked, answer)));
  });
}
