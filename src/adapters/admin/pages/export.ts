/** Before an export: what is in it, as what it is written, and why. */

import { html } from "hono/html";
import type { OverviewFilter } from "../../../core/ports/overviews.ts";
import type { SessionId } from "../../../core/thread.ts";
import { FORMATS, type ExportProgress } from "../export/exporter.ts";
import { isOfAll } from "../export/format.ts";
import { nothing, token, type Markup } from "./layout.ts";
import { threadPathOf } from "./paths.ts";

export interface ExportView {
  readonly filter: OverviewFilter;
  readonly found: { readonly threads: number; readonly runs: number };
  /** The filter as it stands in an address, with its question mark. */
  readonly query: string;
  readonly csrf: string;
  /** Of the viewer's newest one. */
  readonly progress: ExportProgress | undefined;
}

const count = (n: number, one: string): string => `${n.toLocaleString("en")} ${n === 1 ? one : `${one}s`}`;

export function exportBody({ filter, found, query, csrf, progress }: ExportView): Markup {
  const { threads, runs } = found;
  const head = html`<p class="back"><a href="/admin/${query}">Threads</a></p>
    <h1>Export</h1>`;
  if (threads === 0) return html`${head} ${nothing("No thread fits. Take a filter away.")}`;
  return html`${head}
    <p>
      <strong>${count(threads, "thread")}</strong> with ${count(runs, "run")}:
      ${isOfAll(filter) ? "all of this space" : html`those that fit ${Object.entries(filter).map(([name, value], n) => html`${n === 0 ? "" : ", "}<code>${name}: ${shownOf(name, value)}</code>`)}`}.
      The file is made while your browser takes it; when it is whole its last line says so and how many
      threads are in it.
    </p>
    <form method="post" action="/admin/export${query}" class="export-form">
      ${token(csrf)}
      <fieldset>
        <legend>As</legend>
        ${Object.entries(FORMATS).map(
          ([name, { title, hint }], n) =>
            html`<label class="choice"
              ><input type="radio" name="format" value="${name}" ${n === 0 ? "checked" : ""} /> ${title}
              <span class="dim">${hint}</span></label
            >`,
        )}
      </fieldset>
      <label
        >Reason, for threads that were not written for everybody
        <textarea name="reason" rows="2" maxlength="4000" aria-describedby="why"></textarea>
      </label>
      <p class="dim" id="why">
        Conversations of one person with the bot alone and threads in private channels are left out, but for
        those that you have opened with a reason, unless you give one here. It is kept in the audit log, with
        each such thread.
      </p>
      <button class="act main">Download</button>
    </form>
    <div id="progress" data-live="/admin/export/live">${progressMarkup(progress)}</div>
    <p id="line-state" role="status" class="dim"></p>`;
}

/** How far the viewer's newest export is: it changes while one looks. */
export function progressMarkup(progress: ExportProgress | undefined): Markup {
  if (progress === undefined) return html``;
  const { state, counts } = progress;
  const { threads, leftOut, items } = counts;
  const how = state === "under way" ? "live" : state === "whole" ? "good" : "bad";
  return html`<p>
    Your newest export: <span class="tag ${how}">${state}</span> ${count(threads, "thread")} with
    ${count(items, "line")}${state === "under way" ? " so far" : ""}${leftOut === 0 ? "" : `, ${count(leftOut, "thread")} left out for want of a reason`}.
  </p>`;
}

/** Days are stored as moments; the last one counts. */
function shownOf(name: string, value: string | number | boolean): string {
  if (typeof value !== "number" || (name !== "from" && name !== "to")) return String(value);
  return new Date(name === "to" ? value - 1 : value).toISOString().slice(0, 10);
}

/** On the page of a thread. */
export function threadExport(session: SessionId, csrf: string): Markup {
  return html`<details class="remarks">
    <summary>Export</summary>
    <form method="post" action="${threadPathOf(session)}/export" class="acts">
      ${token(csrf)}
      ${Object.entries(FORMATS).map(
        ([name, { title, hint }]) =>
          html`<button class="act" name="format" value="${name}" title="${hint}">${title}</button>`,
      )}
    </form>
  </details>`;
}
