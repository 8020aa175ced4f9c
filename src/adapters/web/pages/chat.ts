/** The chat: threads at the left, the open thread or the invitation to begin one at the right, the composer below. */

import { html } from "hono/html";
import { COMMANDS } from "../../../core/command/table.ts";
import type { Author } from "../../../core/inbound.ts";
import type { WebMessage, WebThread } from "../../../core/ports/web-messages.ts";
import type { SessionId } from "../../../core/thread.ts";
import { layout } from "./layout.ts";
import type { Markup } from "./markup.ts";
import { messageMarkup } from "./message.ts";
import { threadListMarkup, threadPath } from "./thread-list.ts";

export interface ChatInfo {
  /** Shown above the bot's messages and in titles. */
  readonly botName: string;
  readonly version: string;
  /** Answers come from the scripted demo model: the page says so, and how to change it. */
  readonly demo: boolean;
}

export interface ChatView {
  readonly info: ChatInfo;
  readonly person: Author;
  readonly threads: readonly WebThread[];
  /** Absent on the page for a new thread. */
  readonly open?: OpenThread;
}

export interface OpenThread {
  readonly session: SessionId;
  readonly label: string;
  readonly rows: readonly WebMessage[];
  /** Messages above the shown ones. */
  readonly earlier: number;
  readonly revision: number;
}

const EXAMPLES = [
  "What time is it in Tokyo and in Lisbon right now?",
  "Draft a short update: the release moves to Thursday.",
  "Explain database transactions, with an example in SQL.",
];
/** What the demo model can answer. */
const DEMO_EXAMPLES = [
  "What time is it in Tokyo and in Lisbon right now?",
  "Show me a long answer, with lists, a table and code.",
  "Count slowly, so that I can press Stop.",
];

export function chatPage(view: ChatView): Markup {
  const { info, open } = view;
  const title = open === undefined ? info.botName : `${open.label} · ${info.botName}`;
  return layout(
    { title, script: "chat" },
    html`<body
      class="chat"
      data-session="${open?.session ?? ""}"
      data-revision="${open?.revision ?? 0}"
      data-bot="${info.botName}"
      data-person="${view.person.name}"
    >
      <a class="skip" href="#text">Skip to the message box</a>
      ${sidebar(view)}
      <main>
        ${header(view)} ${info.demo ? demoNote() : ""}
        <noscript><p class="note">The chat needs JavaScript to send and to follow messages.</p></noscript>
        <div class="scroller" id="scroller">
          ${open === undefined ? invitation(info) : ""}
          <div class="thread" id="thread" role="log" aria-live="off" aria-label="Messages">
            ${open === undefined ? "" : earlierLink(open)}
            ${open?.rows.map((row) => messageMarkup(row)) ?? ""}
          </div>
        </div>
        ${composer(open === undefined)}
        <p class="unseen" id="spoken" role="status" aria-live="polite"></p>
      </main>
    </body>`,
  );
}

function sidebar(view: ChatView): Markup {
  const { info, person, threads, open } = view;
  return html`<nav class="sidebar" id="sidebar" aria-label="Threads">
      <div class="brand">
        <a href="/"
          ><img src="/assets/bobbin.svg" alt="" width="26" height="26" /><span>${info.botName}</span></a
        >
        <button
          type="button"
          class="icon only-narrow"
          data-drawer="close"
          aria-label="Close the list of threads"
        >
          <span class="cross" aria-hidden="true"></span>
        </button>
      </div>
      <a class="new" href="/" ${open === undefined ? html`aria-current="page"` : ""}>
        <span class="plus" aria-hidden="true"></span>New thread</a
      >
      <ul class="threads" id="threads">
        ${threadListMarkup(threads, open?.session)}
      </ul>
      <form class="name" id="name-form">
        <label for="name">You write as</label>
        <input
          id="name"
          name="name"
          value="${person.name}"
          maxlength="40"
          autocomplete="nickname"
          dir="auto"
        />
        <button type="submit" class="quiet" hidden>Save</button>
      </form>
      <p class="version">${info.botName} ${info.version}</p>
    </nav>
    <div class="veil" data-drawer="close"></div>`;
}

function header({ open }: ChatView): Markup {
  return html`<header class="bar">
    <button
      type="button"
      class="icon only-narrow"
      data-drawer="open"
      aria-controls="sidebar"
      aria-expanded="false"
      aria-label="Show the list of threads"
    >
      <span class="lines" aria-hidden="true"></span>
    </button>
    <h1 dir="auto">${open?.label ?? "New thread"}</h1>
    ${
      open === undefined
        ? ""
        : html`<a class="quiet" href="${threadPath(open.session)}/transcript">Transcript</a>`
    }
  </header>`;
}

function demoNote(): Markup {
  return html`<details class="note">
    <summary><strong>Demo model:</strong> scripted answers. <u>Use a real one</u></summary>
    <p>
      Start Bobbin again with a key: <code>OPENAI_API_KEY=… npm start</code>. <code>MODEL</code> chooses the
      model, <code>OPENAI_BASE_URL</code> another provider or a model on your own machine.
    </p>
  </details>`;
}

function earlierLink({ earlier, session }: OpenThread): Markup | "" {
  if (earlier === 0) return "";
  return html`<p class="earlier">
    <a href="${threadPath(session)}?all=1">Show ${earlier} earlier messages</a>
  </p>`;
}

function invitation({ botName, demo }: ChatInfo): Markup {
  return html`<section class="invitation" id="invitation">
    <img src="/assets/bobbin.svg" alt="" width="56" height="56" />
    <h2>Every thread is a session that lasts</h2>
    <p>
      Write to ${botName} and it answers in a thread of its own. The thread keeps what was said and goes on
      where it stopped, even after a restart. Write while it works: it takes that in too.
    </p>
    <ul class="examples">
      ${(demo ? DEMO_EXAMPLES : EXAMPLES).map(
        (text) => html`<li><button type="button" data-example="${text}">${text}</button></li>`,
      )}
    </ul>
  </section>`;
}

function composer(isNew: boolean): Markup {
  const commands = Object.entries(COMMANDS).map(
    ([name, { summary, argument }]) =>
      html`<li
        role="option"
        id="command-${name}"
        data-command="/${name}"
        data-takes="${argument.kind}"
        aria-selected="false"
      >
        <code>/${name}${argument.kind === "none" ? "" : html` <i>${argument.name}</i>`}</code
        ><span>${summary}</span>
      </li>`,
  );
  return html`<form class="composer" id="composer">
    <button type="button" class="latest" id="latest" hidden>Newest messages</button>
    <ul class="commands" id="commands" role="listbox" aria-label="Commands" hidden>
      ${commands}
    </ul>
    <p class="line-state" id="line-state" role="status"></p>
    <div class="box">
      <textarea
        id="text"
        name="text"
        rows="1"
        dir="auto"
        maxlength="100000"
        placeholder="${isNew ? "Begin a thread…" : "Reply…"}"
        aria-label="Message"
        aria-describedby="keys"
        aria-controls="commands"
        aria-autocomplete="list"
        autocomplete="off"
      ></textarea>
      <button type="submit" class="send" id="send" title="Send" disabled>
        <svg class="arrow" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 13.5v-11M3.25 7.25 8 2.5l4.75 4.75" /></svg
        ><span class="unseen">Send</span>
      </button>
    </div>
    <p class="keys" id="keys">
      <span><kbd>Enter</kbd> sends</span> <span><kbd>Shift</kbd> <kbd>Enter</kbd> new line</span>
      <span><kbd>/</kbd> commands</span> <span><kbd>Esc</kbd> stops an answer</span>
    </p>
  </form>`;
}
