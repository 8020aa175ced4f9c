/** Erasing and holds: the page of a space, the step before each erasure, and the proof of one. For admins. */

import { html } from "hono/html";
import type { ErasedThing, ErasedThread, Erasure, Extent } from "../../../core/ports/erasures.ts";
import type { Hold } from "../../../core/ports/holds.ts";
import type { Overview } from "../../../core/ports/overviews.ts";
import { apart } from "./apart.ts";
import { labelShown } from "./label.ts";
import { moment, nothing, token, type Markup } from "./layout.ts";
import { threadPathOf } from "./paths.ts";

export function erasuresBody(
  erasures: readonly Omit<Erasure, "threads">[],
  holds: readonly Hold[],
  csrf: string,
): Markup {
  return html`<h1>Erasing and holds</h1>
    <p class="dim">
      A thread is erased from its own page. What is erased is in no table, request, search or export any more;
      that it was erased stays here.
    </p>
    <h2>Erase a person</h2>
    <form method="get" action="/admin/erasures/person" class="remark-form">
      <label
        >Id on the platform<input
          name="person"
          required
          maxlength="64"
          placeholder="U012AB3CD"
          autocomplete="off"
      /></label>
      <button class="act">Look what that is</button>
    </form>
    <h2>Legal holds</h2>
    <p class="dim">What is held can be neither erased nor forgotten until the hold is lifted.</p>
    ${holds.length === 0 ? nothing("Nothing is held.") : holdTable(holds, csrf)}
    <form method="post" action="/admin/holds" class="remark-form">
      ${token(csrf)}
      <label
        >What<select name="kind">
          <option value="person">A person</option>
          <option value="thread">A thread</option>
          <option value="space">The whole space</option>
        </select></label
      >
      <label
        >Its id<input name="subject" maxlength="300" placeholder="none for the space" autocomplete="off"
      /></label>
      <label class="grow">Why<textarea name="reason" rows="2" required maxlength="4000"></textarea></label>
      <button class="act">Hold</button>
    </form>
    <h2>Erased</h2>
    ${erasures.length === 0 ? nothing("Nothing was erased yet.") : erasureTable(erasures)}`;
}

function holdTable(holds: readonly Hold[], csrf: string): Markup {
  const row = ({ id, kind, subject, reason, name, at, liftedAt, liftedName, isOfNobody }: Hold): Markup =>
    html`<tr>
      <td>
        ${thingMarkup(kind, subject)}
        ${isOfNobody === true ? html`<br /><span class="dim">Nobody of that id has written here yet.</span>` : ""}
      </td>
      <td data-label="Since">${moment(at)}</td>
      <td data-label="By">${apart(name)}</td>
      <td class="wide"><span class="plain">${reason}</span></td>
      <td>
        ${
          liftedAt === undefined
            ? html`<form method="post" action="/admin/holds/${id}/lift">
                ${token(csrf)}<button class="act">Lift</button>
              </form>`
            : html`<span class="dim">lifted by ${apart(liftedName ?? "")} ${moment(liftedAt)}</span>`
        }
      </td>
    </tr>`;
  return table("Holds", ["What", "Since", "By", "Why", "State"], holds.map(row));
}

function erasureTable(erasures: readonly Omit<Erasure, "threads">[]): Markup {
  const row = ({ id, thing, who, at, doneAt, reason }: Omit<Erasure, "threads">): Markup =>
    html`<tr>
      <td><a href="/admin/erasures/${id}">${thing.kind}</a> <code>${thing.subject}</code></td>
      <td data-label="When">${moment(at)}</td>
      <td data-label="By">${apart(who.name)}</td>
      <td class="wide"><span class="plain">${reason}</span></td>
      <td>
        ${doneAt === undefined ? html`<span class="tag live">under way</span>` : html`<span class="tag good">done</span>`}
      </td>
    </tr>`;
  return table("Erasures", ["What", "When", "By", "Why", "State"], erasures.map(row));
}

