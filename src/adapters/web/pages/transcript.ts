/** The plain transcript of a thread: what is stored, run by run, for whoever runs the bot. */

import { html } from "hono/html";
import { formatDuration, formatMoney, formatTokens } from "../../../core/measure.ts";
import type { Entry } from "../../../core/entry.ts";
import type { Inbound } from "../../../core/inbound.ts";
import type { Part } from "../../../core/part.ts";
import type { InboundView, RunView } from "../../../core/ports/transcripts.ts";
import type { SessionId } from "../../../core/thread.ts";
import { totalTokens, type Usage } from "../../../core/usage.ts";
import { layout } from "./layout.ts";
import type { Markup } from "./markup.ts";
import { threadPath } from "./thread-list.ts";

export interface TranscriptView {
  readonly session: SessionId;
  readonly label: string;
  readonly entries: readonly Entry[];
  readonly inbounds: readonly InboundView[];
  readonly runs: readonly RunView[];
}

export function transcriptPage(view: TranscriptView): Markup {
  const { session, label, entries, inbounds, runs } = view;
  return layout(
    { title: `Transcript · ${label}` },
    html`<body class="transcript">
      <main>
        <p class="back"><a href="${threadPath(session)}">Back to the thread</a></p>
        <h1>${label}</h1>
        <p class="dim"><code>${session}</code></p>
        <p class="jump">
          <a href="#entries">${counted(entries.length, "entry", "entries")}</a>
          <a href="#inbounds">${counted(inbounds.length, "inbound", "inbounds")}</a>
          <a href="#runs">${counted(runs.length, "run", "runs")}</a>
        </p>
        <h2 id="entries">Entries</h2>
        <p class="dim">What was said and done, in order. The model reads the newest epoch of it.</p>
        ${entries.length === 0 ? empty("No entries.") : entries.map(entryMarkup)}
        <h2 id="inbounds">Inbounds</h2>
        <p class="dim">What people did, and what became of it.</p>
        ${inbounds.length === 0 ? empty("No inbounds.") : inboundTable(inbounds)}
        <h2 id="runs">Runs</h2>
        <p class="dim">Each answer: how it ended, what it used, and who worked on it.</p>
        ${runs.length === 0 ? empty("No runs.") : runs.map(runMarkup)}
      </main>
    </body>`,
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function empty(sentence: string): Markup {
  return html`<p class="dim">${sentence}</p>`;
}

function entryMarkup({ seq, epoch, run, round, body }: Entry): Markup {
  const where = [
    `epoch ${epoch}`,
    ...(run === undefined ? [] : [`run ${run}`]),
    ...(round === undefined ? [] : [`round ${round}`]),
  ].join(" · ");
  return html`<article class="entry is-${body.kind}" id="e${seq}">
    <header>
      <a href="#e${seq}">${seq}</a> <strong>${entryName(body)}</strong> <span class="dim">${where}</span>
    </header>
    ${entryContent(body)}
  </article>`;
}

function entryName(body: Entry["body"]): string {
  switch (body.kind) {
    case "user":
      return body.author === undefined ? "Person" : `Person: ${body.author.name}`;
    case "assistant":
      return body.interrupted === true ? "Assistant (interrupted)" : "Assistant";
    case "tool":
      return `Result of ${body.name}${body.ok ? "" : " (failed)"}`;
    case "note":
      return "Note to the model";
    case "summary":
      return `Summary up to ${body.upTo}`;
    default:
      return body satisfies never;
  }
}

function entryContent(body: Entry["body"]): Markup {
  switch (body.kind) {
    case "user":
      return html`${body.parts.map(partMarkup)}`;
    case "assistant":
      return html`${body.text === "" ? "" : html`<div class="words">${body.text}</div>`}
      ${body.calls.map(
        (call) =>
          html`<p class="call">calls <code>${call.name}</code></p>
            <pre>${call.arguments}</pre>`,
      )}
      ${(body.images ?? []).map((image) => html`<p class="dim">Image, ${image.mimeType}</p>`)}
      ${body.reasoning === undefined ? "" : html`<p class="dim">Opaque reasoning, ${body.reasoning.length} characters</p>`}`;
    case "tool":
      return html`<pre>${body.content}</pre>`;
    case "note":
    case "summary":
      return html`<div class="words">${body.text}</div>`;
    default:
      return body satisfies never;
  }
}

function partMarkup(part: Part): Markup {
  switch (part.kind) {
    case "text":
      return html`<div class="words">${part.text}</div>`;
    case "note":
      return html`<p class="dim">For the model only:</p>
        <div class="words">${part.text}</div>`;
    case "image":
      return html`<p class="dim">Image ${part.name ?? ""}, ${part.mimeType}</p>`;
    case "file":
      return html`<p class="dim">File ${part.name}, ${part.mimeType}</p>`;
    default:
      return part satisfies never;
  }
}

function inboundTable(inbounds: readonly InboundView[]): Markup {
  const row = ({ seq, inbound, state, run, fate, reason, rule }: InboundView): Markup =>
    html`<tr>
      <td>${seq}</td>
      <td>${moment(inbound.at)}</td>
      <td>${inbound.author.name}</td>
      <td class="wide">${whatWasDone(inbound)}</td>
      <td>
        ${fate ?? state}${[reason, rule === reason ? undefined : rule].map((why) =>
          why === undefined ? "" : html`<br /><span class="dim">${why}</span>`,
        )}
      </td>
      <td>${run === undefined ? "" : html`<a href="#run-${run}">${run}</a>`}</td>
    </tr>`;
  return html`<div class="table" role="region" aria-label="Inbounds" tabindex="0">
    <table>
      <thead>
        <tr>
          <th>Seq</th>
          <th>Time</th>
          <th>Who</th>
          <th>What</th>
          <th>Fate</th>
          <th>Run</th>
        </tr>
      </thead>
      <tbody>
        ${inbounds.map(row)}
      </tbody>
    </table>
  </div>`;
}

function whatWasDone(inbound: Inbound): string {
  switch (inbound.kind) {
    case "message":
      return words(inbound.parts);
    case "edit":
      return `edited ${inbound.message}: ${words(inbound.parts)}`;
    case "delete":
      return `deleted ${inbound.message}`;
    case "command":
      return `/${inbound.command.name}`;
    case "note":
      return inbound.text;
    default:
      return inbound satisfies never;
  }
}

function words(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : `(${part.kind})`)).join(" ");
}

