/** The page of what is being done just now. Each part by itself, so that only what changes is shown anew. */

import { html } from "hono/html";
import { GONE_MS } from "../../../core/admin/attendance.ts";
import { formatDuration } from "../../../core/measure.ts";
import type { Attending } from "../../../core/ports/attendance.ts";
import type { Load, NamedThread, OpenRun, ParkedRun, SpaceWork } from "../../../core/ports/operations.ts";
import type { BudgetState, QueueDepth } from "../../../core/ports/watched.ts";
import { apart } from "./apart.ts";
import { labelShown } from "./label.ts";
import { moment, nothing, token, type Markup } from "./layout.ts";
import { BOARD_PATH, threadPathOf } from "./paths.ts";

/** What is undefined could not be asked just now. */
export interface OperationsView {
  /** `platform:space` of who looks. */
  readonly space: string;
  readonly csrf: string;
  readonly seesBoard: boolean;
  readonly load: Load | undefined;
  readonly queues: Readonly<Record<string, QueueDepth>> | undefined;
  readonly processes: readonly Attending[] | undefined;
  readonly work:
    | (SpaceWork & {
        /** Of the runs, in their order. */
        readonly leases: readonly (number | undefined)[] | undefined;
      })
    | undefined;
  readonly budgets: readonly BudgetState[] | undefined;
}

/** Where a table is as long as that there may be more. */
const MOST = 50;
/** So long nobody should wait, and so long there should be a sweep in, ms. */
const LATE_MS = 60_000;

export function operationsBody(view: OperationsView): Markup {
  return html`<h1>Operations</h1>
    <p class="dim">
      What is being done just now. Figures are of the whole installation; threads are those of
      <code>${view.space}</code>.
      ${view.seesBoard ? html`<a href="${BOARD_PATH}/">The queues in detail</a>` : ""}
    </p>
    <div class="operations" data-live="/admin/operations/live" aria-live="off">
      ${operationsContent(view)}
    </div>
    <p id="line-state" role="status" class="dim"></p>`;
}

export function operationsContent(view: OperationsView): Markup {
  const { load, queues, processes, work, budgets } = view;
  return html`${sums(load, queues)} ${processesPart(processes)} ${runsPart(view)} ${waitingPart(work)}
  ${parkedPart(work, view.csrf)} ${budgetsPart(budgets)}`;
}

export function triedAgainBody(parked: ParkedRun, answer: string): Markup {
  return html`<p class="back"><a href="/admin/operations">To the operations</a></p>
    <h1>Retry</h1>
    <p>${threadLink(parked)}</p>
    <p dir="auto">${answer}</p>`;
}

const UNREACHABLE = "Redis is not reachable just now: this is known again when it answers.";

function sums(load: Load | undefined, queues: OperationsView["queues"]): Markup {
  const sum = (name: string, value: string, more = "", isBad = false): Markup =>
    html`<div>
      <dt>${name}</dt>
      <dd>
        ${isBad ? html`<span class="tag bad">${value}</span>` : value}
        ${more === "" ? "" : html`<span class="dim">${more}</span>`}
      </dd>
    </div>`;
  const queue = (name: string, depth: QueueDepth | undefined): Markup =>
    depth === undefined
      ? sum(name, "not reachable", "", true)
      : sum(name, count(depth.waiting), `${count(depth.active)} being served`);
  const goals = Object.values(load?.goals ?? {}).reduce((all, n) => all + n, 0);
  return html`<section aria-label="Figures">
    <dl class="sums">
      ${queue("People's queue", queues?.["runs"])} ${queue("Goals' queue", queues?.["goals"])}
      ${
        load === undefined
          ? sum("Ledger", "did not answer in time", "", true)
          : html`${sum(
              "Messages that wait",
              count(load.waiting),
              load.waiting === 0 ? "" : `the oldest for ${seconds(load.oldestSeconds * 1_000)}`,
              load.oldestSeconds * 1_000 > LATE_MS,
            )}
            ${sum("Answers under way", count(load.open), load.settling === 0 ? "" : `${count(load.settling)} being delivered`)}
            ${
              load.waited === undefined
                ? ""
                : sum(
                    "Waited, in the last hour",
                    formatDuration(load.waited.medianMs),
                    `95 % within ${formatDuration(load.waited.p95Ms)}, of ${count(load.waited.messages)}`,
                  )
            }
            ${goals === 0 ? "" : sum("Goals with a plan", count(goals))}`
      }
    </dl>
    ${queues === undefined ? html`<p class="dim">${UNREACHABLE}</p>` : ""}
  </section>`;
}

