/** What the model received and answered, entry by entry, also what no screen ever showed. */

import { html } from "hono/html";
import type { Part, Picture } from "../../../core/part.ts";
import type { LongResult, ReviewedEntry } from "../../../core/ports/review.ts";
import type { SessionId } from "../../../core/thread.ts";
import { formatDuration } from "../../../core/measure.ts";
import { apart } from "./apart.ts";
import { moment, type Markup } from "./layout.ts";
import { entryPathOf, threadPathOf } from "./paths.ts";
import { words } from "./words.ts";

export function entryForModel(
  session: SessionId,
  { entry, at }: ReviewedEntry,
  results: readonly LongResult[],
): Markup {
  const { seq, epoch, body, round } = entry;
  const whole = `${threadPathOf(session)}/entries/${epoch}/${seq}`;
  const head = (what: Markup | string): Markup =>
    html`<header>
      <strong>${what}</strong>
      <a class="dim" href="${entryPathOf(session, epoch, seq)}" title="Link to this entry">${epoch}.${seq}</a>
      ${moment(at)}
    </header>`;
  return html`<article class="entry ${body.kind}" id="e-${epoch}-${seq}">${inside()}</article>`;

  function inside(): Markup {
    switch (body.kind) {
      case "user":
        return html`${head(html`User: ${apart(body.author?.name ?? "")}${round ? " (joined while it worked)" : ""}`)}
        ${body.parts.map((part) => partForModel(part, whole))}`;
      case "assistant":
        return html`${head("Model")}
        ${body.interrupted ? html`<p class="dim">Interrupted: people had seen so much of it.</p>` : ""}
        ${body.cut ? html`<p class="dim">Cut at the greatest length.</p>` : ""}
        ${body.text === "" ? "" : words(body.text, whole)}
        ${(body.images ?? []).map((image) => html`<p class="dim">Image, ${image.mimeType}</p>`)}
        ${(body.pictures ?? []).map(pictureLine)}
        ${
          body.reasoning === undefined
            ? ""
            : html`<p class="dim">
                With reasoning that only the provider reads, ${body.reasoning.length} letters.
              </p>`
        }
        ${body.calls.map(
          (call) =>
            html`<div class="call">
              <p>calls <code>${call.name}</code> <span class="dim">${call.id}</span></p>
              ${words(call.arguments, whole)}
            </div>`,
        )}`;
      case "tool": {
        const long = results.find((each) => each.round === round && each.call === body.call);
        const full = `${threadPathOf(session)}/results/${encodeURIComponent(entry.run ?? "")}/${round ?? 0}/${encodeURIComponent(body.call)}`;
        return html`${head(html`Result of <code>${body.name}</code>${body.ok ? "" : html` <span class="tag bad">failed</span>`}`)}
          <p class="dim">
            ${body.call}${body.durationMs === undefined ? "" : `, ${formatDuration(body.durationMs)}`}
            ${
              long === undefined
                ? ""
                : html`, as the model received it;
                    <a href="${full}">all ${long.length.toLocaleString("en")} letters</a>`
            }
          </p>
          ${words(body.content, whole)} ${(body.pictures ?? []).map(pictureLine)}`;
      }
      case "note":
        return html`${head("Note of the bot, for the model only")} ${words(body.text, whole)}`;
      case "summary":
        return html`${head(`Summary of all up to ${body.upTo}`)} ${words(body.text, whole)}`;
      default:
        return body satisfies never;
    }
  }
}

function pictureLine({ alt = "", mimeType, bytes, hash }: Picture): Markup {
  const kept = hash === undefined ? "not shown to people" : "shown to people";
  return html`<p class="dim">
    Image ${apart(alt)}, ${mimeType}, ${bytes.toLocaleString("en")} bytes, ${kept}
  </p>`;
}

function partForModel(part: Part, whole: string): Markup {
  switch (part.kind) {
    case "text":
      return words(part.text, whole);
    case "note":
      return html`<p class="dim">For the model only:</p>
        ${words(part.text, whole)}`;
    case "image":
      return html`<p class="dim">Image ${apart(part.name ?? "")}, ${part.mimeType}</p>`;
    case "file":
      return html`<p class="dim">File ${apart(part.name)}, ${part.mimeType}</p>`;
    default:
      return part satisfies never;
  }
}