function table(label: string, heads: readonly string[], rows: readonly Markup[]): Markup {
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

const thingMarkup = (kind: string, subject: string): Markup =>
  kind === "thread"
    ? html`thread <a href="/admin/threads/${encodeURIComponent(subject)}"><code>${subject}</code></a>`
    : html`${kind} <code>${subject}</code>`;

const WHAT_GOES: Readonly<Record<ErasedThing["kind"], readonly string[]>> = {
  thread: [
    "All that was said in the thread, by people, the bot and its tools, with goals, titles, feedback, reactions and the notes of reviewers.",
    "What branches of it were begun with, and what the bot wrote in those, since it may quote that.",
    "Words by which it could be found, and searches that named one of them.",
  ],
  person: [
    "All that this person said, wherever the bot knows it, the emoji that they gave, and the name.",
    "In threads of several people also all that the bot and its tools wrote, goals and notes of reviewers, since they may quote it. What the others said themselves stays.",
    "Threads in which nobody else spoke, as a whole.",
  ],
};

/** Shown before anything happens. */
export function confirmBody(
  thing: ErasedThing,
  name: string,
  { action, csrf, back }: { readonly action: string; readonly csrf: string; readonly back: string },
): Markup {
  return html`<p class="back"><a href="${back}">Back</a></p>
    <h1>Erase ${thing.kind === "thread" ? "this thread" : "this person"}?</h1>
    <p>${apart(name)} <code>${thing.subject}</code></p>
    <p>This cannot be undone. What is erased:</p>
    <ul>
      ${WHAT_GOES[thing.kind].map((line) => html`<li>${line}</li>`)}
    </ul>
    <p>What stays:</p>
    <ul>
      <li>Messages on the platform itself, the bot's own ones too: delete them there.</li>
      <li>
        That there were messages, runs and model calls: ids, times, counts, tokens and cost, and what admins
        did.
      </li>
      <li>Backups of the database, until they run out.</li>
    </ul>
    <p>What the bot is doing there now is stopped.</p>
    <form method="post" action="${action}" class="remark-form">
      ${token(csrf)}
      ${thing.kind === "person" ? html`<input type="hidden" name="person" value="${thing.subject}" />` : ""}
      <label class="grow"
        >Why: it is kept as the record, so do not repeat what shall go<textarea
          name="reason"
          rows="2"
          required
          maxlength="4000"
        ></textarea>
      </label>
      <label class="tick"><input type="checkbox" name="sure" value="yes" required />I am sure</label>
      <button class="act main">Erase</button>
    </form>`;
}

const EXTENTS: Readonly<Record<Extent, string>> = {
  all: "all of it",
  person: "what the person said, and what may quote it",
  copied: "what it was branched with, and what may quote that",
  reactions: "the emoji that the person gave, all that they did there",
};

export function erasureBody({ id, thing, reason, who, at, doneAt, threads }: Erasure): Markup {
  const left = threads.filter((each) => each.doneAt === undefined).length;
  return html`<p class="back"><a href="/admin/erasures">Erasing and holds</a></p>
    <h1>Erased: ${thing.kind} <code>${thing.subject}</code></h1>
    <p>
      By ${apart(who.name)} <code>${who.person}</code>, ${moment(at)}.
      ${
        doneAt === undefined
          ? html`<span class="tag live">under way</span> ${left} of ${threads.length} threads are left.
              <a class="act" href="/admin/erasures/${id}">Look again</a>`
          : html`Done ${moment(doneAt)}.`
      }
    </p>
    <p>Why: <span class="plain">${reason}</span></p>
    <p><a class="act" href="/admin/erasures/${id}/proof.json">Save the proof</a></p>
    ${table("Threads", ["Thread", "What of it", "When", "Rows", "Hash of their ids"], threads.map(threadRow))}
    <p class="dim">
      The hash is the SHA-256 of the lines “table id” of all rows, sorted, each with a line break behind it.
      No word is in it.
    </p>`;
}

function threadRow({ session, extent, doneAt, counts, digest, heldBack }: ErasedThread): Markup {
  const rows = Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return html`<tr>
    <td>
      <a href="${threadPathOf(session)}"><code>${session}</code></a>
    </td>
    <td>${EXTENTS[extent]}</td>
    <td data-label="When">
      ${
        doneAt !== undefined
          ? moment(doneAt)
          : heldBack === undefined
            ? "not yet"
            : html`held back by ${apart(heldBack.name)}: <span class="plain">${heldBack.reason}</span>`
      }
    </td>
    <td class="wide">${rows.map(([name, count]) => `${name} ${count}`).join(", ")}</td>
    <td class="wide"><code>${digest ?? ""}</code></td>
  </tr>`;
}

export const nameOfThread = (overview: Overview): string => labelShown(overview);

/** On the page of a thread: what was taken out of it, and, for admins, what can be done with it. */
export function lifeCycleMarkup(
  path: string,
  erased: readonly { readonly id: string; readonly at: number }[],
  mayErase: "admin" | "reviewer",
): Markup {
  return html`${erased.map(
    ({ id, at }) =>
      html`<p>
        <span class="tag bad">erased</span> Something of this thread was erased ${moment(at)}.
        ${mayErase === "admin" ? html`<a href="/admin/erasures/${id}">What and why</a>` : ""}
      </p>`,
  )}
  ${mayErase === "admin" ? html`<p><a class="act" href="${path}/erase">Erase or hold</a></p>` : ""}`;
}

export function holdFormOf(subject: string, csrf: string): Markup {
  return html`<h2>Or hold it</h2>
    <form method="post" action="/admin/holds" class="remark-form">
      ${token(csrf)}<input type="hidden" name="kind" value="thread" /><input
        type="hidden"
        name="subject"
        value="${subject}"
      />
      <label class="grow"
        >Why it may not be erased<textarea name="reason" rows="2" required maxlength="4000"></textarea>
      </label>
      <button class="act">Hold</button>
    </form>`;
}
