/** The pages before the sign-in: how one comes in, and the button behind a link. */

import { html } from "hono/html";
import type { Person } from "../../../core/ports/sign-ins.ts";
import { lonePage, type Markup } from "./layout.ts";

/** @param wanted the page that was asked for. */
export function signInPage(options: {
  readonly mayEnterHere: boolean;
  readonly wanted: string | undefined;
}): Markup {
  const next = options.wanted ?? "/admin/";
  const here = html`<form method="post" action="/admin/here">
      <input type="hidden" name="next" value="${next}" />
      <button class="act main">Open as the owner of this machine</button>
    </form>
    <p class="dim">That shows the threads of the web chat. For those of Slack and Discord:</p>`;
  return lonePage(
    "Sign in",
    html`<p>These pages show what people wrote and what the bot did. They are for admins and reviewers.</p>
      ${options.mayEnterHere ? here : ""}
      <ul class="ways">
        <li>
          In Slack mention the bot in a thread with <kbd>transcript</kbd>, or write <kbd>/bobbin admin</kbd>.
        </li>
        <li>In Discord use <kbd>/transcript</kbd> in a thread, or <kbd>/admin</kbd>.</li>
      </ul>
      <p>The bot answers you alone, with a link that works once.</p>`,
  );
}

/** Nothing happens before the button: who looks at a link for a preview uses nothing up. */
export function enterPage(who: Person, secret: string): Markup {
  return lonePage(
    "Sign in",
    html`<p>
        As <bdi>${who.name}</bdi>, for the threads of <code>${who.platform}:${who.space}</code>. If that is
        not you, close this page.
      </p>
      <form method="post" action="/admin/in/${secret}"><button class="act main">Sign in</button></form>
      <p class="dim">
        The link is used up then. You stay signed in for eight hours, and for one without a look.
      </p>`,
  );
}

export function staleLinkPage(): Markup {
  return lonePage(
    "This link does not work",
    html`<p>It was used already, or is older than 15 minutes.</p>
      <p>Ask for a new one in the thread: <kbd>transcript</kbd>.</p>`,
  );
}
