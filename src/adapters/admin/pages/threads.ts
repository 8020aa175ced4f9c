/** The list of threads, and what a search found. */

import { html } from "hono/html";
import { formatMoney } from "../../../core/measure.ts";
import type { Found, Hit, Mark, Overview, OverviewFilter } from "../../../core/ports/overviews.ts";
import { apart } from "./apart.ts";
import { moment, nothing, type Markup } from "./layout.ts";
import { labelShown } from "./label.ts";
import { entryPathOf, threadPathOf } from "./paths.ts";
import { queues, type QueueName } from "./queues.ts";

export interface ThreadsView {
  readonly filter: OverviewFilter;
  /** What was looked for; blank for nothing. */
  readonly text: string;
  readonly threads: readonly Overview[];
  /** Present where words were looked for. `isOlder`: behind what a page before has shown. */
  readonly found?: Found & { readonly isOlder: boolean };
  /** The next page begins behind it. */
  readonly more?: Mark;
  /** Where the next page is, without its mark. */
  readonly query: string;
}

export function threadsBody(view: ThreadsView): Markup {
  const { found, threads, text, more, query } = view;
  const isEmpty =
    threads.length === 0 && (found === undefined || (found.hits.length === 0 && found.older === undefined));
  return html`<h1>Threads</h1>
    ${queues(queueOf(view.filter))} ${form(view)}
    ${found === undefined ? "" : html`${hitList(found, text)} ${olderHits(found, query)} ${notSearched}`}
    ${threads.length === 0 ? "" : html`${text === "" ? exportLink(query) : ""} ${tableOf(threads)}`}
    ${isEmpty ? emptyFor(view) : ""}
    ${
      more === undefined
        ? ""
        : html`<p class="more">
            <a class="act" href="/admin/?${query}after=${more.touchedAt}.${encodeURIComponent(more.session)}"
              >Older</a
            >
          </p>`
    }`;
}

function queueOf({ queue, reviewer, ...others }: OverviewFilter): QueueName | undefined {
  if (queue !== undefined) return queue;
  if (reviewer !== undefined) return "mine";
  return Object.keys(others).length === 0 ? "all" : undefined;
}

function exportLink(query: string): Markup {
  return html`<p class="more"><a class="act" href="/admin/export?${query}">Export these</a></p>`;
}

/** The same whatever they hold. */
const notSearched = html`<p class="dim">
  Conversations of one person with the bot alone, and threads in private channels, are searched only once you
  have opened them with a reason.
</p>`;

function emptyFor({ text, filter, found }: ThreadsView): Markup {
  if (found?.isOlder) return nothing(`Nothing older here holds “${text}”.`);
  if (text !== "" && Object.keys(filter).length > 0)
    return nothing(`Nothing that fits the filters holds “${text}”. Take a filter away.`);
  if (text !== "") return nothing(`Nothing here holds “${text}”. Words count from their beginning.`);
  if (filter.isUnreviewed || filter.reviewer !== undefined)
    return nothing("Nothing is left to look through here. Take a filter away to see the others.");
  if (Object.keys(filter).length > 0) return nothing("No thread fits. Take a filter away.");
  return nothing(
    "Nobody has spoken with the bot yet. Mention it in a channel, and the thread is here a moment later.",
  );
}

function form({ filter, text }: ThreadsView): Markup {
  const field = (name: string, label: string, value: string | undefined, hint = ""): Markup =>
    html`<label
      >${label}<input name="${name}" value="${value ?? ""}" placeholder="${hint}" autocomplete="off"
    /></label>`;
  const tick = (name: string, label: string, isOn: boolean | undefined): Markup =>
    html`<label class="tick"
      ><input type="checkbox" name="${name}" value="1" ${isOn ? "checked" : ""} />${label}</label
    >`;
  const day = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : new Date(at).toISOString().slice(0, 10);
  const isFiltered = Object.keys(filter).length > 0;
  return html`<form class="find" method="get" action="/admin/" role="search">
    <div class="line">
      <label class="grow"
        ><span class="unseen">Search</span
        ><input
          type="search"
          name="q"
          value="${text}"
          placeholder="Words, a run, part of a thread's id, or a pasted link"
          autocomplete="off"
      /></label>
      <button class="act main">Search</button>
    </div>
    <details ${isFiltered ? "open" : ""}>
      <summary>Filters</summary>
      <div class="filters">
        ${field("channel", "Channel", filter.channel, "C012AB3CD")}
        ${field("person", "Person", filter.person, "U012AB3CD")} ${field("model", "Model", filter.model)}
        ${field("reason", "Ended as", filter.reason, "stop, error, timeout …")}
        ${field("cost", "Cost over, $", filter.costOver?.toString())}
        <label>From<input type="date" name="from" value="${day(filter.from) ?? ""}" /></label>
        <label
          >To<input
            type="date"
            name="to"
            value="${day(filter.to === undefined ? undefined : filter.to - 1) ?? ""}"
        /></label>
        ${tick("error", "with an error", filter.hasError)} ${tick("goal", "with a goal", filter.hasGoal)}
        ${tick("flagged", "flagged", filter.isFlagged)}
        ${tick("unreviewed", "not reviewed", filter.isUnreviewed)}
        ${tick("mine", "mine to look after", filter.reviewer === undefined ? undefined : true)}
        ${filter.queue === undefined ? "" : html`<input type="hidden" name="queue" value="${filter.queue}" />`}
        <span><button class="act">Filter</button> <a class="quiet" href="/admin/">Take all away</a></span>
      </div>
    </details>
  </form>`;
}

