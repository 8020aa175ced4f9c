/** The pages on the way back from a platform's own sign-in. */

import { html } from "hono/html";
import type { AdminRole } from "../../../core/admin/viewers.ts";
import type { Person } from "../../../core/ports/sign-ins.ts";
import type { Platform } from "../../../core/thread.ts";
import { apart } from "./apart.ts";
import { lonePage, type Markup } from "./layout.ts";

export interface ChoosableSpace {
  readonly who: Person;
  /** Of the space. */
  readonly name: string;
  readonly role: AdminRole;
  readonly link: string;
}

/** Several spaces: one browser is signed in to one of them. */
export function choosePage({
  way,
  choices,
  next,
  hasMore,
}: {
  readonly way: string;
  readonly choices: readonly ChoosableSpace[];
  readonly next: string;
  readonly hasMore: boolean;
}): Markup {
  const choice = ({ who, name, role, link }: ChoosableSpace): Markup =>
    html`<li>
      <form method="post" action="/admin/in/${link}">
        <input type="hidden" name="next" value="${next}" />
        <button class="act main">${apart(name)}</button>
        <span class="dim">as ${role}, <code>${who.space}</code></span>
      </form>
    </li>`;
  return lonePage(
    "Which space?",
    html`<p>You may look at several. This browser shows one at a time; to change it, sign in again.</p>
      <ul class="choices">
        ${choices.map(choice)}
      </ul>
      ${
        hasMore
          ? html`<p class="dim">
              These are not all of your spaces. For another one ask the bot there for a link.
            </p>`
          : ""
      }
      <p class="dim">${way} has said who you are. The buttons work for ten minutes.</p>`,
  );
}

/** Known, and with no role anywhere. */
export function noRolePage({
  way,
  platform,
  person,
  name,
  places,
}: {
  readonly way: string;
  readonly platform: Platform;
  readonly person: string;
  readonly name: string;
  /** Names of the spaces in which they have none. */
  readonly places: readonly string[];
}): Markup {
  const list = places.map((each, n) => html`${n === 0 ? "" : ", "}${apart(each)}`);
  return lonePage(
    "No access",
    html`<p>${way} says that you are ${apart(name)}, <code>${platform}:*:${person}</code>.</p>
      ${
        places.length === 0
          ? html`<p>The bot is in no space of yours: it has to be installed there first.</p>`
          : html`<p>You are neither an admin nor a reviewer of ${list}.</p>
              <p>
                An admin of the space can make you one, or whoever runs the bot: by
                <code>access.reviewers</code> or <code>access.admins.users</code> in
                <code>bobbin.config.ts</code>.
              </p>`
      }
      <p><a href="/admin/sign-in">Sign in as somebody else</a></p>`,
  );
}

export function againPage(way: string, path: string, sentence: string): Markup {
  return lonePage(
    "Not signed in",
    html`<p>${sentence} Nothing was kept.</p>
      <p><a class="act main" href="${path}">Sign in with ${way}</a></p>
      <p><a href="/admin/sign-in">Other ways</a></p>`,
  );
}