function processesPart(processes: OperationsView["processes"]): Markup {
  const isThere = ({ seenMsAgo }: Attending): boolean => seenMsAgo <= GONE_MS;
  const alive = (processes ?? []).filter(isThere);
  const newest = (pick: (one: Attending) => number | undefined): number | undefined =>
    alive.map(pick).reduce((least, ms) => (ms === undefined || (least ?? ms) < ms ? least : ms), undefined);
  const behind = alive.reduce((all, { overviewsWaiting = 0 }) => all + overviewsWaiting, 0);
  const last = (what: string, ms: number | undefined, more = ""): Markup =>
    html`<li>
      ${what}:
      ${
        ms === undefined
          ? html`<span class="tag bad">nobody has yet</span>`
          : html`<span class="${ms > 2 * LATE_MS ? "tag bad" : ""}">${seconds(ms)} ago</span>${more}`
      }
    </li>`;
  const row = (one: Attending): Markup =>
    html`<tr>
      <td><strong>${one.role === "start" ? "all in one" : one.role}</strong></td>
      <td><code>${one.host}/${one.pid}</code></td>
      <td data-label="Version">${one.version}</td>
      <td class="number" data-label="Up">${minutes(one.upMs)}</td>
      <td class="number" data-label="Seen">
        ${isThere(one) ? html`${seconds(one.seenMsAgo)} ago` : html`<span class="tag bad">gone for ${seconds(one.seenMsAgo)}</span>`}
      </td>
    </tr>`;
  const doesAnswer = alive.some(({ role }) => role !== "gateway");
  return html`<section>
    <h2>Processes</h2>
    ${
      processes === undefined
        ? nothing("The database did not say in time which there are.")
        : html`${
              doesAnswer
                ? ""
                : html`<p>
                    <span class="tag bad">No worker is there: nobody answers.</span>
                  </p>`
            }
            ${table(
              "Processes",
              ["Role", "Where", "Version", "Up", "Seen"],
              processes.map(row),
              new Set(["Up", "Seen"]),
            )}
            <ul class="lasts dim">
              ${last(
                "Last look for work that nobody rang for",
                newest(({ sweptMsAgo }) => sweptMsAgo),
              )}
              ${last(
                "Last look whether the list of threads is behind",
                newest(({ overviewsMsAgo }) => overviewsMsAgo),
                behind === 0 ? "" : `, ${count(behind)} still to be looked at`,
              )}
            </ul>`
    }
  </section>`;
}

function runsPart({ work }: OperationsView): Markup {
  const row = (run: OpenRun, n: number): Markup => {
    const { attempt } = run;
    return html`<tr>
      <td class="wide">
        ${threadLink(run)}
        <span class="dim under">${apart(run.requester)}, ${run.cause}, <code>${run.run}</code></span>
      </td>
      <td>
        ${run.isSettling ? html`<span class="tag">being delivered</span>` : html`<span class="tag live">running</span>`}
      </td>
      <td class="number" data-label="For">${seconds(run.sinceMs)}</td>
      <td class="number" data-label="Model calls">${count(run.rounds)}</td>
      <td data-label="Worker"><code>${attempt.worker}</code></td>
      <td class="number" data-label="Claim">
        ${count(attempt.n)} <span class="dim">fence ${attempt.fence}, for ${seconds(attempt.sinceMs)}</span>
      </td>
      <td data-label="Lease">${leaseOf(work?.leases, n, attempt.hasEnded)}</td>
    </tr>`;
  };
  const heads = ["Thread", "State", "For", "Model calls", "Worker", "Claim", "Lease"];
  return html`<section>
    <h2>Answers under way</h2>
    ${
      work === undefined
        ? nothing("The database did not answer in time.")
        : work.runs.length === 0
          ? nothing("Nothing is being answered in this space.")
          : html`${table("Answers under way", heads, work.runs.map(row), new Set(["For", "Model calls", "Claim"]))}
            ${work.runs.length >= MOST ? html`<p class="dim">Those that began first.</p>` : ""}`
    }
  </section>`;
}