function tableOf(threads: readonly Overview[]): Markup {
  return html`<div class="table" role="region" aria-label="Threads" tabindex="0">
    <table class="threads">
      <thead>
        <tr>
          <th scope="col">Thread</th>
          <th scope="col">Last touched</th>
          <th scope="col">State</th>
          <th scope="col" class="number">Turns</th>
          <th scope="col" class="number">Context</th>
          <th scope="col">Cause</th>
          <th scope="col">Model</th>
          <th scope="col" class="number">Spent</th>
        </tr>
      </thead>
      <tbody>
        ${threads.map(row)}
      </tbody>
    </table>
  </div>`;
}

function row(each: Overview): Markup {
  const others = each.people > 1 ? ` and ${each.people - 1} more` : "";
  return html`<tr>
    <td class="wide">
      <a href="${threadPathOf(each.session)}"><bdi class="label">${labelShown(each)}</bdi></a>
      <span class="dim under"
        >${apart(each.firstName ?? "nobody")}${others} in <code>${each.channel}</code>
        ${each.isDirect ? html`<span class="tag">direct</span>` : each.isPrivate ? html`<span class="tag">private</span>` : ""}
        ${each.source === undefined ? "" : html`<a class="tag" href="${threadPathOf(each.source)}">branched</a>`}
        ${each.hasGoal ? html`<span class="tag">goal</span>` : ""}
        ${each.review.assigneeName === undefined ? "" : html`<span class="tag">with ${apart(each.review.assigneeName)}</span>`}
        ${(each.review.reviewedAt ?? 0) < each.touchedAt ? "" : html`<span class="tag good">reviewed</span>`}
        ${each.flags > 0 ? html`<span class="tag bad">${each.flags} open ${each.flags === 1 ? "flag" : "flags"}</span>` : ""}
      </span>
    </td>
    <td>${moment(each.touchedAt)}</td>
    <td>${state(each)}</td>
    <td class="number" data-label="Turns">${each.runs}</td>
    <td class="number" data-label="Context">${context(each)}</td>
    <td data-label="Cause">${each.cause ?? ""}</td>
    <td data-label="Model">${apart(each.model ?? "")}</td>
    <td class="number" data-label="Spent">
      ${each.cost === undefined ? html`<span class="dim">not told</span>` : formatMoney(each.cost)}
    </td>
  </tr>`;
}

function state({ isRunning, waiting, reason, hasError }: Overview): Markup {
  const more = waiting > 0 ? html` <span class="dim">${waiting} waiting</span>` : "";
  if (isRunning) return html`<span class="tag live">running</span>${more}`;
  const isBad = reason === "error" || reason === "timeout";
  return html`<span class="tag ${isBad ? "bad" : ""}">${reason ?? "new"}</span>${
      hasError && !isBad ? html` <span class="tag bad">had an error</span>` : ""
    }${more}`;
}

function context({ contextTokens, contextWindow }: Overview): Markup {
  if (!contextTokens || !contextWindow) return html`<span class="dim">not told</span>`;
  const share = Math.min(100, Math.round((100 * contextTokens) / contextWindow));
  return html`<meter min="0" max="100" value="${share}" title="${contextTokens} of ${contextWindow} tokens">
      ${share} %
    </meter>
    ${share} %`;
}

/** Of how many there are it is only known where there is nothing more. */
function hitHeading({ hits, older, isOlder }: NonNullable<ThreadsView["found"]>): string {
  if (isOlder) return hits.length === 1 ? "An older thread that holds" : "Older threads that hold";
  const isOne = hits.length === 1;
  if (older === undefined) return `${hits.length} ${isOne ? "thread holds" : "threads hold"}`;
  return isOne ? "The newest thread that holds" : `The newest ${hits.length} threads that hold`;
}

function olderHits({ older, isOutOfTime }: Found, query: string): Markup | "" {
  if (older === undefined) return "";
  const mark = encodeURIComponent(`${older.at}.${older.seq}.${older.session}`);
  return html`${
      isOutOfTime
        ? html`<p class="dim">
            To look further takes longer than a search may. What was said before ${moment(older.at)} was not
            looked through yet.
          </p>`
        : ""
    }
    <p class="more"><a class="act" href="/admin/?${query}before=${mark}">Older</a></p>`;
}

function hitList(found: NonNullable<ThreadsView["found"]>, text: string): Markup | "" {
  const { hits } = found;
  if (hits.length === 0) return "";
  const item = ({ session, epoch, seq, at, snippet, ...hit }: Hit): Markup =>
    html`<li>
      <a href="${entryPathOf(session, epoch, seq)}">${apart(labelShown(hit))}</a>
      ${moment(at)}
      <p dir="auto">${snippet.before}<mark>${snippet.hit}</mark>${snippet.after}</p>
    </li>`;
  return html`<section aria-label="Found">
    <h2>${hitHeading(found)} “${apart(text)}”</h2>
    <ol class="hits">
      ${hits.map(item)}
    </ol>
  </section>`;
}
