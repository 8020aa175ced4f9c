/** The page of one thread: what people saw at the left, what the model received at the right, run by run. */

import { html } from "hono/html";
import { formatMoney } from "../../../core/measure.ts";
import type { Overview } from "../../../core/ports/overviews.ts";
import type { GoalStep, ReviewedEntry, ReviewedInbound, ReviewedThread } from "../../../core/ports/review.ts";
import { apart } from "./apart.ts";
import { goalHistory } from "./goals.ts";
import { moment, nothing, type Markup } from "./layout.ts";
import { threadPathOf } from "./paths.ts";
import { inboundAlone, messageOf } from "./thread-people.ts";
import { entryForModel } from "./thread-model.ts";
import { runBlock } from "./thread-run.ts";

export type ThreadSide = "both" | "people" | "model";

export interface ThreadView {
  readonly overview: Overview;
  readonly thread: ReviewedThread;
  readonly goals: readonly GoalStep[];
  readonly side: ThreadSide;
  /** What reviewers said of it. */
  readonly remarks: Markup | "";
  /** Who looks through it. */
  readonly reviewed: Markup | "";
  /** How it is taken out as a file. */
  readonly taken: Markup | "";
  /** What was erased of it, and what may be done with it. */
  readonly lifeCycle: Markup;
  /** Not the newest page. */
  readonly isEarlier: boolean;
}

const SIDES: readonly (readonly [ThreadSide, string])[] = [
  ["both", "Side by side"],
  ["people", "What people saw"],
  ["model", "What the model received"],
];

export function threadBody(view: ThreadView): Markup {
  const { overview, side } = view;
  const path = threadPathOf(overview.session);
  return html`<p class="back"><a href="/admin/">Threads</a></p>
    <h1>${apart(overview.label)}</h1>
    <p class="dim">
      <code>${overview.session}</code>, begun
      ${moment(overview.startedAt)}${
        overview.source === undefined
          ? ""
          : html`, branched from
              <a href="${threadPathOf(overview.source)}"><code>${overview.source}</code></a>`
      }${overview.cost === undefined ? "" : html`, ${formatMoney(overview.cost)} spent`}
    </p>
    ${view.reviewed} ${view.remarks} ${view.taken} ${view.lifeCycle}
    <nav class="sides" aria-label="View">
      ${SIDES.map(
        ([key, name]) =>
          html`<a href="${path}?side=${key}" ${key === side ? html`aria-current="true"` : ""}>${name}</a>`,
      )}
    </nav>
    <div
      id="thread"
      class="transcript ${side}"
      ${view.isEarlier ? "" : html`data-live="${path}/live?side=${side}"`}
      aria-live="off"
    >
      ${threadContent(view)}
    </div>
    <p id="line-state" role="status" class="dim"></p>`;
}

/** What changes while one looks. */
export function threadContent(view: ThreadView): Markup {
  const { overview, thread, goals } = view;
  const { runs, hasEarlier } = thread;
  const path = threadPathOf(overview.session);
  const blocks = inOrder(view);
  const earlier =
    hasEarlier && runs[0] !== undefined
      ? html`<p class="more">
          <a class="act" href="${path}?side=${view.side}&amp;before=${runs[0].n}">Earlier</a>
        </p>`
      : "";
  return html`${view.isEarlier ? "" : goalHistory(goals)} ${earlier}
  ${
    thread.hasMoreInbounds
      ? html`<p class="dim">
          So many messages came in while these runs were made that only the newest
          ${thread.inbounds.length.toLocaleString("en")} are shown; an export has all of them.
        </p>`
      : ""
  }
  ${blocks.length === 0 ? nothing("Nothing is stored in this thread yet.") : blocks}`;
}

/** Runs, and between them what belongs to none, each where it began. */
function inOrder({ overview, thread }: ThreadView): readonly Markup[] {
  const { runs, entries, inbounds } = thread;
  const known = new Set<string>(runs.map(({ id }) => id));
  const isOwned = ({ run }: { readonly run?: string }): boolean => run !== undefined && known.has(run);
  const corrections = inbounds.filter(({ inbound }) => inbound.kind === "edit" || inbound.kind === "delete");
  const blocks: { readonly at: number; readonly order: number; readonly markup: Markup }[] = [];
  for (const run of runs) {
    blocks.push({
      at: run.startedAt,
      order: 1,
      markup: runBlock({
        session: overview.session,
        run,
        entries: entries.filter(({ entry }) => entry.run === run.id),
        inbounds: inbounds.filter((each) => each.run === run.id),
        corrections,
        results: thread.results.filter((each) => each.run === run.id),
      }),
    });
  }
  const loose = entries.filter(({ entry }) => !isOwned(entry));
  if (loose.length > 0) blocks.push({ at: loose[0]?.at ?? 0, order: 0, markup: looseBlock(overview, loose) });
  for (const each of inbounds) {
    if (isOwned(each) || isShownWithMessage(each, inbounds)) continue;
    blocks.push({ at: each.receivedAt, order: 2, markup: aloneBlock(each, corrections) });
  }
  return blocks.toSorted((a, b) => a.at - b.at || a.order - b.order).map(({ markup }) => markup);
}

/** A correction stands with what it corrects, where that is on the page. */
function isShownWithMessage({ inbound }: ReviewedInbound, all: readonly ReviewedInbound[]): boolean {
  if (inbound.kind !== "edit" && inbound.kind !== "delete") return false;
  return all.some((each) => each.inbound.kind === "message" && each.inbound.message === inbound.message);
}

function aloneBlock(each: ReviewedInbound, corrections: readonly ReviewedInbound[]): Markup {
  const { inbound } = each;
  return html`<section class="alone">
    <div class="people">
      ${inbound.kind === "message" ? messageOf(each, corrections) : inboundAlone(each)}
    </div>
    <div class="model">
      ${
        each.note === undefined
          ? html`<p class="dim">The model was told nothing of it.</p>`
          : html`<p class="dim">The model was told:</p>
              <div class="words">${each.note}</div>`
      }
    </div>
  </section>`;
}

/** Copied with a branch, or of no run. */
function looseBlock({ session }: Overview, entries: readonly ReviewedEntry[]): Markup {
  return html`<details class="loose">
    <summary>${entries.length} earlier entries, of no run here</summary>
    <div class="model">${entries.map((each) => entryForModel(session, each, []))}</div>
  </details>`;
}
