/** Which browsers are signed in, and putting one or all out. Reviewers see their own, admins all of the space. */

import type { Hono } from "hono";
import { html } from "hono/html";
import type { Audit } from "../../core/ports/audit.ts";
import type { Entered, SignIns } from "../../core/ports/sign-ins.ts";
import { apart } from "./pages/apart.ts";
import { moment, nothing, page, problemPage, token, type Markup } from "./pages/layout.ts";
import { shown } from "./shown.ts";
import { aroundOf } from "./around.ts";
import { onlyAdmins, type AdminContext, type AdminEnv } from "./viewer.ts";

export function routeBrowsers(
  app: Hono<AdminEnv>,
  { signIns, audit }: { readonly signIns: SignIns; readonly audit: Audit },
): void {
  app.get("/browsers", async (c) => {
    const { who, role, entered } = c.get("viewer");
    await audit.write({ who, kind: "browsers" });
    const browsers = await signIns.list(who, role === "admin" ? undefined : who.person);
    const around = aroundOf(c);
    const own = browsers.filter((each) => each.who.person === who.person);
    const row = (each: Entered): Markup =>
      html`<tr>
        <td class="who">${apart(each.who.name)} <code class="dim">${each.who.person}</code></td>
        <td data-label="Since">${moment(each.createdAt)}</td>
        <td data-label="Last seen">${moment(each.seenAt)}</td>
        <td class="wide">${each.browser === "" ? html`<span class="dim">not said</span>` : each.browser}</td>
        <td>
          <form method="post" action="/admin/browsers/${each.id}">
            ${token(around.csrf)}
            <button class="act">${each.id === entered.id ? "Sign out here" : "Sign out"}</button>
            ${
              each.who.person !== who.person && browsers.some((other) => isOther(other, each))
                ? html`<button class="act" formaction="/admin/browsers/${each.id}/all">All of theirs</button>`
                : ""
            }
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
            that was not used for an hour is out by itself. Who still has a role can come in again: to end
            that, take it away on the platform.
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
          }
          ${
            own.length > 1
              ? html`<form method="post" action="/admin/browsers">
                  ${token(around.csrf)}
                  <p><button class="act">Sign out my other browsers</button></p>
                </form>`
              : ""
          }
          <p><a href="/admin/sign-in">Sign in to another space</a></p>`,
      ),
    );
  });

  app.post("/browsers", async (c) => {
    const { who, entered } = c.get("viewer");
    await audit.write({ who, kind: "revoke", about: "my other browsers" });
    await signIns.leaveOthers(entered.id, who);
    return c.redirect("/admin/browsers", 303);
  });

  app.post("/browsers/:id/all", onlyAdmins({ audit }), async (c) => {
    const { who, entered } = c.get("viewer");
    const named = (await signIns.list(who)).find(({ id }) => id === c.req.param("id"));
    if (named === undefined) return gone(c);
    await audit.write({ who, kind: "revoke", about: `all of ${named.who.person}` });
    await signIns.leaveOthers(entered.id, named.who);
    return c.redirect("/admin/browsers", 303);
  });

  app.post("/browsers/:id", async (c) => {
    const { who, role } = c.get("viewer");
    const id = c.req.param("id");
    await audit.write({ who, kind: "revoke", about: id });
    const wasIn = await signIns.leave(id, who, role === "admin" ? undefined : who.person);
    if (!wasIn) {
      await audit.write({ who, kind: "refused", about: `no such browser: ${id}` });
      return gone(c);
    }
    return c.redirect("/admin/browsers", 303);
  });
}

function isOther(one: Entered, of: Entered): boolean {
  return one.id !== of.id && one.who.person === of.who.person;
}

async function gone(c: AdminContext): Promise<Response> {
  return shown(c, problemPage("Not found", "There is no such browser, or it is out by now."), 404);
}
