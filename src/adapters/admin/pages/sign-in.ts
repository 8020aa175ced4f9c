/** The pages before the sign-in: how one comes in, and the button behind a link. */

import { html } from "hono/html";
import type { SignInWay } from "../../../core/ports/sign-in-way.ts";
import type { Person } from "../../../core/ports/sign-ins.ts";
import type { Platform } from "../../../core/thread.ts";
import { apart } from "./apart.ts";
import { lonePage, type Markup } from "./layout.ts";
import { lostMarkup, type Lost } from "./lost.ts";
import { wayPathOf } from "./paths.ts";

/** What there is on this server to come in by. */
export interface SignInChoices {
  /** As the owner of this machine. */
  readonly mayEnterHere: boolean;
  /** Platforms with a sign-in of their own that is set up. */
  readonly ways: readonly Pick<SignInWay, "platform" | "name">[];
  /** All platforms that are served. */
  readonly platforms: readonly Platform[];
}

/** @param wanted the page that was asked for. @param lost what was written into a form that only somebody who is in may send. */
export function signInPage({
  mayEnterHere,
  ways,
  platforms,
  wanted = "/admin/",
  lost,
}: SignInChoices & { readonly wanted: string | undefined; readonly lost?: Lost | undefined }): Markup {
  const buttons = ways.map(
    ({ platform, name }) =>
      html`<p>
        <a class="act main" href="${wayPathOf(platform)}?next=${encodeURIComponent(wanted)}"
          >Sign in with ${name}</a
        >
      </p>`,
  );
  const here = html`<form method="post" action="/admin/here">
      <input type="hidden" name="next" value="${wanted}" />
      <button class="act main">Open as the owner of this machine</button>
    </form>
    <p class="dim">That shows the threads of the web chat.</p>`;
  const asked = ASKED.filter(({ platform }) => platforms.includes(platform));
  const isWebAlone = asked.length === 0;
  return lonePage(
    "Sign in",
    html`${lost === undefined ? "" : lostMarkup(lost)}
      <p>These pages show what people wrote and what the bot did. They are for admins and reviewers.</p>
      ${buttons} ${mayEnterHere ? here : ""}
      ${
        isWebAlone
          ? ""
          : html`<p>
                ${ways.length > 0 || mayEnterHere ? "Or ask the bot" : "Ask the bot"} for a link that works
                once; it answers you alone:
              </p>
              <ul class="ways">
                ${asked.map(({ how }) => html`<li>${how}</li>`)}
              </ul>`
      }
      ${isWebAlone && !mayEnterHere ? NO_WAY : ""}`,
  );
}

const ASKED: readonly { readonly platform: Platform; readonly how: Markup }[] = [
  {
    platform: "slack",
    how: html`In Slack mention it in a thread with <kbd>transcript</kbd>, or write <kbd>/bobbin admin</kbd>.`,
  },
  {
    platform: "discord",
    how: html`In Discord use <kbd>/transcript</kbd> in a thread, or <kbd>/admin</kbd>.`,
  },
];

const NO_WAY = html`<p>From here nobody can come in.</p>
  <ul class="ways">
    <li>
      The web chat&rsquo;s threads are opened in a browser on the machine that the bot runs on, while
      <code>PUBLIC_URL</code> is not set.
    </li>
    <li>
      For threads of Slack or Discord whoever runs the bot sets up <code>SLACK_BOT_TOKEN</code> or
      <code>DISCORD_TOKEN</code> first.
    </li>
  </ul>`;

/** Nothing happens before the button: who looks at a link for a preview uses nothing up. */
export function enterPage(who: Person, secret: string): Markup {
  return lonePage(
    "Sign in",
    html`<p>
        As ${apart(who.name)}, for the threads of <code>${who.platform}:${who.space}</code>. If that is not
        you, close this page.
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
      <p>Ask for a new one in the thread: <kbd>transcript</kbd>.</p>
      <p><a href="/admin/sign-in">Other ways to sign in</a></p>`,
  );
}
