/** Answers with an export: at most two at a time, written down before the first byte and at the end. */

import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import {
  exportThreads,
  type ExportCounts,
  type ExportDeps,
  type ExportScope,
} from "../../../core/admin/export/export-threads.ts";
import { needsReason } from "../../../core/admin/needs-reason.ts";
import { TooBusy } from "../../../core/admin/too-busy.ts";
import type { Viewers } from "../../../core/admin/viewers.ts";
import { keepNewest } from "../../../core/keep-newest.ts";
import type { Audit } from "../../../core/ports/audit.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { Person } from "../../../core/ports/sign-ins.ts";
import { cookieName, type AdminContext, type CookieOptions } from "../viewer.ts";
import { downloadOf } from "./download.ts";
import { jsonl, type ExportAbout, type ExportFormat } from "./format.ts";
import { htmlFile } from "./html-file.ts";
import { markdown } from "./markdown.ts";

export const FORMATS = { jsonl, markdown, html: htmlFile } as const satisfies Readonly<
  Record<string, ExportFormat>
>;
export type FormatName = keyof typeof FORMATS;

export interface ExporterDeps extends ExportDeps {
  readonly viewers: Viewers;
  readonly audit: Audit;
  readonly log: Log;
  readonly cookie: CookieOptions;
}

/** @throws TooBusy where two are under way. */
export type SendExport = (c: AdminContext, scope: ExportScope, format: FormatName) => Promise<Response>;

export interface ExportProgress {
  readonly state: "under way" | "whole" | "broken off";
  readonly counts: Readonly<ExportCounts>;
}

export interface Exporter {
  readonly send: SendExport;
  /** Of the newest export that this process makes or has made for somebody; undefined for none. */
  progressOf(who: Person): ExportProgress | undefined;
}

const AT_ONCE = 2;
/** From one question whether who reads still may to the next, ms. */
const ASKED_MS = 15_000;
/** People whose newest export is remembered. */
const MOST_KEPT = 100;

export function createExporter(deps: ExporterDeps): Exporter {
  const { audit, clock, log, viewers } = deps;
  let under = 0;
  const newest = new Map<string, ExportProgress>();
  const keyOf = ({ platform, space, person }: Person): string => `${platform}:${space}:${person}`;

  /** Counts that go on are those of the export itself. */
  function keep(who: Person, progress: ExportProgress): void {
    keepNewest(newest, keyOf(who), progress, MOST_KEPT);
  }

  return { send, progressOf: (who) => newest.get(keyOf(who)) };

  async function send(...[c, scope, format]: Parameters<SendExport>): Promise<Response> {
    const { who } = c.get("viewer");
    if (under >= AT_ONCE)
      throw new TooBusy("Two exports are under way. Try again when one of them has ended.");
    under += 1;
    const session = scope.kind === "thread" ? { session: scope.overview.session } : {};
    const what = scope.kind === "thread" ? "" : `, threads: ${JSON.stringify(scope.filter)}`;
    try {
      await audit.write({ who, kind: "export", ...session, about: `as ${format}${what}` });
    } catch (error) {
      under -= 1;
      throw error;
    }

    const counts: ExportCounts = { threads: 0, leftOut: 0, items: 0 };
    keep(who, { state: "under way", counts });
    const over = new AbortController();
    const closing = c.env?.closing;
    const close = (): void => over.abort(new Error("the process ends"));
    if (closing?.aborted) close();
    closing?.addEventListener("abort", close);
    const { space, platform, person } = who;
    const about: ExportAbout = {
      at: new Date(clock.now()).toISOString(),
      space: `${platform}:${space}`,
      by: person,
      ...(scope.kind === "thread" ? { thread: scope.overview.session } : { filter: scope.filter }),
    };

    async function ended(isWhole: boolean): Promise<void> {
      under -= 1;
      closing?.removeEventListener("abort", close);
      const { threads, leftOut, items } = counts;
      const how = isWhole ? "whole" : "broken off";
      // A newer one may have begun.
      if (newest.get(keyOf(who))?.counts === counts) keep(who, { state: how, counts });
      const said = `${how}: ${threads} threads, ${items} items${leftOut === 0 ? "" : `, ${leftOut} threads left out`}`;
      try {
        await audit.write({ who, kind: "export_end", ...session, about: said });
      } catch (error) {
        log.error("the end of an export could not be written down", { error });
      }
    }

    const stream = downloadOf(pieces(c, scope, FORMATS[format], about, counts, over.signal), clock, {
      over,
      ended,
    });
    return new Response(stream, {
      headers: {
        "Cache-Control": "no-store, private",
        "Content-Type": FORMATS[format].contentType,
        "Content-Disposition": `attachment; filename="${nameOf(about)}.${FORMATS[format].extension}"`,
        // What is made while it is read is not held back by anything in between.
        "X-Accel-Buffering": "no",
      },
    });
  }

  async function* pieces(
    c: AdminContext,
    scope: ExportScope,
    format: ExportFormat,
    about: ExportAbout,
    counts: ExportCounts,
    signal: AbortSignal,
  ): AsyncGenerator<string, void, undefined> {
    const { who } = c.get("viewer");
    const secret = getCookie(c as Context, cookieName(deps.cookie));
    let asked = clock.ticks();
    yield format.begin(about);
    const before: Parameters<typeof exportThreads>[3]["before"] = async (overview) => {
      // Who reads what is somebody's own stands in the log of that thread too.
      if (scope.kind === "filter" && needsReason(overview))
        await audit.write({
          who,
          kind: "export",
          session: overview.session,
          about: "with others, for the reason above",
        });
    };
    for await (const item of exportThreads(deps, who, scope, { counts, signal, before })) {
      if (clock.ticks() - asked >= ASKED_MS) {
        asked = clock.ticks();
        if ((await viewers.of(secret)).kind !== "in") throw new Error("who reads has no role any more");
      }
      const text = format.item(item);
      if (text !== "") yield text;
    }
    yield format.end(counts);
  }
}

function nameOf({ at, space, thread }: ExportAbout): string {
  return `bobbin-${thread ?? `${space}-${at.slice(0, 10)}`}`.replaceAll(/[^A-Za-z0-9._-]/g, "_");
}
