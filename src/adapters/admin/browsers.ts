/** Which browsers are signed in, and putting one out. Reviewers see their own, admins all of the space. */

import type { Hono } from "hono";
import { html } from "hono/html";
import type { Audit } from "../../core/ports/audit.ts";
import type { Entered, SignIns } from "../../core/ports/sign-ins.ts";
import { moment, nothing, page, problemPage, token, type Markup } from "./pages/layout.ts";
import { shown } from "./shown.ts";
import { aroundOf } from "./around.ts";
import type { AdminEnv } from "./viewer.ts";

export function routeBrowsers(
  app: Hono<AdminEnv>,
  { signIns, audit }: { readonly signIns: SignIns; readonly audit: Audit },
): void {
  app.get("/browsers", async (c) => {
    const { who, role, entered } = c.get("viewer");
    await audit.write({ who, kind: "browsers" });
    const browsers = await signIns.list(who, role === "admin" ? undefined : who.person);
    const around = aroundOf(c);
    const row = (each: Entered): Markup =>
      html`<tr>
        <td><bdi>${each.who.name}</bdi> <code class="dim">${each.who.person}</code></td>
        <td data-label="Since">${moment(each.createdAt)}</td>
        <td data-label="Last seen">${moment(each.seenAt)}</td>
        <td class="wide">${each.browser === "" ? html`<span class="dim">not said</span>` : each.browser}</td>
        <td>
          <form method="post" action="/admin/browsers/${each.id}">
            ${token(around.csrf)}
            <button class="act">${each.id === entered.id ? "Sign out here" : "Sign out"}</button>
          </form>
        </td>
      </tr>`;
    return shown(
      c,
      page(
        around,
        "browsers",
        "Signed in",
        html`<h1>Signed in</h1>
          <p class="dim">
            ${role === "admin" ? "Every browser that sees the threads of this space." : "Your browsers."} One
            that was not used for an hour is out by itself.
          </p>
          ${
            browsers.length === 0
              ? nothing("Nobody is signed in.")
              : html`<div class="table" role="region" aria-label="Browsers" tabindex="0">
                  <table>
                    <thead>
                      <tr>
                        <th scope="col">Who</th>
                        <th scope="col">Since</th>
                        <th scope="col">Last seen</th>
                        <th scope="col">Browser</th>
                        <th scope="col"><span class="unseen">Sign out</span></th>
                      </tr>
                    </thead>
                    <tbody>
                      ${browsers.map(row)}
                    </tbody>
                  </table>
                </div>`
          }`,
      ),
    );
  });

  app.post("/browsers/:id", async (c) => {
    const { who, role } = c.get("viewer");
    const id = c.req.param("id");
    await audit.write({ who, kind: "revoke", about: id });
    const wasIn = await signIns.leave(id, who, role === "admin" ? undefined : who.person);
    if (!wasIn)
      return shown(c, problemPage("Not found", "There is no such browser, or it is out by now."), 404);
    return c.redirect("/admin/browsers", 303);
  });
}
