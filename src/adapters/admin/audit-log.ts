/** The page of the audit log: who did what on these pages, the newest first. For admins. */

import type { Hono } from "hono";
import { html } from "hono/html";
import type { Audit, AuditedLine, AuditKind } from "../../core/ports/audit.ts";
import { aroundOf } from "./around.ts";
import { apart } from "./pages/apart.ts";
import { moment, nothing, page, type Markup } from "./pages/layout.ts";
import { shown } from "./shown.ts";
import { threadPathOf } from "./pages/paths.ts";
import { onlyAdmins, type AdminEnv } from "./viewer.ts";

const SHOWN = 100;

/** How each reads behind the person's name. */
const DONE: Readonly<Record<AuditKind, string>> = {
  sign_in: "signed in",
  sign_in_refused: "was not let in",
  sign_out: "signed out",
  revoke: "asked to put a browser out",
  browsers: "looked at who is signed in",
  view: "read a transcript",
  view_request: "read a model request",
  list: "looked at the threads",
  search: "searched",
  reason: "gave a reason",
  flag: "flagged",
  review: "reviewed",
  note: "wrote a note",
  export: "exported",
  export_end: "had exported",
  // What was asked; where nothing came of it the next line says why.
  erase: "asked to erase",
  erasures: "looked at what was erased and is held",
  hold: "asked for a legal hold",
  lift: "asked to lift a legal hold",
  forget: "forgot what is older than it is kept",
  usage: "looked at the usage",
  operations: "looked at the operations",
  retry: "had an answer tried again",
  audit: "looked at this log",
  refused: "was refused",
};

export function routeAudit(app: Hono<AdminEnv>, deps: { readonly audit: Audit }): void {
  const { audit } = deps;
  app.get("/audit", onlyAdmins(deps), async (c) => {
    const { who } = c.get("viewer");
    const before = Number(c.req.query("before") ?? Number.NaN);
    const isLater = Number.isSafeInteger(before) && before > 0;
    await audit.write({ who, kind: "audit" });
    const lines = await audit.list(who, { limit: SHOWN + 1, ...(isLater ? { before } : {}) });
    const rows = lines.slice(0, SHOWN);
    const oldest = rows.at(-1);
    const more =
      lines.length > SHOWN && oldest !== undefined
        ? html`<p><a class="act" href="/admin/audit?before=${oldest.n}">Earlier</a></p>`
        : "";
    return shown(
      c,
      page(
        aroundOf(c),
        "audit",
        "Audit log",
        html`<h1>Audit log</h1>
          <p class="dim">What was done on these pages. Lines are only ever added.</p>
          ${rows.length === 0 ? nothing("Nothing was done yet.") : tableOf(rows)} ${more}`,
      ),
    );
  });
}

function tableOf(lines: readonly AuditedLine[]): Markup {
  const row = ({ at, who, kind, session, about }: AuditedLine): Markup =>
    html`<tr>
      <td>${moment(at)}</td>
      <td>${apart(who.name)} <code class="dim">${who.person}</code></td>
      <td>${DONE[kind] ?? kind}</td>
      <td class="wide">
        ${session === undefined ? "" : html`<a href="${threadPathOf(session)}"><code>${session}</code></a>`}
        ${about === undefined ? "" : html`<span class="plain">${about}</span>`}
      </td>
    </tr>`;
  return html`<div class="table" role="region" aria-label="Audit log" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">Did what</th>
          <th scope="col">To what</th>
        </tr>
      </thead>
      <tbody>
        ${lines.map(row)}
      </tbody>
    </table>
  </div>`;
}