function leaseOf(
  leases: readonly (number | undefined)[] | undefined,
  n: number,
  hasEnded: boolean,
): Markup | string {
  if (leases === undefined) return html`<span class="dim">not reachable</span>`;
  const left = leases[n];
  if (left === undefined)
    return hasEnded ? html`<span class="dim">given back</span>` : html`<span class="tag bad">nobody's</span>`;
  return left === Infinity ? "held" : html`held, <span class="dim">${seconds(left)} left</span>`;
}

function waitingPart(work: OperationsView["work"]): Markup {
  if (work === undefined || work.waiting.length === 0) return html`<section hidden></section>`;
  return html`<section>
    <h2>Threads that wait</h2>
    ${table(
      "Threads that wait",
      ["Thread", "Messages", "The oldest for"],
      work.waiting.map(
        (each) =>
          html`<tr>
            <td class="wide">${threadLink(each)}</td>
            <td class="number" data-label="Messages">${count(each.waiting)}</td>
            <td class="number" data-label="The oldest for">
              ${each.sinceMs > LATE_MS ? html`<span class="tag bad">${seconds(each.sinceMs)}</span>` : seconds(each.sinceMs)}
            </td>
          </tr>`,
      ),
      new Set(["Messages", "The oldest for"]),
    )}
  </section>`;
}

function parkedPart(work: OperationsView["work"], csrf: string): Markup {
  const row = (run: ParkedRun): Markup =>
    html`<tr>
      <td class="wide">
        ${threadLink(run)}
        <span class="dim under">${apart(run.requester)}, <code>${run.run}</code></span>
      </td>
      <td><span class="tag bad">${run.error ?? "error"}</span></td>
      <td data-label="Since">${moment(run.endedAt)}</td>
      <td>
        <form method="post" action="/admin/operations/retry">
          ${token(csrf)}<input type="hidden" name="run" value="${run.run}" />
          <button class="act" aria-label="Retry ${run.run}">Retry</button>
        </form>
      </td>
    </tr>`;
  return html`<section>
    <h2>Failed, and not tried again</h2>
    ${
      work === undefined
        ? nothing("The database did not answer in time.")
        : work.parked.length === 0
          ? nothing("Nothing failed, or all of it was tried again.")
          : table("Failed answers", ["Thread", "Error", "Since", "Retry"], work.parked.map(row))
    }
  </section>`;
}

function budgetsPart(budgets: OperationsView["budgets"]): Markup {
  const row = ({ key, fullInMs, bindsForMs, line }: BudgetState): Markup => {
    const [, second = "", ...rest] = key.split(":");
    return html`<tr>
      <td class="wide"><code>${rest.length === 0 ? `${second}, of all spaces` : rest.join(" in ")}</code></td>
      <td class="number" data-label="In line">
        ${line > 0 ? html`<span class="tag">${count(line)}</span>` : "0"}
      </td>
      <td class="number" data-label="Whole again in">${fullInMs === 0 ? "whole" : seconds(fullInMs)}</td>
      <td data-label="Refused by the platform">
        ${bindsForMs === 0 ? "" : html`<span class="tag bad">bound for ${seconds(bindsForMs)}</span>`}
      </td>
    </tr>`;
  };
  const heads = ["Writes", "In line", "Whole again in", "Refused by the platform"];
  return html`<section>
    <h2>Writes to the platform</h2>
    ${
      budgets === undefined
        ? nothing(UNREACHABLE)
        : budgets.length === 0
          ? nothing("Nothing was written in the last moments, so every budget is whole.")
          : table(
              "Budgets of writes",
              heads,
              budgets.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(row),
              new Set(["In line", "Whole again in"]),
            )
    }
  </section>`;
}

function threadLink(thread: NamedThread): Markup {
  return html`<a href="${threadPathOf(thread.session)}"><bdi class="label">${labelShown(thread)}</bdi></a>
    ${thread.isDirect ? html`<span class="tag">direct</span>` : ""}`;
}

function table(
  label: string,
  heads: readonly string[],
  rows: readonly Markup[],
  numbers: ReadonlySet<string> = new Set(),
): Markup {
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0">
    <table class="threads">
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col" class="${numbers.has(head) ? "number" : ""}">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

const count = (n: number): string => n.toLocaleString("en-US");
/** Whole ones: it is shown anew every other second. */
const seconds = (ms: number): string => (ms < 1_000 ? "0 s" : formatDuration(Math.floor(ms / 1_000) * 1_000));
const minutes = (ms: number): string =>
  ms < 60_000 ? seconds(ms) : formatDuration(Math.floor(ms / 60_000) * 60_000);