function runMarkup(run: RunView): Markup {
  const { outcome, attempts } = run;
  const took = outcome === undefined ? "" : ` after ${formatDuration(outcome.endedAt - run.startedAt)}`;
  return html`<article class="entry" id="run-${run.id}">
    <header>
      <strong>${outcome === undefined ? "Unfinished" : `Ended: ${outcome.reason}`}${took}</strong>
      <code>${run.id}</code>
    </header>
    ${outcome?.error === undefined ? "" : html`<p class="fault"><code>${outcome.error.code}</code> ${outcome.error.message}</p>`}
    <dl>
      <dt>Cause</dt>
      <dd>${run.cause}</dd>
      <dt>Started</dt>
      <dd>${moment(run.startedAt)}</dd>
      <dt>Rounds</dt>
      <dd>${run.rounds}</dd>
      <dt>Reply</dt>
      <dd>${run.reply}</dd>
      <dt>Usage</dt>
      <dd>${usageText(run.usage)}</dd>
      <dt>Attempts</dt>
      <dd>
        <ol>
          ${attempts.map(
            (attempt) =>
              html`<li>
                fence ${attempt.fence}, ${attempt.worker}, ${moment(attempt.startedAt)}:
                ${attempt.ended ?? "under way"}
              </li>`,
          )}
        </ol>
      </dd>
    </dl>
  </article>`;
}

function usageText(usage: Usage): string {
  const total = totalTokens(usage);
  if (total === undefined && usage.cost === undefined) return "not reported";
  const buckets = (["input", "cacheRead", "cacheWrite", "output", "reasoning"] as const)
    .filter((bucket) => usage[bucket] !== undefined)
    .map((bucket) => `${bucket} ${usage[bucket]}`);
  return [
    ...(total === undefined ? [] : [`${formatTokens(total)} (${buckets.join(", ")})`]),
    ...(usage.cost === undefined ? [] : [formatMoney(usage.cost)]),
  ].join(", ");
}

function moment(at: number): Markup {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
}
