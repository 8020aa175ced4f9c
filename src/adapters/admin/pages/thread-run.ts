/** One run: who worked on it and how it ended, what people saw of it, and what the model received. */

import { html } from "hono/html";
import { END_REASONS } from "../../../core/end-reason.ts";
import { formatDuration, formatMoney, formatTokens } from "../../../core/measure.ts";
import type {
  LongResult,
  ReviewedCall,
  ReviewedEntry,
  ReviewedInbound,
  ReviewedRun,
} from "../../../core/ports/review.ts";
import type { SessionId } from "../../../core/thread.ts";
import { totalTokens, type Usage } from "../../../core/usage.ts";
import { apart } from "./apart.ts";
import { moment, type Markup } from "./layout.ts";
import { threadPathOf } from "./paths.ts";
import { reactionsMarkup } from "./reactions.ts";
import { entryForModel } from "./thread-model.ts";
import { inboundAlone, messageOf } from "./thread-people.ts";
import { words } from "./words.ts";

export interface RunBlock {
  readonly session: SessionId;
  readonly run: ReviewedRun;
  readonly entries: readonly ReviewedEntry[];
  readonly inbounds: readonly ReviewedInbound[];
  readonly corrections: readonly ReviewedInbound[];
  readonly results: readonly LongResult[];
}

export function runBlock(block: RunBlock): Markup {
  const { run } = block;
  return html`<section class="run" id="run-${run.id}" aria-label="Run ${run.id}">
    ${head(block)}
    <div class="columns">
      <div class="people">${peopleSaw(block)}</div>
      <div class="model">${modelReceived(block)}</div>
    </div>
  </section>`;
}

function head({ run, inbounds }: RunBlock): Markup {
  const { outcome } = run;
  const took = outcome === undefined ? undefined : formatDuration(outcome.endedAt - run.startedAt);
  const isBad = outcome !== undefined && outcome.error !== undefined;
  const joined = inbounds.filter(({ fate }) => fate === "steered").length;
  const told = run.usage.cost === undefined ? "" : `, ${formatMoney(run.usage.cost)}`;
  const tokens = totalTokens(run.usage);
  return html`<header class="run-head">
      <span class="tag ${outcome === undefined ? "live" : isBad ? "bad" : ""}"
        >${outcome?.reason ?? "running"}</span
      >
      <a href="#run-${run.id}"><code>${run.id}</code></a>
      <span>${run.cause} of ${apart(run.requester)}</span> ${moment(run.startedAt)}
      <span class="dim"
        >${run.rounds}
        ${run.rounds === 1 ? "round" : "rounds"}${took === undefined ? "" : `, ${took}`}${
          tokens === undefined ? "" : `, ${formatTokens(tokens)}`
        }${told}${joined === 0 ? "" : `, ${joined} joined while it worked`}</span
      >
    </header>
    ${
      outcome?.error === undefined
        ? ""
        : html`<p class="fault"><code>${outcome.error.code}</code> <span>${outcome.error.message}</span></p>`
    }
    <ol class="attempts">
      ${run.attempts.map(
        ({ fence, worker, startedAt, ended }) =>
          html`<li>
            ${moment(startedAt)} claim ${fence} by <code>${worker}</code>: ${ended ?? "under way"}
          </li>`,
      )}
    </ol>`;
}

function peopleSaw({ run, entries, inbounds, corrections }: RunBlock): Markup {
  const shown = inbounds.map((each) =>
    each.inbound.kind === "message" ? messageOf(each, corrections) : inboundAlone(each),
  );
  const answers = entries.flatMap(({ entry: { body }, at }) =>
    body.kind === "assistant" && body.text !== "" ? [{ body, at }] : [],
  );
  const { outcome } = run;
  const ending = outcome === undefined ? undefined : END_REASONS[outcome.reason];
  return html`${shown}
  ${answers.map(
    ({ body, at }) =>
      html`<article class="said bot">
        <header><strong>Bobbin</strong> ${moment(at)}</header>
        ${words(body.text)}
      </article>`,
  )}
  ${
    outcome === undefined || outcome.reason === "stop"
      ? ""
      : html`<p class="did">${ending?.why ?? ""} ${ending?.next ?? ""}</p>`
  }
  ${outcome?.goal === undefined ? "" : html`<p class="did">${outcome.goal}</p>`}
  ${run.feedback.map(
    ({ person, name, value, at }) =>
      html`<p class="did">
        ${apart(name)} <code class="dim">${person}</code> pressed
        <span class="tag ${value === "bad" ? "bad" : "good"}">${value}</span> ${moment(at)}
      </p>`,
  )}
  ${reactionsMarkup(run.reactions, run.messages)}
  ${
    run.messages.length === 0
      ? ""
      : html`<p class="dim">Shown in ${run.messages.map((message) => html`<code>${message}</code> `)}</p>`
  }`;
}

/** Entries in their order, and before each answer the request that it came of. */
function modelReceived({ session, run, entries, results }: RunBlock): Markup {
  const left = [...run.calls];
  const parts: Markup[] = [];
  for (const each of entries) {
    const { body, round = 0 } = each.entry;
    if (body.kind === "assistant") {
      while (left[0] !== undefined && left[0].round <= round) parts.push(callLine(session, left.shift()!));
    }
    parts.push(entryForModel(session, each, results));
  }
  for (const call of left) parts.push(callLine(session, call));
  return parts.length === 0 ? html`<p class="dim">No model call was made yet.</p>` : html`${parts}`;
}

function callLine(session: SessionId, call: ReviewedCall): Markup {
  const { id, model, startedAt, durationMs, outcome, error, usage, tries } = call;
  const first = tries.find(({ firstTokenMs }) => firstTokenMs !== undefined)?.firstTokenMs;
  return html`<p class="call-line">
    <a href="${threadPathOf(session)}/calls/${id}">${requestName(call)}</a> to ${apart(model)}
    ${moment(startedAt)}
    <span class="dim"
      >${formatDuration(durationMs)}${first === undefined ? "" : `, first word after ${formatDuration(first)}`},
      ${usageText(usage)}</span
    >
    ${outcome === "done" ? "" : html`<span class="tag bad">${outcome}${error === undefined ? "" : `: ${error}`}</span>`}
  </p>`;
}

const PURPOSES: Readonly<Record<NonNullable<ReviewedCall["purpose"]>, string>> = {
  verify: "to look whether the goal is reached",
  title: "to name the thread",
};

export function requestName({ round, purpose }: Pick<ReviewedCall, "round" | "purpose">): string {
  return purpose === undefined ? `Request ${round}` : `Request ${PURPOSES[purpose]}`;
}

export function usageText(usage: Usage): string {
  const { input, cacheRead, cacheWrite, output, reasoning, cost } = usage;
  const read = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const told = [
    input === undefined && cacheRead === undefined ? undefined : `${read.toLocaleString("en")} read`,
    cacheRead === undefined || read === 0
      ? undefined
      : `${Math.round((100 * cacheRead) / read)} % from the cache`,
    output === undefined ? undefined : `${output.toLocaleString("en")} written`,
    reasoning === undefined || reasoning === 0 ? undefined : `${reasoning.toLocaleString("en")} to think`,
    cost === undefined ? undefined : formatMoney(cost),
  ].filter((part) => part !== undefined);
  return told.length === 0 ? "usage not told" : told.join(", ");
}
