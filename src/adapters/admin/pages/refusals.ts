/** What was refused, and the form of who looks through a thread. */

import { html } from "hono/html";
import { needsReason } from "../../../core/admin/needs-reason.ts";
import type { ReviewState } from "../../../core/ports/overviews.ts";
import type { Refusal } from "../../../core/ports/reviews.ts";
import type { Person } from "../../../core/ports/sign-ins.ts";
import type { SessionId } from "../../../core/thread.ts";
import { apart } from "./apart.ts";
import { moment, nothing, token, type Around, type Markup } from "./layout.ts";
import { threadPathOf } from "./paths.ts";
import { queues } from "./queues.ts";
import { reasonForm } from "./remarks.ts";
import { partsMarkup } from "./thread-people.ts";

export interface RefusalsView {
  readonly refusals: readonly Refusal[];
  readonly hasMore: boolean;
  readonly isUnreviewed: boolean;
  /** Threads that this browser has opened with a reason. */
  readonly opened: ReadonlySet<SessionId>;
  readonly csrf: string;
  readonly role: Around["role"];
  /** This page, as it stands in an address. */
  readonly path: string;
}

export function refusalsBody(view: RefusalsView): Markup {
  const { refusals, hasMore, isUnreviewed } = view;
  const query = isUnreviewed ? "" : "all=1&";
  const last = refusals.at(-1);
  return html`<h1>Refusals</h1>
    ${queues("refusals")}
    <p class="dim">
      What people asked for and were not given, with the rule that refused it.
      ${
        isUnreviewed
          ? html`Those of threads that nobody has reviewed since;
              <a href="/admin/refusals?all=1">all of them</a>.`
          : html`All of them; <a href="/admin/refusals">only what is not reviewed</a>.`
      }
    </p>
    ${
      refusals.length === 0
        ? nothing(isUnreviewed ? "Nothing is left to review." : "Nothing was refused.")
        : html`<ol class="refusals">
            ${refusals.map((each) => refusalMarkup(each, view))}
          </ol>`
    }
    ${
      hasMore && last !== undefined
        ? html`<p class="more"><a class="act" href="/admin/refusals?${query}before=${last.seq}">Older</a></p>`
        : ""
    }`;
}

function refusalMarkup(refusal: Refusal, { opened, csrf, role, path }: RefusalsView): Markup {
  const { session, at, inbound, reason, rule, hasThread, review } = refusal;
  const { author } = inbound;
  const isShut = needsReason(refusal) && !opened.has(session);
  const what =
    inbound.kind === "command"
      ? html`<p>wanted <kbd>${inbound.command.name}</kbd></p>`
      : "parts" in inbound
        ? partsMarkup(inbound.parts)
        : "";
  return html`<li class="alone-line">
    <header>
      <strong>${apart(author.name)}</strong> <code class="dim">${author.id}</code> ${moment(at)} in
      ${hasThread ? html`<a href="${threadPathOf(session)}"><code>${session}</code></a>` : html`<code>${session}</code>`}
      ${hasThread ? "" : html`<span class="tag">no thread began</span>`} ${stateOf(review)}
    </header>
    ${isShut ? shut(session, hasThread ? undefined : reasonForm(session, { csrf, next: path, rows: 1 })) : what}
    <p class="decision">
      <span class="tag bad">refused</span> <span>${reason ?? ""}</span>
      ${rule === undefined || rule === reason ? "" : html`<span class="dim">${rule}</span>`}
    </p>
    <div class="acts">
      ${reviewButtons(session, csrf)}
      ${
        // Of any other the page of the thread has it.
        hasThread || role !== "admin"
          ? ""
          : html`<a class="act" href="${threadPathOf(session)}/erase">Erase or hold</a>`
      }
    </div>
  </li>`;
}

/** @param form where there is no page of the thread that asks for the reason. */
function shut(session: SessionId, form: Markup | undefined): Markup {
  if (form === undefined)
    return html`<p class="dim">
      What they wrote is shown once <a href="${threadPathOf(session)}">the thread</a> is opened with a reason.
    </p>`;
  return html`<p class="dim">
      What they wrote was not written for everybody. Say why you open it: your reason is kept in the audit
      log.
    </p>
    ${form}`;
}

export function stateOf({ assigneeName, reviewedAt, reviewedName }: ReviewState): Markup {
  return html`${assigneeName === undefined ? "" : html`<span class="tag">with ${apart(assigneeName)}</span>`}
  ${reviewedAt === undefined ? "" : html`<span class="dim">reviewed by ${apart(reviewedName ?? "")} ${moment(reviewedAt)}</span>`}`;
}

function reviewButtons(session: SessionId, csrf: string): Markup {
  const button = (what: string, label: string): Markup =>
    html`<form method="post" action="${threadPathOf(session)}/review/${what}">
      ${token(csrf)}<button class="act">${label}</button>
    </form>`;
  return html`${button("done", "Reviewed")} ${button("assign", "I look through it")}`;
}

/** On the page of a thread. @param people to whom it can be given. */
export function reviewMarkup(
  session: SessionId,
  review: ReviewState,
  people: readonly Pick<Person, "person" | "name">[],
  csrf: string,
): Markup {
  return html`<div class="review">
    ${stateOf(review)}
    <form method="post" action="${threadPathOf(session)}/review/done">
      ${token(csrf)}<button class="act">Reviewed</button>
    </form>
    <form method="post" action="${threadPathOf(session)}/review/assign">
      ${token(csrf)}
      <label class="inline"
        >Looked through by
        <select name="to">
          <option value="">me</option>
          ${people.map(({ person, name }) => html`<option value="${person}">${name}</option>`)}
        </select></label
      >
      <button class="act">Give it to them</button>
    </form>
  </div>`;
}
