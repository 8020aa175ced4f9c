/** What reviewers said of a thread, and the forms for it. */

import { html } from "hono/html";
import type { Overview } from "../../../core/ports/overviews.ts";
import { REMARK_KINDS, type Remark, type RemarkKind } from "../../../core/ports/remarks.ts";
import type { Person } from "../../../core/ports/sign-ins.ts";
import type { SessionId } from "../../../core/thread.ts";
import { apart } from "./apart.ts";
import { moment, token, type Markup } from "./layout.ts";
import { labelShown } from "./label.ts";
import { lostMarkup, type Lost } from "./lost.ts";
import { entryPathOf, threadPathOf } from "./paths.ts";
import { words } from "./words.ts";

const KINDS: Readonly<Record<RemarkKind, string>> = {
  wrong: "Flag: wrong answer",
  harmful: "Flag: harmful",
  private: "Flag: private data",
  good: "Flag: a good example",
  note: "Note only",
};

/** @param people to whom a flag can be given, besides who looks. */
export function remarksMarkup(
  session: SessionId,
  remarks: readonly Remark[],
  people: readonly Pick<Person, "person" | "name">[],
  csrf: string,
): Markup {
  const path = threadPathOf(session);
  const open = remarks.filter(({ kind, resolvedAt }) => kind !== "note" && resolvedAt === undefined).length;
  const title =
    remarks.length === 0
      ? "Flag it or write a note"
      : `${remarks.length} ${remarks.length === 1 ? "remark" : "remarks"}, ${open} open`;
  return html`<details class="remarks" id="remarks" ${open > 0 ? "open" : ""}>
    <summary>${title}</summary>
    <ol>
      ${remarks.map((remark) => remarkMarkup(session, remark, people, csrf))}
    </ol>
    <form method="post" action="${path}/remarks" class="remark-form">
      ${token(csrf)}
      <label
        >What
        <select name="kind">
          ${REMARK_KINDS.map((kind) => html`<option value="${kind}">${KINDS[kind]}</option>`)}
        </select></label
      >
      <label
        >About the entry<input name="about" placeholder="1.4, or none" size="8" autocomplete="off"
      /></label>
      <label class="grow">Why<textarea name="text" rows="2" required maxlength="4000"></textarea></label>
      <button class="act">Add</button>
    </form>
  </details>`;
}

function remarkMarkup(
  session: SessionId,
  remark: Remark,
  people: readonly Pick<Person, "person" | "name">[],
  csrf: string,
): Markup {
  const { id, kind, text, name, at, about, assigneeName, resolvedAt, resolvedName } = remark;
  const path = threadPathOf(session);
  const isOpen = kind !== "note" && resolvedAt === undefined;
  const button = (what: string, label: string): Markup =>
    html`<form method="post" action="${path}/remarks/${id}/${what}">
      ${token(csrf)}<button class="act">${label}</button>
    </form>`;
  const giveTo =
    people.length === 0
      ? ""
      : html`<form method="post" action="${path}/remarks/${id}/assign">
          ${token(csrf)}
          <label class="inline"
            ><span class="unseen">To whom</span
            ><select name="to">
              ${people.map(({ person, name: called }) => html`<option value="${person}">${called}</option>`)}
            </select></label
          >
          <button class="act">Give it to them</button>
        </form>`;
  return html`<li>
    <p>
      <span class="tag ${isOpen ? "bad" : ""}">${kind}</span> ${apart(name)} ${moment(at)}
      ${about === undefined ? "" : html`<a href="${entryPathOf(session, about.epoch, about.seq)}">entry ${about.epoch}.${about.seq}</a>`}
      ${assigneeName === undefined ? "" : html`<span class="dim">with ${apart(assigneeName)}</span>`}
      ${resolvedAt === undefined ? "" : html`<span class="dim">resolved by ${apart(resolvedName ?? "")} ${moment(resolvedAt)}</span>`}
    </p>
    ${words(text)}
    ${isOpen ? html`<div class="acts">${button("assign", "I look after it")} ${giveTo} ${button("resolve", "Resolved")}</div>` : ""}
  </li>`;
}

/** Asked before what was not written for everybody is shown. @param next where it leads then. @param lost what was written meanwhile. */
export function reasonBody(
  overview: Overview,
  { csrf, next, lost }: { readonly csrf: string; readonly next: string; readonly lost: Lost | undefined },
): Markup {
  return html`<p class="back"><a href="/admin/">Threads</a></p>
    <h1>${labelShown(overview)}</h1>
    ${lost === undefined ? "" : lostMarkup(lost)}
    <p>
      ${
        overview.isDirect
          ? "This is a conversation of one person with the bot alone."
          : "This thread is in a private channel, or the platform does not say that it is in a public one."
      }
      Say why you open it: your reason is kept in the audit log.
    </p>
    ${reasonForm(overview.session, { csrf, next, rows: 3 })}`;
}

/** @param next where it leads then. */
export function reasonForm(
  session: SessionId,
  { csrf, next, rows }: { readonly csrf: string; readonly next: string; readonly rows: number },
): Markup {
  return html`<form method="post" action="${threadPathOf(session)}/reason" class="remark-form">
    ${token(csrf)}<input type="hidden" name="next" value="${next}" />
    <label class="grow"
      >Reason<textarea name="reason" rows="${rows}" required maxlength="4000"></textarea>
    </label>
    <button class="act main">Open it</button>
  </form>`;
}
