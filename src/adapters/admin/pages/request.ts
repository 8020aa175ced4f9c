/** One request to the model, as it was sent. */

import { html } from "hono/html";
import { formatDuration } from "../../../core/measure.ts";
import type { Overview } from "../../../core/ports/overviews.ts";
import type { ReviewedCall } from "../../../core/ports/review.ts";
import { apart } from "./apart.ts";
import { moment, type Markup } from "./layout.ts";
import { threadPathOf } from "./paths.ts";
import { requestName, usageText } from "./thread-run.ts";

export interface RequestView {
  readonly overview: Overview;
  readonly call: ReviewedCall;
  readonly body: string;
  /** Whether it is the one that was sent, to the byte; undefined where none was. `erased`: but for what was erased since. */
  readonly isSame: boolean | "erased" | undefined;
}

export function requestBody({ overview, call, body, isSame }: RequestView): Markup {
  const path = threadPathOf(overview.session);
  return html`<p class="back">
      <a href="${path}#run-${call.run}">${apart(overview.label)}</a>
    </p>
    <h1>${requestName(call)} of <code>${call.run}</code></h1>
    <p>
      To ${apart(call.model)}, ${moment(call.startedAt)}, ${formatDuration(call.durationMs)}, ${call.outcome},
      ${usageText(call.usage)}
    </p>
    <p>${sameness(isSame)} <a class="act" href="${path}/calls/${call.id}?raw">Save the bytes</a></p>
    ${messages(body)}
    <h2>As it was sent</h2>
    <pre class="words" tabindex="0">${pretty(body)}</pre>`;
}

function sameness(isSame: RequestView["isSame"]): Markup {
  if (isSame === "erased")
    return html`<span class="tag bad">as it was sent, but for what was erased</span>
      <span class="dim">It cannot be built again: something that it said was erased since.</span>`;
  if (isSame === undefined) return html`<span class="tag">never sent</span>`;
  return isSame
    ? html`<span class="tag good">the same bytes as were sent</span>`
    : html`<span class="tag bad">not the bytes that were sent</span>
        <span class="dim">Something of it was changed since.</span>`;
}

/** Each message by itself, in the order in which the model read them. */
function messages(body: string): Markup {
  const parsed = parse(body);
  const list =
    parsed !== undefined && Array.isArray(parsed["messages"]) ? (parsed["messages"] as unknown[]) : [];
  const tools = parsed !== undefined && Array.isArray(parsed["tools"]) ? (parsed["tools"] as unknown[]) : [];
  return html`<h2>${list.length} messages, ${tools.length} tools</h2>
    <ol class="messages">
      ${list.map((message) => {
        const { role, content, ...rest } = message as Record<string, unknown>;
        const said = typeof content === "string" ? content : JSON.stringify(content, undefined, 2);
        const others = Object.keys(rest).length === 0 ? "" : JSON.stringify(rest, undefined, 2);
        return html`<li class="entry">
          <header><strong>${String(role)}</strong></header>
          ${
            content === undefined || content === null
              ? ""
              : // Of spaces each is shown.
                html`<div class="words" dir="auto">${said}</div>`
          }
          ${others === "" ? "" : html`<div class="words">${others}</div>`}
        </li>`;
      })}
    </ol>`;
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function pretty(body: string): string {
  const parsed = parse(body);
  return parsed === undefined ? body : JSON.stringify(parsed, undefined, 2);
}
