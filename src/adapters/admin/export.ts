/** Taking threads out as a file: one, or all that the list finds. */

import type { Hono } from "hono";
import type { Channels } from "../../core/admin/channels.ts";
import { needsReason } from "../../core/admin/needs-reason.ts";
import type { Audit } from "../../core/ports/audit.ts";
import type { Exports } from "../../core/ports/exports.ts";
import type { Remarks } from "../../core/ports/remarks.ts";
import { aroundOf } from "./around.ts";
import { FORMATS, type Exporter, type FormatName, type SendExport } from "./export/exporter.ts";
import { aboutOf, filterIn } from "./filter.ts";
import { streamPage, type LiveDeps } from "./live.ts";
import { exportBody, progressMarkup } from "./pages/export.ts";
import { page } from "./pages/layout.ts";
import type { WithThread } from "./remarks.ts";
import { shown } from "./shown.ts";
import { lostIn, problem, textIn } from "./typed.ts";
import type { AdminContext, AdminEnv } from "./viewer.ts";

export interface ExportRouteDeps extends LiveDeps {
  readonly exports: Exports;
  readonly audit: Audit;
  readonly remarks: Remarks;
  readonly channels: Channels;
}

export function routeExport(
  app: Hono<AdminEnv>,
  deps: ExportRouteDeps,
  { send, progressOf }: Exporter,
): void {
  const { exports, audit, remarks, channels } = deps;

  app.get("/export", async (c) => {
    const { who } = c.get("viewer");
    const filter = filterIn(c);
    await audit.write({ who, kind: "list", ...aboutOf(filter) });
    const found = await exports.count(who, filter);
    const around = aroundOf(c);
    const { search } = new URL(c.req.url);
    return shown(
      c,
      page(
        around,
        "threads",
        "Export",
        exportBody({ filter, found, query: search, csrf: around.csrf, progress: progressOf(who) }),
      ),
    );
  });

  // The page stays while the browser takes the file.
  app.get("/export/live", async (c) => {
    const { who } = c.get("viewer");
    await audit.write({ who, kind: "list", about: "how far an export is" });
    const content = async (): Promise<string> => String(await progressMarkup(progressOf(who)));
    return streamPage(c, deps, { state: content, content });
  });

  app.post("/export", async (c) => {
    const { who, entered } = c.get("viewer");
    const filter = filterIn(c);
    const format = await formatIn(c);
    if (format === undefined) return unknownFormat(c);
    const reason = await textIn(c, "reason");
    if (reason === undefined && (await lostIn(c)) !== undefined)
      return problem(c, "Not done", "Give the reason in 4,000 letters at most.", 400);
    if (reason !== undefined)
      await audit.write({ who, kind: "reason", about: `${reason} (an export of ${JSON.stringify(filter)})` });
    await channels.learn(who);
    const opened = await remarks.reasonsOf(entered.id);
    return send(
      c,
      {
        kind: "filter",
        filter,
        includes: (each) => !needsReason(each) || reason !== undefined || opened.has(each.session),
      },
      format,
    );
  });
}

export function routeThreadExport(app: Hono<AdminEnv>, opened: WithThread, send: SendExport): void {
  app.post("/threads/:id/export", (c) =>
    opened(c, async (overview) => {
      const format = await formatIn(c);
      return format === undefined ? unknownFormat(c) : send(c, { kind: "thread", overview }, format);
    }),
  );
}

async function formatIn(c: AdminContext): Promise<FormatName | undefined> {
  const given = (await c.req.parseBody())["format"];
  return typeof given === "string" && Object.hasOwn(FORMATS, given) ? (given as FormatName) : undefined;
}

function unknownFormat(c: AdminContext): Response | Promise<Response> {
  return problem(c, "Not done", "Choose what the file is written as.", 400);
}
