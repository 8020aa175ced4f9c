/** What people saw and did: each message with what became of it, each of its changes and reactions, and each button. */

import { html } from "hono/html";
import { givenTo } from "../../../core/command/command.ts";
import type { Part } from "../../../core/part.ts";
import type { ReviewedInbound } from "../../../core/ports/review.ts";
import { apart } from "./apart.ts";
import { moment, type Markup } from "./layout.ts";
import { reactionsMarkup } from "./reactions.ts";
import { cut, words } from "./words.ts";

/** @param corrections of all messages; those of this one are shown with it. */
export function messageOf(view: ReviewedInbound, corrections: readonly ReviewedInbound[]): Markup {
  const { inbound } = view;
  if (inbound.kind !== "message") return inboundAlone(view);
  const own = corrections.filter(
    ({ inbound: each }) =>
      (each.kind === "edit" || each.kind === "delete") && each.message === inbound.message,
  );
  return html`<article class="said">
    <header>
      <strong>${apart(inbound.author.name)}</strong>
      <code class="dim">${inbound.author.id}</code> ${moment(inbound.at)}
    </header>
    ${partsMarkup(inbound.parts)}
    ${own.map(({ inbound: each, receivedAt, fate, reason }) =>
      each.kind === "edit"
        ? html`<div class="change">
            <p class="dim">Edited ${moment(receivedAt)}${why(fate, reason)}</p>
            ${partsMarkup(each.parts)}
          </div>`
        : html`<p class="change dim">Deleted ${moment(receivedAt)}</p>`,
    )}
    ${reactionsMarkup(view.reactions)} ${decision(view)}
  </article>`;
}

/** What is no message: a button, a command, a change of what is not on the page. */
export function inboundAlone(view: ReviewedInbound): Markup {
  const { inbound } = view;
  const by = html`${apart(inbound.author.name)} <code class="dim">${inbound.author.id}</code>`;
  switch (inbound.kind) {
    case "command": {
      const { command } = inbound;
      const given = givenTo(command);
      return html`<p class="did">
          ${by} gave
          <kbd>${command.name}</kbd>${given === undefined ? "" : html` ${apart(cut(given, 200))}`}
          ${moment(inbound.at)}
        </p>
        ${decision(view)}`;
    }
    case "edit":
      return html`<p class="did">${by} edited <code>${inbound.message}</code> ${moment(inbound.at)}</p>
        ${partsMarkup(inbound.parts)} ${decision(view)}`;
    case "delete":
      return html`<p class="did">${by} deleted <code>${inbound.message}</code> ${moment(inbound.at)}</p>
        ${decision(view)}`;
    case "note":
      return html`<p class="did">The bot noted for the model ${moment(inbound.at)}</p>
        ${words(inbound.text)}`;
    case "message":
      return messageOf(view, []);
    default:
      return inbound satisfies never;
  }
}

export function partsMarkup(parts: readonly Part[]): Markup {
  const one = (part: Part): Markup => {
    switch (part.kind) {
      case "text":
        return words(part.text);
      case "note":
        return html``;
      case "image":
        return html`<p class="dim">Image ${apart(part.name ?? "")}, ${part.mimeType}</p>`;
      case "file":
        return html`<p class="dim">File ${apart(part.name)}, ${part.mimeType}</p>`;
      default:
        return part satisfies never;
    }
  };
  return html`${parts.map(one)}`;
}

/** What became of it, and by which rule. */
function decision({ state, fate, reason, rule }: ReviewedInbound): Markup {
  const isBad = fate === "failed" || fate === "refused";
  return html`<p class="decision">
    <span class="tag ${isBad ? "bad" : ""}">${fate ?? state}</span>
    ${reason === undefined ? "" : html`<span>${reason}</span>`}
    ${rule === undefined || rule === reason ? "" : html`<span class="dim">${rule}</span>`}
  </p>`;
}

function why(fate: string | undefined, reason: string | undefined): string {
  return fate === "refused" ? `, refused${reason === undefined ? "" : `: ${reason}`}` : "";
}
